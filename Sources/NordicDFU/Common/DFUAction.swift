/// What the owner of a transfer has to do, in this order.
public enum DFUAction: Hashable, Sendable {
  /// Write the control point with a response, then call `controlWritten` or `controlFailed`. A write command would not be answered (nordic-dfu.md §2.1).
  case writeControl([UInt8])
  /// Hand these bytes over to the packet characteristic without response, cut into packets of `size` bytes, the last one shorter; then call
  /// `packetsHandedOver`.
  case writePackets(ArraySlice<UInt8>, size: Int)
  /// Call `silent` when this time has passed. Replaces the expectation before; notifications do not prolong it.
  case expect(DFUWait, within: Duration)
  /// Call `paused` after this time. Ends the expectation before.
  case pause(Duration)
  /// Call `checksum` with the CRC-32 (zlib's) of the first bytes of this data.
  case checksum(of: DFUData, upTo: Int)
  /// The board has this many bytes of the image; it may have gone back.
  case progress(Int)
  /// The image was activated and the link is down, or is to be closed. Only what the board says afterwards proves that it lives.
  case finished
  /// Close the link, connect again and begin another transfer with `settings.next(after:)`, if `DFUTries` allows it.
  case restart(DFUFailure)
  /// Close the link: no other try of this part may end better.
  case failed(DFUFailure)

  /// True for the last action of a transfer.
  public var isEnd: Bool {
    switch self {
    case .finished, .restart, .failed: true
    case .writeControl, .writePackets, .expect, .pause, .checksum, .progress: false
    }
  }
}

/// The two byte sequences of a part.
public enum DFUData: Hashable, Sendable {
  case initPacket
  case image
}
