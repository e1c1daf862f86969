/// Runs a command in a board's shell (shell group, command 0, write; smp.md §3.6).
public struct ShellRequest: SMPRequest, Hashable {
  public struct Response: Hashable, Sendable {
    /// What the command printed, with its line ends and colours, cut to the board's buffer.
    public var output: String
    /// What the command returned; 0 is success.
    public var code: Int

    public init(output: String, code: Int) {
      self.output = output
      self.code = code
    }
  }

  public static let operation = SMPOperation.write
  public static let group = SMPGroup.shell
  public static let command: UInt8 = 0
  /// A command may do anything (device-manager.md §5.7, the default of a request).
  public static let answerLimit = Duration.seconds(40)

  public var words: [String]

  public init(words: [String]) {
    self.words = words
  }

  public var payload: CBORValue { .object(["argv": .array(words.map(CBORValue.text))]) }
  public var expectedSize: Int { words.reduce(64) { $0 + $1.utf8.count + 3 } }

  /// Older servers have the command's result under `rc`: beside an output that is no refusal.
  public static func refusal(in body: CBORValue) -> SMPResponseError? {
    body["err"] == nil && body["o"] != nil ? nil : SMPResponseError(body: body)
  }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Response {
    Response(output: try body.requiredText("o"), code: try body.optionalInteger(body["ret"] == nil ? "rc" : "ret") ?? 0)
  }
}
