/// What the operator says about a whole job on the command line.
public struct JobOptions: Hashable, Sendable {
  /// `--package`: instead of the profile's.
  public var package: String?
  public var lot: String?
  public var workOrder: String?
  public var `operator`: String?

  public init(package: String? = nil, lot: String? = nil, workOrder: String? = nil, operator: String? = nil) {
    self.package = package
    self.lot = lot
    self.workOrder = workOrder
    self.operator = `operator`
  }

  func value(_ option: RequiredOption) -> String? {
    switch option {
    case .operator: `operator`
    case .lot: lot
    case .workOrder: workOrder
    }
  }
}
