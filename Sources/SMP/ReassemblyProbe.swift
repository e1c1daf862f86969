/// The experiment that tells whether a board joins packets: one echo that is longer than a packet (smp.md §2.1).
///
/// A board's `buf_size` is reported whether it reassembles or not. One that does not may drop the first packet in silence, answer it as damaged (rc 9),
/// or read the second as a header and send a stray answer; it works on as before. The text is all `x`, so that such a header names a group that
/// nobody asked.
public struct ReassemblyProbe: Hashable, Sendable {
  /// What holds when the board does not join packets.
  public let plain: TransportLimits
  /// What holds when it does.
  public let joined: TransportLimits

  /// How long to wait for the echo: a board that does not reassemble is silent.
  public static let answerLimit = Duration.seconds(2)

  /// Bytes over one packet that are sent where the board's buffer allows: a second packet that is longer than a header.
  private static let excess = 32

  init(plain: TransportLimits, joined: TransportLimits) {
    self.plain = plain
    self.joined = joined
  }

  /// Bytes of the probing request. Its answer is one byte longer (a map of indefinite length) and has to fit the board's buffer too.
  private var size: Int {
    max(joined.packetSize + 1, min(joined.packetSize + Self.excess, joined.requestSize - 1))
  }

  /// The echo to send.
  public var request: EchoRequest {
    // Header 8, map head 1, key 2, and the text's own head.
    let room = size - SMPHeader.size - 3
    let length = ChunkSizer.longestString(in: room)
    return EchoRequest(text: String(repeating: "x", count: length))
  }

  /// What holds after the experiment.
  ///
  /// - Parameter result: the echoed text, or the refusal; nil for silence.
  public func limits(after result: Result<String, SMPAnswerError>?) -> TransportLimits {
    switch result {
    case .success(let text)? where text == request.text: joined
    // These come from behind the check of the length, so the whole request had arrived.
    case .failure(.refused(.status(.messageTooLong, _)))?, .failure(.refused(.status(.notSupported, _)))?: joined
    default: plain
    }
  }
}
