/// What a board says of one of its tasks (OS group, command 2; smp.md §3.1). A build may leave out what it does not measure.
public struct TaskStatistics: Hashable, Sendable {
  /// The task's name; in builds without names its priority as text, and then several tasks may have the same.
  public var name: String
  /// May be negative (cooperative threads).
  public var priority: Int?
  public var id: Int?
  /// The system's own bits.
  public var state: Int?
  /// In words of four bytes.
  public var stackUse: Int?
  /// In words of four bytes.
  public var stackSize: Int?
  public var contextSwitches: Int?
  /// In the system's ticks.
  public var runtime: Int?
  /// Of a watchdog; 0 in Zephyr.
  public var lastCheckin: Int?
  /// Of a watchdog; 0 in Zephyr.
  public var nextCheckin: Int?

  public init(name: String) {
    self.name = name
  }

  init(name: String, _ body: CBORValue) throws(SMPDecodeError) {
    guard body.isMap else { throw .wrongType(name) }
    self.init(name: name)
    priority = try body.optionalInteger("prio")
    id = try body.optionalInteger("tid")
    state = try body.optionalInteger("state")
    stackUse = try body.optionalInteger("stkuse")
    stackSize = try body.optionalInteger("stksiz")
    contextSwitches = try body.optionalInteger("cswcnt")
    runtime = try body.optionalInteger("runtime")
    lastCheckin = try body.optionalInteger("last_checkin")
    nextCheckin = try body.optionalInteger("next_checkin")
  }
}

/// Asks for the tasks of a board (OS group, command 2, read; smp.md §3.1).
public struct TaskStatisticsRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 2

  public init() {}

  public var payload: CBORValue { .map([]) }

  /// In the board's order; tasks of the same name are all kept.
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [TaskStatistics] {
    var tasks: [TaskStatistics] = []
    for (name, task) in try body.members("tasks") { tasks.append(try TaskStatistics(name: name, task)) }
    return tasks
  }
}
