/// The requests of a Legacy transfer up to the image, and the check after it (nordic-dfu.md §2.4).
enum LegacyStage: Hashable, Sendable {
  case start
  case oldStart
  case beginInit
  case completeInit
  case initChecksum
  case receipts
  case image
  case validate

  /// The op code that its answer names.
  var op: LegacyOpCode {
    switch self {
    case .start, .oldStart: .start
    case .beginInit, .completeInit, .initChecksum: .initPacket
    case .receipts: .receiptRequest
    case .image: .receiveImage
    case .validate: .validate
    }
  }

  /// What to wait for once everything is written; nil when nothing answers but the write.
  var answer: DFUWait? {
    switch self {
    case .start, .oldStart: .erase
    case .completeInit, .initChecksum: .initPacket
    case .validate: .validate
    case .beginInit, .receipts, .image: nil
    }
  }
}
