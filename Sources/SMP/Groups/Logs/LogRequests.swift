/// Reads a board's logs from an entry on (log group, command 0, read; device-manager.md §6). Mynewt has the group, Zephyr does not.
public struct LogReadRequest: SMPRequest, Hashable {
  public struct Response: Hashable, Sendable {
    /// The index that the next entry will have.
    public var nextIndex: Int
    public var logs: [LogReading]

    public init(nextIndex: Int, logs: [LogReading]) {
      self.nextIndex = nextIndex
      self.logs = logs
    }
  }

  public static let operation = SMPOperation.read
  public static let group = SMPGroup.logs
  public static let command: UInt8 = 0

  /// Nil is all logs.
  public var name: String?
  /// Entries from this index on.
  public var index: Int
  /// Entries from this time of the board's clock on.
  public var time: Int

  /// - Parameters:
  ///   - index: not negative.
  ///   - time: not negative.
  public init(name: String? = nil, index: Int = 0, time: Int = 0) {
    self.name = name
    self.index = index
    self.time = time
  }

  public var payload: CBORValue {
    var entries = [CBORValue.Entry(.text("index"), .integer(index)), CBORValue.Entry(.text("ts"), .integer(time))]
    if let name { entries.append(CBORValue.Entry(.text("log_name"), .text(name))) }
    return .map(entries)
  }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Response {
    var logs: [LogReading] = []
    for log in try body.list("logs") { logs.append(try LogReading(log)) }
    return Response(nextIndex: try body.optionalInteger("next_index") ?? 0, logs: logs)
  }
}

/// Empties all of a board's logs (log group, command 1, write).
public struct LogClearRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.logs
  public static let command: UInt8 = 1

  public init() {}

  public var payload: CBORValue { .map([]) }
}

/// Adds an entry to a board's log (log group, command 2, write).
///
/// The command has a number in every public list, and a body in none: the keys here are those of an entry as the board reports it.
public struct LogAppendRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.logs
  public static let command: UInt8 = 2

  public var name: String
  public var module: Int
  public var level: Int
  public var message: String

  /// - Parameters:
  ///   - module: not negative.
  ///   - level: not negative.
  public init(name: String, module: Int = 0, level: Int = 1, message: String) {
    self.name = name
    self.module = module
    self.level = level
    self.message = message
  }

  public var payload: CBORValue {
    .object(["log_name": .text(name), "module": .integer(module), "level": .integer(level), "msg": .text(message)])
  }
}

/// A number that a board has a name for.
public struct NamedNumber: Hashable, Sendable {
  public var name: String
  public var number: Int

  public init(name: String, number: Int) {
    self.name = name
    self.number = number
  }

  static func list(_ key: String, in body: CBORValue) throws(SMPDecodeError) -> [NamedNumber] {
    var found: [NamedNumber] = []
    for (name, value) in try body.members(key) {
      guard let number = value.integer else { throw .wrongType(name) }
      found.append(NamedNumber(name: name, number: number))
    }
    return found
  }
}

/// Asks for the modules that write to a board's logs (log group, command 3, read).
public struct LogModuleListRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.logs
  public static let command: UInt8 = 3

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [NamedNumber] {
    try NamedNumber.list("module_map", in: body)
  }
}

/// Asks for the severities of a board's logs (log group, command 4, read).
public struct LogLevelListRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.logs
  public static let command: UInt8 = 4

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [NamedNumber] {
    try NamedNumber.list("level_map", in: body)
  }
}

/// Asks which logs a board has (log group, command 5, read).
public struct LogListRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.logs
  public static let command: UInt8 = 5

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [String] {
    try body.texts("log_list")
  }
}
