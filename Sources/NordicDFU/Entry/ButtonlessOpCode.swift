/// The first byte of a request on a secure buttonless characteristic, and the second one of its indication (nordic-dfu.md §3.2).
public enum ButtonlessOpCode: UInt8, Hashable, Sendable, CaseIterable {
  case enterBootloader = 0x01
  /// Followed by the length (1 to 20) and the name under which the bootloader shall advertise. SDK 14 and newer, without bonds only.
  case setName = 0x02
  /// Of an indication: `20 op status`.
  case response = 0x20
}
