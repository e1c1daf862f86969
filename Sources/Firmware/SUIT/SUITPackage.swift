/// What goes to a board with SUIT: the envelope, images for its cache partitions, and files that it may ask for.
public struct SUITPackage: Hashable, Sendable {
  public let envelope: SUITEnvelope
  /// Name of the envelope's file. It never decides anything.
  public let envelopeName: String
  /// In the manifest's order; no two for one partition.
  public let caches: [SUITCache]
  /// What is sent when the board asks for it by name.
  public let resources: [SUITResource]

  public init(envelope: SUITEnvelope, envelopeName: String = "root.suit", caches: [SUITCache] = [], resources: [SUITResource] = []) {
    self.envelope = envelope
    self.envelopeName = envelopeName
    self.caches = caches
    self.resources = resources
  }

  /// The file that a board asks for as `file://NAME`: the exact name, otherwise the one that differs in case only. Nil when there is none.
  public func resource(named name: String) -> SUITResource? {
    resources.first { $0.name == name } ?? resources.first { $0.name.lowercased() == name.lowercased() }
  }
}

/// An image for one of the board's cache partitions (`target_id` of group 66, command 5).
public struct SUITCache: Hashable, Sendable {
  public let partition: Int
  public let name: String
  public let bytes: [UInt8]

  public init(partition: Int, name: String, bytes: [UInt8]) {
    self.partition = partition
    self.name = name
    self.bytes = bytes
  }
}

/// A file that the board may ask for.
public struct SUITResource: Hashable, Sendable {
  public let name: String
  public let bytes: [UInt8]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}
