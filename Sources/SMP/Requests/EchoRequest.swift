/// Sends a text and gets it back (OS group, command 0; smp.md §3.1).
public struct EchoRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.os
  public static let command: UInt8 = 0
  public static let isRepeatable = true
  /// Bytes of the longest text that Nordic's clients send (device-manager.md §6): five packets of 495, the largest buffer of their firmware.
  public static let longestText = 2475

  public var text: String

  public init(text: String) {
    self.text = text
  }

  public var payload: CBORValue { .object(["d": .text(text)]) }
  public var expectedSize: Int { SMPHeader.size + 8 + text.utf8.count }

  /// The text as the board returned it.
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> String {
    try body.requiredText("r")
  }
}
