/// Asks how many command groups a board has (enumeration group, command 0, read; smp.md §3.7).
public struct GroupCountRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.enumeration
  public static let command: UInt8 = 0

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Int {
    try body.size("count")
  }
}

/// Asks which command groups a board has (enumeration group, command 1, read).
///
/// The only way to look for a group that may not be there: some firmware hangs when asked something of a group that it does not know
/// (device-manager.md §6, Zephyr #43858).
public struct GroupListRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.enumeration
  public static let command: UInt8 = 1

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [SMPGroup] {
    var groups: [SMPGroup] = []
    for value in try body.list("groups") { groups.append(try SMPGroup(value, "groups")) }
    return groups
  }
}

/// Asks for one command group by its place in the board's list (enumeration group, command 2, read).
public struct GroupAtRequest: SMPRequest, Hashable {
  public struct Response: Hashable, Sendable {
    public var group: SMPGroup
    /// True for the last one.
    public var isLast: Bool

    public init(group: SMPGroup, isLast: Bool) {
      self.group = group
      self.isLast = isLast
    }
  }

  public static let operation = SMPOperation.read
  public static let group = SMPGroup.enumeration
  public static let command: UInt8 = 2

  /// Counts from 0, which is left out on the wire.
  public var index: Int

  /// - Parameter index: not negative.
  public init(index: Int) {
    self.index = index
  }

  public var payload: CBORValue { index == 0 ? .map([]) : .object(["index": .integer(index)]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Response {
    guard let value = body["group"] else { throw .missing("group") }
    return Response(group: try SMPGroup(value, "group"), isLast: try body.flag("end"))
  }
}

/// Asks what the command groups of a board are called (enumeration group, command 3, read).
public struct GroupDetailsRequest: SMPRequest, Hashable {
  public struct Detail: Hashable, Sendable {
    public var group: SMPGroup
    /// The board's own word.
    public var name: String?
    /// Command numbers that it has, counted to the highest.
    public var handlers: Int?

    public init(group: SMPGroup, name: String? = nil, handlers: Int? = nil) {
      self.group = group
      self.name = name
      self.handlers = handlers
    }
  }

  public static let operation = SMPOperation.read
  public static let group = SMPGroup.enumeration
  public static let command: UInt8 = 3

  /// Empty is all.
  public var groups: [SMPGroup]

  public init(groups: [SMPGroup] = []) {
    self.groups = groups
  }

  public var payload: CBORValue {
    groups.isEmpty ? .map([]) : .object(["groups": .array(groups.map { .unsigned(UInt64($0.rawValue)) })])
  }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [Detail] {
    var details: [Detail] = []
    for item in try body.list("groups") {
      guard item.isMap else { throw .wrongType("groups") }
      guard let value = item["group"] else { throw .missing("group") }
      details.append(Detail(group: try SMPGroup(value, "group"), name: try item.optionalText("name"), handlers: try item.optionalInteger("handlers")))
    }
    return details
  }
}

extension SMPGroup {
  /// A group's number in an answer.
  init(_ value: CBORValue, _ key: String) throws(SMPDecodeError) {
    guard let number = value.integer else { throw .wrongType(key) }
    guard let number = UInt16(exactly: number) else { throw .outOfRange(key) }
    self.init(rawValue: number)
  }
}
