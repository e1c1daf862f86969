import Bluetooth
import Cloud
import Station

/// Which boards are observed, which one an adapter takes next, and what follows when its link ends.
///
/// A value: time enters as durations since one arbitrary start. What comes from the air is bounded in number.
struct ObserveBook {
  /// Named limits of observing.
  struct Limits: Hashable, Sendable {
    /// Tries in a row that came to nothing before a board is given up.
    var failures = 10
    /// The pause after the first of them; it doubles with each further one.
    var firstPause = Duration.seconds(1)
    var longestPause = Duration.seconds(60)
    /// A link that lasted so long, or brought a chunk, was no failure.
    var proof = Duration.seconds(10)
    /// Links at once on one adapter: what common controllers carry.
    var linksPerAdapter = 8
    /// So long an adapter with more links than another leaves a new board to the other.
    var fairness = Duration.seconds(3)
    /// Boards known at once; further ones are not looked at.
    var boards = 512
    /// Strengths kept of a board on an adapter; the median of at least three counts (contract §2).
    var samples = 5

    init() {}
  }

  /// What hearing a board leads to.
  enum Verdict: Hashable, Sendable {
    case nothing
    /// This adapter connects to it now.
    case take(PairingMethod?)
    /// It will not be observed, told once.
    case refuse(String)
  }

  /// How a visit to a board ended.
  enum Ending: Hashable, Sendable {
    /// A stream was open for so long and brought so many chunks.
    case observed(DiagnosticStream.End, lasted: Duration, chunks: Int)
    case failed(DiagnosticFailure)
    /// Where its chunks should go is not allowed: one line.
    case refused(String)
    /// The queue is full or nearly so; the board waits with its chunks.
    case full
    /// Its entry in the stack was dropped, so that what it says is fresh.
    case forgotten
    /// The station's own trouble, or its end.
    case broken
  }

  /// What follows.
  enum Next: Hashable, Sendable {
    /// It is connected again when it is heard, not before this pause is over.
    case again(Duration)
    /// It is left alone.
    case out(String)
  }

  private enum Standing: Hashable {
    case waiting(notBefore: Duration)
    case inHand(String)
    case out
  }

  private struct Page {
    var standing = Standing.waiting(notBefore: .zero)
    var firstHeard: Duration
    var failures = 0
    /// A board that lacked the service was looked at afresh once: the stack may have shown an earlier firmware's.
    var wasAfresh = false
    var samples: [String: [Int]] = [:]
  }

  /// Empty: any that shows the service or that a profile matches.
  let wanted: Set<BluetoothAddress>
  let profiles: [BoardProfile]
  let pairing: ObserveRequest.Pairing?
  let limits: Limits
  private var pages: [BluetoothAddress: Page] = [:]

  init(wanted: Set<BluetoothAddress>, profiles: [BoardProfile], pairing: ObserveRequest.Pairing?, limits: Limits = Limits()) {
    self.wanted = wanted
    self.profiles = profiles
    self.pairing = pairing
    self.limits = limits
  }

  /// Nothing is left to listen for: every named board is left alone.
  var isOver: Bool { !wanted.isEmpty && wanted.allSatisfy { pages[$0]?.standing == .out } }

  /// Whether any board may still be heard; named boards that are all in hand call for no listening.
  func isLooking(_ now: Duration) -> Bool {
    wanted.isEmpty || wanted.contains { board in if case .waiting(let time)? = pages[board]?.standing { time <= now } else { pages[board] == nil } }
  }

  /// Links that an adapter has or makes.
  func links(on path: String) -> Int { pages.values.count { $0.standing == .inHand(path) } }

  /// An adapter heard a board.
  ///
  /// - Parameters:
  ///   - fewest: the links of the adapter that has the fewest.
  ///   - now: a monotonic time.
  mutating func heard(_ advertisement: Advertisement, on path: String, fewest: Int, now: Duration) -> Verdict {
    let board = advertisement.address
    let rule: Rule
    switch admission(advertisement) {
    case .stranger: return .nothing
    case .refused(let reason):
      guard pages[board]?.standing != .out, pages.count < limits.boards || pages[board] != nil else { return .nothing }
      pages[board, default: Page(firstHeard: now)].standing = .out
      return .refuse(reason)
    case .admitted(let admitted): rule = admitted
    }
    guard pages[board] != nil || pages.count < limits.boards else { return .nothing }
    var page = pages[board] ?? Page(firstHeard: now)
    defer { pages[board] = page }
    guard case .waiting(let notBefore) = page.standing, notBefore <= now else { return .nothing }
    if let least = rule.minRSSI {
      if let rssi = advertisement.rssi { page.samples[path] = Array(((page.samples[path] ?? []) + [rssi]).suffix(limits.samples)) }
      let sorted = (page.samples[path] ?? []).sorted()
      guard sorted.count >= 3, sorted[(sorted.count - 1) / 2] >= least else { return .nothing }
    }
    let mine = links(on: path)
    guard mine < limits.linksPerAdapter, mine <= fewest || now - page.firstHeard >= limits.fairness else { return .nothing }
    page.standing = .inHand(path)
    page.samples = [:]
    return .take(rule.pairing)
  }

