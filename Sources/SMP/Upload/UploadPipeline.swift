/// The requests of an upload that are on their way, and what follows from the answers about the board's offset.
///
/// A board works through its requests in the order in which they were sent, takes a piece only at the offset it expects, and answers each
/// request with the offset it expects then (go-back-N, smp.md §4.2). So an answer tells of all requests sent before its own: they are done
/// or lost. And the pieces behind it tell where the board will stand when it has worked through them.
struct UploadPipeline: Sendable {
  private(set) var outstanding: [UploadChunk] = []
  /// Timed out, but an answer that comes after all is as true as any.
  private var overdue: [UploadChunk] = []
  /// The offset that the board named last.
  private(set) var acknowledged = 0
  /// The end of the farthest piece that was sent since the board took the first one.
  private(set) var highestSent = 0
  /// Requests that may be outstanding now.
  private(set) var depth: Int
  /// Requests sent in all.
  private(set) var sent = 0

  private static let overdueLimit = 16
  /// Bytes of the whole.
  private let total: Int
  private let settings: UploadSettings
  private var undisturbed = 0
  /// Requests with a lower id were sent before the last disturbance, and tell nothing new about it.
  private var round = 0

  init(total: Int, settings: UploadSettings) {
    self.total = total
    self.settings = settings
    depth = max(1, settings.depth)
  }

  /// Where the board will stand when it has worked through everything that is outstanding.
  private var expected: Int {
    outstanding.reduce(acknowledged) { $1.offset == $0 ? $1.end : $0 }
  }

  /// Enters a request that is sent now.
  mutating func send(offset: Int, length: Int, isFirst: Bool) -> UploadChunk {
    let isLast = offset + length == total
    let timeout = isFirst ? settings.firstTimeout : isLast ? settings.lastTimeout : settings.laterTimeout
    let chunk = UploadChunk(id: sent, offset: offset, length: length, isFirst: isFirst, isLast: isLast, timeout: timeout)
    outstanding.append(chunk)
    sent += 1
    highestSent = max(highestSent, chunk.end)
    return chunk
  }

  /// Enters the requests that fill the window.
  /// - Parameter length: bytes of the piece at an offset; 0 where the upload ends.
  mutating func fill(_ length: (Int) -> Int) -> [UploadChunk] {
    var chunks: [UploadChunk] = []
    while outstanding.count < depth {
      let offset = expected
      let count = length(offset)
      guard count > 0 else { break }
      chunks.append(send(offset: offset, length: count, isFirst: false))
    }
    return chunks
  }

  /// Removes a request that was answered, and those that were sent before it. Nil when nothing is to be learned from its answer: the
  /// request, or one sent after it, was answered before.
  mutating func settle(_ id: Int) -> UploadChunk? {
    guard let chunk = outstanding.first(where: { $0.id == id }) ?? overdue.first(where: { $0.id == id }) else { return nil }
    outstanding.removeAll { $0.id <= id }
    overdue.removeAll { $0.id <= id }
    return chunk
  }

  /// Stops waiting for a request; its answer is still welcome. Nil when it is not outstanding (any more).
  mutating func drop(_ id: Int) -> UploadChunk? {
    guard let index = outstanding.firstIndex(where: { $0.id == id }) else { return nil }
    let chunk = outstanding.remove(at: index)
    overdue.append(chunk)
    if overdue.count > Self.overdueLimit { overdue.removeFirst() }
    return chunk
  }

  /// Enters the offset that the board named.
  mutating func acknowledge(_ offset: Int) {
    acknowledged = offset
    highestSent = max(highestSent, offset)
  }

  /// Enters an answer that shows no loss; the window grows slowly.
  mutating func undisturbedAnswer() {
    undisturbed += 1
    guard undisturbed >= settings.growAfter else { return }
    undisturbed = 0
    depth = min(depth + 1, max(1, settings.depth))
  }

  /// True for the first bad news of a round: the other requests of the same window bring the same news again.
  mutating func beginsRound(_ chunk: UploadChunk) -> Bool {
    undisturbed = 0
    guard chunk.id >= round else { return false }
    round = sent
    return true
  }

  /// Halves the window after a loss.
  mutating func shrink() {
    depth = max(1, depth / 2)
  }

  /// Forgets all requests: whatever is answered now tells nothing.
  mutating func forgetRequests() {
    outstanding = []
    overdue = []
    round = sent
  }

  /// Forgets all requests and offsets: the board begins at this byte.
  mutating func restart(at offset: Int = 0) {
    forgetRequests()
    acknowledged = offset
    highestSent = offset
  }
}
