/// How a SUIT board is built (`settings: { kind: "suit", suit: {…} }` of the faults file). Sizes in bytes, durations in milliseconds.
public struct SUITSettings: Hashable, Sendable, Codable {
  /// Of the root manifest that the board begins with.
  public var sequence = 1
  public var version = [1, 0, 0]
  /// Of the DFU partition, where the envelope goes.
  public var partition = 0x20000
  /// Of the cache partitions, by their number.
  public var caches = [0x40000, 0x40000]
  /// What command 0 lists; 32 is the application's root, the only one with a manifest.
  public var roles = [0x20, 0x22, 0x31]
  /// The board itself refuses a lower sequence number, and says so.
  public var forbidsDowngrade = false
  /// Envelope and caches come by the image group, under MCUboot's name (device-manager.md §4.4).
  public var imageGroup = false
  /// From the last byte until the envelope is looked at; to install; until a resource that does not come is given up.
  public var processMilliseconds = 100
  public var installMilliseconds = 500
  public var resourceMilliseconds = 5000

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case sequence, version, partition, caches, roles, forbidsDowngrade, imageGroup, processMilliseconds, installMilliseconds, resourceMilliseconds
  }

  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    sequence = try values.decodeIfPresent(sequence, .sequence)
    version = try values.decodeIfPresent(version, .version)
    partition = try values.decodeIfPresent(partition, .partition)
    caches = try values.decodeIfPresent(caches, .caches)
    roles = try values.decodeIfPresent(roles, .roles)
    forbidsDowngrade = try values.decodeIfPresent(forbidsDowngrade, .forbidsDowngrade)
    imageGroup = try values.decodeIfPresent(imageGroup, .imageGroup)
    processMilliseconds = try values.decodeIfPresent(processMilliseconds, .processMilliseconds)
    installMilliseconds = try values.decodeIfPresent(installMilliseconds, .installMilliseconds)
    resourceMilliseconds = try values.decodeIfPresent(resourceMilliseconds, .resourceMilliseconds)
  }

  /// What is wrong with the values, for an operator; nil when nothing is.
  var complaint: String? {
    let numbers: [(String, Int, ClosedRange<Int>)] =
      [
        ("sequence", sequence, 0...Int(Int32.max)), ("partition", partition, ScriptLimits.slotSize),
        ("processMilliseconds", processMilliseconds, ScriptLimits.milliseconds),
        ("installMilliseconds", installMilliseconds, ScriptLimits.milliseconds), ("resourceMilliseconds", resourceMilliseconds, ScriptLimits.milliseconds),
      ] + caches.map { ("caches", $0, ScriptLimits.slotSize) } + roles.map { ("roles", $0, 0...255) } + version.map { ("version", $0, -3...65_535) }
    for (name, value, range) in numbers where !range.contains(value) { return "\(name): \(value) is not from \(range.lowerBound) to \(range.upperBound)" }
    return caches.count <= 8 && roles.count <= 32 && version.count <= 5 ? nil : "caches, roles or version: too many"
  }
}
