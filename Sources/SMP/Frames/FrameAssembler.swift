/// Joins the notifications of one link to frames (smp.md §2.1).
///
/// A frame ends by its header's length, never by a short notification: servers may send shorter fragments than the MTU allows. A new
/// answer always begins a new notification, so everything in the notification that completes a frame belongs to that frame: what
/// exceeds the announced length stays in the payload (see `SMPFrame`), and can never be taken for the next header.
///
/// A notification that should begin a frame but cannot (reserved bits, an operation of the wrong side) is dropped whole, and the next one is
/// looked at afresh. A fragment that was lost leaves a frame waiting; the owner calls `discardPartial` when its request has timed out.
public struct FrameAssembler: Sendable {
  /// Who sends the frames that are joined here.
  public enum Side: Hashable, Sendable { case server, client }

  /// Why bytes were dropped.
  public enum Discard: Hashable, Sendable {
    /// These bytes begin no header.
    case implausibleHeader([UInt8])
    /// The header announces a frame longer than the limit (both in bytes, header included).
    case tooLong(announced: Int, limit: Int)
  }

  /// What became of a packet.
  public enum Outcome: Hashable, Sendable {
    /// Kept; the frame is not whole yet.
    case incomplete
    case frame(SMPFrame)
    case discarded(Discard)
  }

  private let side: Side
  private let limit: Int
  private var buffer: [UInt8] = []

  /// - Parameters:
  ///   - sender: whose frames these are; the station joins a server's answers.
  ///   - limit: the longest frame that is accepted, in bytes with its header.
  public init(from sender: Side = .server, limit: Int = SMPFrame.largest) {
    side = sender
    self.limit = min(max(SMPHeader.size, limit), SMPFrame.largest)
  }

  /// The header of the frame that waits for more bytes; nil when none waits or its header is not whole yet.
  public var partialHeader: SMPHeader? { SMPHeader(buffer) }

  /// True while bytes wait for their frame to be completed.
  public var hasPartial: Bool { !buffer.isEmpty }

  /// Drops a frame that is not whole, so that the next notification begins a new one. Returns the number of bytes dropped.
  @discardableResult
  public mutating func discardPartial() -> Int {
    defer { buffer.removeAll(keepingCapacity: true) }
    return buffer.count
  }

  /// Takes one packet as the link delivered it.
  public mutating func append(_ packet: [UInt8]) -> Outcome {
    guard let first = buffer.first ?? packet.first else { return .incomplete }
    guard let operation = SMPHeader.operation(ofFirst: first), operation.isResponse == (side == .server) else {
      return .discarded(.implausibleHeader(packet))
    }
    buffer.append(contentsOf: packet)
    guard let header = SMPHeader(buffer) else { return .incomplete }
    let announced = SMPHeader.size + Int(header.length)
    guard announced <= limit else {
      discardPartial()
      return .discarded(.tooLong(announced: announced, limit: limit))
    }
    guard buffer.count >= announced else { return .incomplete }
    defer { buffer.removeAll(keepingCapacity: true) }
    do throws(SMPFrameError) {
      return .frame(try SMPFrame(decoding: buffer))
    } catch {
      return .discarded(.implausibleHeader(buffer))
    }
  }
}
