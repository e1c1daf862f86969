/// Asks which SUIT manifests a board has (group 66, command 0; device-manager.md §4.2).
public struct SUITManifestListRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.suit
  public static let command: UInt8 = 0

  /// Roles of one board; more than exist.
  public static let limit = 32

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [SUITRole] {
    let items = try body.list("manifests")
    guard items.count <= limit else { throw .outOfRange("manifests") }
    var roles: [SUITRole] = []
    for item in items {
      guard item.isMap else { throw .wrongType("manifests") }
      roles.append(SUITRole(rawValue: try item.size("role")))
    }
    return roles
  }
}

/// Asks what is installed in one role (group 66, command 1; device-manager.md §4.2).
public struct SUITManifestStateRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.suit
  public static let command: UInt8 = 1

  public var role: SUITRole

  public init(role: SUITRole) {
    self.role = role
  }

  public var payload: CBORValue { .object(["role": .integer(role.rawValue)]) }

  /// The answer does not name its role (smp.md §7).
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> SUITManifestState {
    try SUITManifestState(body)
  }
}
