public import Bluetooth

/// What the adapters hear of admitted boards, and which board goes to which free adapter.
///
/// A value: time enters as durations since one arbitrary start. It holds a limited number of boards, so that a storm of addresses
/// only makes it forget the boards that were heard longest ago.
public struct SightingBook: Sendable {
  /// Named limits of the book.
  public struct Limits: Hashable, Sendable {
    /// Advertisements older than this no longer count. Covers three advertisements of a board that sends one in two seconds, one of them missed.
    public var freshness: Duration = .seconds(10)
    /// So long a new board waits for the other free adapters to hear it, too (measured: all hear a board within 0.25 to 0.5 s).
    public var settleTime: Duration = .seconds(1)
    /// So long a free adapter listens for a board that waits for another attempt and has not been heard since: on a full line the next new board
    /// is always ready sooner, and the tried one would wait until the line is empty.
    public var retryHold: Duration = .seconds(3)
    /// Boards kept at once; those in hand are kept above it.
    public var boards = 512

    public init() {}
  }

  /// A board that may be claimed, as it was heard best.
  public struct Sighting: Hashable, Sendable {
    public var board: BluetoothAddress
    public var addressType: AddressType
    public var verdict: Admission.Verdict
    public var name: String?
    /// The median in dBm on this adapter.
    public var rssi: Int
    public var adapter: AdapterName
  }

  private enum State: Hashable {
    case waiting
    /// A worker has it; its advertisements are noted but nobody is given it.
    case inHand
  }

  private struct Page {
    var addressType: AddressType
    var verdict: Admission.Verdict
    var minRSSI: Int?
    var name: String?
    var state = State.waiting
    var firstHeard: Duration
    /// Not before this time (a pause before the next attempt).
    var notBefore: Duration
    /// It was given back: it goes before boards that nobody has tried yet, so that a batch does not end with a queue of half-done boards.
    var wasTried = false
    /// How long adapters were kept for its next attempt. Time in which none was free does not count: nobody listened for the board then.
    var heldFor = Duration.zero
    /// The adapter of the last failed attempt.
    var avoided: AdapterName?
    var hearings: [AdapterName: Hearing] = [:]

    var lastHeard: Duration { hearings.values.map(\.lastHeard).max() ?? firstHeard }
  }

  private let limits: Limits
  private var pages: [BluetoothAddress: Page] = [:]
  /// Since when an adapter has been kept; nil while none is.
  private var keepingSince: Duration?

  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  public var count: Int { pages.count }

  /// Notes an advertisement, and tells whether it made a board known to the book.
  ///
  /// What is not ours is not kept; nor is a board, unless it is in hand, that turns out not to be ours (its name may be heard late).
  ///
  /// - Parameters:
  ///   - verdict: what admission says of it.
  ///   - minRSSI: the least median at which the board is claimed (`Admission.minRSSI`).
  ///   - now: a monotonic time.
  @discardableResult
  public mutating func heard(
    _ advertisement: Advertisement, on adapter: AdapterName, verdict: Admission.Verdict, minRSSI: Int?, at now: Duration
  ) -> Bool {
    let isNew = pages[advertisement.address] == nil
    if verdict == .neither {
      if pages[advertisement.address]?.state == .waiting { pages[advertisement.address] = nil }
      return false
    }
    if isNew { makeRoom(now) }
    var page =
      pages[advertisement.address]
      ?? Page(addressType: advertisement.addressType, verdict: verdict, minRSSI: minRSSI, firstHeard: now, notBefore: now)
    // A board that was silent for so long is as good as new: the adapters get their settle time again.
    if now - page.lastHeard > limits.freshness { page.firstHeard = now }
    if page.state == .waiting {
      page.verdict = verdict
      page.minRSSI = minRSSI
      page.addressType = advertisement.addressType
    }
    page.name = advertisement.name ?? page.name
    page.hearings[adapter, default: Hearing(at: now)].note(advertisement.rssi, at: now)
    pages[advertisement.address] = page
    return isNew
  }