  /// A visit has ended.
  mutating func ended(_ board: BluetoothAddress, _ ending: Ending, now: Duration) -> Next {
    guard var page = pages[board] else { return .out("it is not known") }
    let next = follow(ending, &page)
    switch next {
    case .again(let pause):
      page.standing = .waiting(notBefore: now + pause)
      page.firstHeard = now
    case .out: page.standing = .out
    }
    pages[board] = page
    return next
  }

  private func follow(_ ending: Ending, _ page: inout Page) -> Next {
    switch ending {
    case .forgotten: return .again(.zero)
    case .broken: return .again(limits.firstPause)
    case .full: return .again(limits.firstPause)
    case .refused(let line): return .out(line)
    case .observed(.stopped, _, _): return .again(limits.firstPause)
    case .observed(let end, let lasted, let chunks):
      if chunks > 0 || lasted >= limits.proof { page.failures = 0 }
      if case .failed(let failure) = end, !failure.isPassing { return .out("\(failure): \(failure.remedy)") }
      return again(after: Self.words(end), "check its power and distance", &page)
    case .failed(let failure):
      if case .notOffered = failure, !page.wasAfresh {
        page.wasAfresh = true
        return .again(.zero)
      }
      guard failure.isPassing else { return .out("\(failure): \(failure.remedy)") }
      return again(after: failure.description, failure.remedy, &page)
    }
  }

  private func again(after words: String, _ remedy: String, _ page: inout Page) -> Next {
    page.failures += 1
    guard page.failures < limits.failures else { return .out("given up after \(page.failures) tries in a row, the last time because \(words): \(remedy)") }
    return .again(min(limits.longestPause, limits.firstPause * (1 << min(16, page.failures - 1))))
  }

  /// How a stream ended, for people.
  static func words(_ end: DiagnosticStream.End) -> String {
    switch end {
    case .stopped: "stopped"
    case .linkLost: "the link was lost"
    case .overrun: "the Bluetooth service closed the channel; chunks may be lost"
    case .failed(let failure): failure.description
    }
  }

  // MARK: whose board it is

  private struct Rule {
    var pairing: PairingMethod?
    /// The least median in dBm; nil takes any strength.
    var minRSSI: Int?
  }

  private enum Admitted {
    case stranger
    case refused(String)
    case admitted(Rule)
  }

  /// Named boards come as they are; else a profile decides, or the service that a board shows. Nobody else is connected to.
  private func admission(_ advertisement: Advertisement) -> Admitted {
    let matching = profiles.filter { $0.face(of: advertisement) == .shows(.application) }
    if wanted.isEmpty {
      guard profiles.isEmpty ? advertisement.services.contains(.diagnostics) : !matching.isEmpty else { return .stranger }
      guard matching.count <= 1 else {
        return .refused("the profiles \(matching.map { $0.name.escaped() }.joined(separator: ", ")) all match it: make their [match] sections disjoint")
      }
    } else if !wanted.contains(advertisement.address) {
      return .stranger
    }
    guard !advertisement.address.isPrivate(advertisement.addressType) else {
      return .refused("it changes its address, so its chunks could not be told from another board's: use firmware with a fixed address")
    }
    let profile = matching.first ?? (wanted.isEmpty || profiles.count != 1 ? nil : profiles.first)
    return .admitted(Rule(pairing: method(profile), minRSSI: wanted.isEmpty ? profile?.match.minRSSI : nil))
  }

  private func method(_ profile: BoardProfile?) -> PairingMethod? {
    switch pairing {
    case .method(let method)?: method
    case ObserveRequest.Pairing.none?: nil
    case nil: profile?.pairing
    }
  }
}
