/// The transfer of one part of a package to a bootloader, as a machine: `LegacyTransfer` or `SecureTransfer`.
///
/// The owner subscribes to the control point first, calls `start`, performs the actions and reports what happens. An input that is of no
/// interest any more changes nothing. The last action `isEnd`; after it there are no others.
public protocol DFUTransfer: Sendable {
  mutating func start() -> [DFUAction]
  /// The board has answered the write of the control point. Its notification may have come before.
  mutating func controlWritten() -> [DFUAction]
  /// The write of the control point was refused, and the link is still up.
  mutating func controlFailed() -> [DFUAction]
  mutating func packetsHandedOver() -> [DFUAction]
  /// A notification of the control point.
  mutating func received(_ notification: [UInt8]) -> [DFUAction]
  mutating func checksum(_ value: UInt32) -> [DFUAction]
  mutating func paused() -> [DFUAction]
  /// The time of the last `.expect` has passed.
  mutating func silent() -> [DFUAction]
  mutating func linkLost() -> [DFUAction]
  /// Stops; the board is asked to leave its bootloader, if it still can. Too late once the image is being activated.
  mutating func cancel() -> [DFUAction]

  /// Bytes of the image that the board has, as far as it has said so.
  var acknowledged: Int { get }
  /// Bytes of the image.
  var length: Int { get }
  /// Where an interrupted transfer was continued; nil when it began at the first byte.
  var resumedFrom: Int? { get }
}