  /// Boards for the free adapters, each board and each adapter once: boards for another attempt first, then the strongest pair of board and
  /// adapter; ties by label, then address.
  ///
  /// A board waits until every free adapter hears it or its settle time is over. Away from the adapter on which it failed last, when another
  /// free one hears it.
  ///
  /// - Parameter claim: asked before a board is given away (the ledger's bounds); what it refuses stays in the book.
  public mutating func assign(free: [AdapterName], now: Duration, claim: (Sighting) -> Bool) -> [Sighting] {
    let pairs = claimable(free: free, now: now)
    var given: [Sighting] = []
    var idle = Set(free)
    let kept = hold(free: free, now: now, heard: Set(pairs.map(\.board)))
    var open = Set(pairs.map(\.board))
    // The second round is for boards that only the avoided adapter is left for.
    for takesAvoided in [false, true] {
      for pair in pairs where open.contains(pair.board) && idle.contains(pair.adapter) {
        guard takesAvoided || pages[pair.board]?.avoided != pair.adapter else { continue }
        guard idle.count > kept || pages[pair.board]?.wasTried == true else { continue }
        open.remove(pair.board)
        guard claim(pair) else { continue }
        idle.remove(pair.adapter)
        pages[pair.board]?.state = .inHand
        given.append(pair)
      }
    }
    keepingSince = kept > 0 && !idle.isEmpty ? now : nil
    return given
  }

  /// How many of the free adapters are kept for boards that are due for another attempt and not heard well enough yet.
  private mutating func hold(free: [AdapterName], now: Duration, heard: Set<BluetoothAddress>) -> Int {
    guard !free.isEmpty else { return 0 }
    var kept = 0
    for (board, page) in pages where page.state == .waiting && page.wasTried && page.notBefore <= now && !heard.contains(board) {
      let held = page.heldFor + (keepingSince.map { now - max($0, page.notBefore) } ?? .zero)
      pages[board]?.heldFor = held
      if held < limits.retryHold { kept += 1 }
    }
    return min(kept, free.count)
  }

  /// When a board was heard last, by any adapter; nil when the book does not know it.
  public func lastHeard(_ board: BluetoothAddress) -> Duration? {
    pages[board].flatMap { $0.hearings.values.map(\.lastHeard).max() }
  }

  /// When `assign` may have something new to give without another advertisement (the end of a settle time or a pause); nil when never.
  public func nextChange(after now: Duration) -> Duration? {
    pages.values.filter { $0.state == .waiting && $0.lastHeard >= now - limits.freshness }
      .flatMap { [$0.firstHeard + limits.settleTime, $0.notBefore] }.filter { $0 > now }.min()
  }

  /// Gives a board back for another attempt.
  ///
  /// - Parameters:
  ///   - pause: before it may be claimed again.
  ///   - avoided: the adapter of the failed attempt, when another one should try.
  public mutating func giveBack(_ board: BluetoothAddress, pause: Duration, avoided: AdapterName?, now: Duration) {
    guard var page = pages[board] else { return }
    page.state = .waiting
    page.notBefore = now + pause
    page.avoided = avoided
    page.wasTried = true
    page.heldFor = .zero
    // What was heard before the attempt says nothing about where the board is now.
    page.hearings = [:]
    page.firstHeard = now
    pages[board] = page
  }

  /// Forgets a board (its final result is there).
  public mutating func forget(_ board: BluetoothAddress) {
    pages[board] = nil
  }

  /// Forgets what an adapter heard (it is gone, or begins to listen anew).
  public mutating func forget(adapter: AdapterName) {
    for board in pages.keys { pages[board]?.hearings[adapter] = nil }
    // It may have been the one that was kept.
    keepingSince = nil
  }

  /// All pairs of a claimable board and a free adapter that hears it well enough, the strongest first.
  private func claimable(free: [AdapterName], now: Duration) -> [Sighting] {
    let oldest = now - limits.freshness
    var pairs: [Sighting] = []
    for (board, page) in pages where page.state == .waiting && page.notBefore <= now {
      let medians = free.compactMap { adapter in page.hearings[adapter]?.median(since: oldest).map { (adapter, $0) } }
      let hasSettled = medians.count == free.count || now - page.firstHeard >= limits.settleTime
      guard hasSettled else { continue }
      for (adapter, median) in medians where median >= page.minRSSI ?? Int.min {
        pairs.append(
          Sighting(board: board, addressType: page.addressType, verdict: page.verdict, name: page.name, rssi: median, adapter: adapter))
      }
    }
    return pairs.sorted { left, right in
      let (leftTried, rightTried) = (pages[left.board]?.wasTried ?? false, pages[right.board]?.wasTried ?? false)
      if leftTried != rightTried { return leftTried }
      if left.rssi != right.rssi { return left.rssi > right.rssi }
      if left.adapter != right.adapter { return left.adapter < right.adapter }
      return left.board < right.board
    }
  }

  /// Drops the board that was heard longest ago when the book is full. Boards in hand stay; there are at most as many as adapters.
  private mutating func makeRoom(_ now: Duration) {
    guard pages.count >= limits.boards else { return }
    let waiting = pages.filter { $0.value.state == .waiting }
    if let oldest = waiting.min(by: { ($0.value.lastHeard, $0.key) < ($1.value.lastHeard, $1.key) }) { pages[oldest.key] = nil }
  }
}
