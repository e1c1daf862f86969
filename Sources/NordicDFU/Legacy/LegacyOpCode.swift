/// The first byte of what is written to, or comes from, Legacy DFU's control point (nordic-dfu.md §2.3).
public enum LegacyOpCode: UInt8, Hashable, Sendable, CaseIterable {
  /// Followed by the image type; alone in the old form. The answer comes after the sizes were written and the flash is erased.
  case start = 1
  /// Followed by 0 (begin) or 1 (complete); alone in the old form.
  case initPacket = 2
  /// The answer comes when the whole image is in the flash.
  case receiveImage = 3
  case validate = 4
  /// The board drops the link.
  case activateAndReset = 5
  /// The board drops the link.
  case reset = 6
  case reportReceivedSize = 7
  /// Followed by the number of packets between two receipts, 16 bits; 0 switches them off. No answer but the write's.
  case receiptRequest = 8
  /// Of a notification: `10 op status`.
  case response = 0x10
  /// Of a notification: `11` and the number of bytes received since the bootloader started, 32 bits.
  case receipt = 0x11
}
