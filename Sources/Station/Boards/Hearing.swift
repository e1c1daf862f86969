/// How one adapter hears one board: the last few advertisements with their times.
struct Hearing: Sendable {
  /// The contract's least number of advertisements for a median (§2).
  static let leastSamples = 3
  /// Enough for a steady median, few enough to follow a board that is moved.
  static let mostSamples = 7

  private var samples: [(time: Duration, rssi: Int)] = []
  private(set) var lastHeard: Duration

  init(at now: Duration) {
    lastHeard = now
  }

  /// Notes an advertisement; one without a strength only shows that the board is there.
  mutating func note(_ rssi: Int?, at now: Duration) {
    lastHeard = now
    guard let rssi else { return }
    if samples.count == Self.mostSamples { samples.removeFirst() }
    samples.append((now, rssi))
  }

  /// The median in dBm of the samples since `oldest`; nil while they are too few.
  func median(since oldest: Duration) -> Int? {
    let fresh = samples.filter { $0.time >= oldest }.map(\.rssi).sorted()
    guard fresh.count >= Self.leastSamples else { return nil }
    // Of an even number the weaker of the two in the middle: a board on the limit is not taken by half a decibel.
    return fresh[(fresh.count - 1) / 2]
  }
}
