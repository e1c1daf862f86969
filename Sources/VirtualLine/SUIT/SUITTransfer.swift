/// Something that comes to a SUIT board in pieces: it must begin at 0 and go on where it is (smp.md §7).
struct SUITTransfer: Hashable, Sendable {
  let length: Int
  private(set) var bytes: [UInt8] = []

  init(length: Int) {
    self.length = length
  }

  var isComplete: Bool { bytes.count == length }

  enum Complaint: Error {
    /// `rc` 1, and the offset that is expected.
    case outOfStep(Int)
    /// More than was announced.
    case overlong
  }

  mutating func take(_ piece: [UInt8], at offset: Int) throws(Complaint) {
    guard offset == bytes.count else { throw .outOfStep(bytes.count) }
    guard bytes.count + piece.count <= length else { throw .overlong }
    bytes += piece
  }
}

/// What a SUIT board does by itself after a while. Those of an earlier step mean nothing any more.
struct SUITTimer: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    /// Look at the envelope, or go on with it.
    case process
    /// The installation is done.
    case install
    /// A resource did not come.
    case giveUp
  }

  var after: Duration
  var step: Step
  var ticket: Int
}
