/// Switches a serial console's echo on or off (OS group, command 1, write; device-manager.md §6). Mynewt has it, Zephyr does not.
public struct EchoControlRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.os
  public static let command: UInt8 = 1
  public static let isRepeatable = true

  public var isOn: Bool

  public init(isOn: Bool) {
    self.isOn = isOn
  }

  /// A number on the wire, 0 or 1, not a Boolean.
  public var payload: CBORValue { .object(["echo": .unsigned(isOn ? 1 : 0)]) }
}
