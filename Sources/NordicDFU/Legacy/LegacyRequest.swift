/// What is written to Legacy DFU's control point (nordic-dfu.md §2.3).
public enum LegacyRequest: Hashable, Sendable {
  case start(DFUImageType)
  /// The old form, for an application only.
  case oldStart
  case beginInitPacket
  case completeInitPacket
  /// The old form; two bytes follow on the packet characteristic.
  case initChecksum
  case receiveImage
  case validate
  case activateAndReset
  case reset
  case requestReceipts(every: UInt16)

  public var bytes: [UInt8] {
    switch self {
    case .start(let type): [LegacyOpCode.start.rawValue, type.rawValue]
    case .oldStart: [LegacyOpCode.start.rawValue]
    case .beginInitPacket: [LegacyOpCode.initPacket.rawValue, 0]
    case .completeInitPacket: [LegacyOpCode.initPacket.rawValue, 1]
    case .initChecksum: [LegacyOpCode.initPacket.rawValue]
    case .receiveImage: [LegacyOpCode.receiveImage.rawValue]
    case .validate: [LegacyOpCode.validate.rawValue]
    case .activateAndReset: [LegacyOpCode.activateAndReset.rawValue]
    case .reset: [LegacyOpCode.reset.rawValue]
    case .requestReceipts(let interval): [LegacyOpCode.receiptRequest.rawValue] + interval.littleEndianBytes
    }
  }
}
