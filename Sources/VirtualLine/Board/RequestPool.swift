/// The transport of a virtual board's SMP server: reassembly of requests and the buffers they share with answers (smp.md §2.1).
///
/// A machine: packets and "sent" go in; what may be worked on comes out. A request holds its buffer until it is answered, an answer until its
/// last notification is on the air. What finds no buffer is dropped in silence, as a write command gives the board no way to say so.
struct RequestPool: Sendable {
  private let size: Int
  private let count: Int
  private let reassembles: Bool
  private var partial: [UInt8] = []
  private var waiting: [[UInt8]] = []
  /// Requests whose answer flash still delays.
  private var working = 0
  /// Notifications left of each answer that is on its way.
  private var leaving: [Int] = []
  private(set) var dropped = 0

  init(settings: BoardSettings) {
    size = max(ServerFrame.headerSize, settings.bufferSize)
    count = max(1, settings.bufferCount)
    reassembles = settings.reassembly
  }

  var inUse: Int { waiting.count + working + leaving.count + (partial.isEmpty ? 0 : 1) }
  /// An answer needs a buffer too.
  var canAnswer: Bool { inUse < count || count == 1 }

  /// One write command. True when a request has become whole.
  mutating func receive(_ packet: [UInt8]) -> Bool {
    guard !packet.isEmpty else { return false }
    if partial.isEmpty {
      guard inUse < count else { return drop() }
      guard reassembles else { return packet.count <= size ? queue(packet) : drop() }
      // The first piece must hold the header; without one nothing is known about its length.
      guard let length = ServerFrame.length(of: packet), length <= size else { return drop() }
      if packet.count >= length { return queue(packet) }
      partial = packet
      return false
    }
    // Whatever comes now belongs to the half packet, also when it does not (smp.md §10, trap 19).
    partial += packet
    guard partial.count <= size else { return drop() }
    guard let length = ServerFrame.length(of: partial), partial.count >= length else { return false }
    let whole = partial
    partial = []
    return queue(whole)
  }

  /// The next packet to work on.
  mutating func next() -> [UInt8]? {
    guard !waiting.isEmpty else { return nil }
    working += 1
    return waiting.removeFirst()
  }

  var hasWork: Bool { !waiting.isEmpty }

  /// The request at hand is done with; its answer, if there is one, leaves in so many notifications.
  mutating func answered(notifications: Int) {
    if notifications > 0 { leaving.append(notifications) }
  }

  mutating func worked() { working = max(0, working - 1) }

  /// One notification is on the air.
  mutating func sent() {
    guard !leaving.isEmpty else { return }
    leaving[0] -= 1
    if leaving[0] <= 0 { leaving.removeFirst() }
  }

  /// The link went, notifications were switched off, or the board reset: nothing half-done is kept.
  mutating func clear() {
    partial = []
    waiting = []
    working = 0
    leaving = []
  }

  private mutating func queue(_ packet: [UInt8]) -> Bool {
    waiting.append(packet)
    return true
  }

  private mutating func drop() -> Bool {
    partial = []
    dropped += 1
    return false
  }
}
