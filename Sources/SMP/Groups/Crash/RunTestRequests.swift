/// Starts one of the tests that a board's firmware has built in (run group, command 0, write; device-manager.md §6).
///
/// Its result is not in the answer: it goes to the board's log, with the token.
public struct RunTestRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.run
  public static let command: UInt8 = 0

  /// Nil runs all.
  public var name: String?
  /// A word by which the result is found again.
  public var token: String?

  public init(name: String? = nil, token: String? = nil) {
    self.name = name
    self.token = token
  }

  public var payload: CBORValue {
    var entries: [CBORValue.Entry] = []
    if let name { entries.append(CBORValue.Entry(.text("testname"), .text(name))) }
    if let token { entries.append(CBORValue.Entry(.text("token"), .text(token))) }
    return .map(entries)
  }
}

/// Asks which tests a board's firmware has built in (run group, command 1, read).
public struct RunListRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.run
  public static let command: UInt8 = 1

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [String] {
    try body.texts("run_list")
  }
}
