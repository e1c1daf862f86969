/// Reads the board's clock (OS group, command 4; smp.md §3.1): `YYYY-MM-DDThh:mm:ss[.mmm]`, no zone.
public struct DateTimeReadRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 4

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> String {
    try body.requiredText("datetime")
  }
}

/// Sets the board's clock (OS group, command 4; smp.md §3.1). The board takes 19 to 25 characters and reads no zone.
public struct DateTimeWriteRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.os
  public static let command: UInt8 = 4
  public static let isRepeatable = true

  /// Characters that a board takes.
  public static let lengths = 19...25

  public var text: String

  public init(text: String) {
    self.text = text
  }

  public var payload: CBORValue { .object(["datetime": .text(text)]) }
}
