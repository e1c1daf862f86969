public import SMP

/// Where the resources come from that an installing board asks for.
///
/// The station serves the files of its package (`SUITResources`); another program may answer from wherever it likes.
public protocol SUITResourceProvider: Sendable {
  /// The bytes of a resource; nil when there is no such one, and then the installation fails. The board waits 5 s at most.
  func content(of resource: SUITResourceID) async throws -> [UInt8]?
}

/// The resources of a package: files, named by `file://name`; by the exact name, otherwise by one that differs in case only.
public struct SUITResources: SUITResourceProvider, Hashable {
  private var exact: [String: [UInt8]] = [:]
  private var anyCase: [String: [UInt8]] = [:]

  /// - Parameter files: of two with one name the first counts.
  public init(_ files: [(name: String, bytes: [UInt8])] = []) {
    for file in files {
      if exact[file.name] == nil { exact[file.name] = file.bytes }
      if anyCase[file.name.lowercased()] == nil { anyCase[file.name.lowercased()] = file.bytes }
    }
  }

  public func content(of resource: SUITResourceID) -> [UInt8]? {
    resource.fileName.flatMap { exact[$0] ?? anyCase[$0.lowercased()] }
  }
}

/// Resources out of a closure.
public struct SUITResourceSource: SUITResourceProvider {
  private let source: @Sendable (SUITResourceID) async throws -> [UInt8]?

  public init(_ source: @escaping @Sendable (SUITResourceID) async throws -> [UInt8]?) {
    self.source = source
  }

  public func content(of resource: SUITResourceID) async throws -> [UInt8]? { try await source(resource) }
}
