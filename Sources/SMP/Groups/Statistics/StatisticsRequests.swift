/// One group of counters that a board keeps (statistics group, command 0; smp.md §3.3).
public struct StatisticsReading: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: UInt64

    public init(name: String, value: UInt64) {
      self.name = name
      self.value = value
    }
  }

  public var name: String
  /// In the board's order. Builds without names call them `s0`, `s1`, ….
  public var fields: [Field]

  public init(name: String, fields: [Field]) {
    self.name = name
    self.fields = fields
  }
}

/// Reads one group of counters (statistics group, command 0, read).
public struct StatisticsReadRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.statistics
  public static let command: UInt8 = 0

  public var name: String

  public init(name: String) {
    self.name = name
  }

  public var payload: CBORValue { .object(["name": .text(name)]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> StatisticsReading {
    var fields: [StatisticsReading.Field] = []
    for (name, value) in try body.members("fields") {
      guard case .unsigned(let number) = value else { throw .wrongType(name) }
      fields.append(StatisticsReading.Field(name: name, value: number))
    }
    return StatisticsReading(name: try body.optionalText("name") ?? "", fields: fields)
  }
}

/// Asks which groups of counters a board has (statistics group, command 1, read).
public struct StatisticsListRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.statistics
  public static let command: UInt8 = 1

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [String] {
    try body.texts("stat_list")
  }
}
