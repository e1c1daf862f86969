/// The stack's own times, as measured on the rig (bluez.md §4) but with a short Disconnect, so that a demonstration does not wait.
struct LineTiming: Sendable {
  private let scale: Double

  init(scale: Double) {
    self.scale = scale
  }

  /// A board is heard by an adapter about so often.
  var advertisement: Duration { .milliseconds(150) }
  var connect: Duration { scaled(300) }
  var resolve: Duration { scaled(300) }
  var disconnect: Duration { scaled(500) }
  /// `Connected` is false before the link is down; a Connect in that gap fails (bluez.md §4).
  var gap: Duration { scaled(150) }
  /// How long a Connect waits for an advertisement before it fails.
  var connectLimit: Duration { scaled(30_000) }
  /// How long an object of a board that is not heard any more stays.
  var temporary: Duration { scaled(30_000) }

  /// How long a board is left alone before it is taken off a tray; not scaled, for on a full line a board waits its turn for another attempt.
  var trayRest: Duration { .seconds(90) }

  func scaled(_ milliseconds: Int) -> Duration { scaled(.milliseconds(milliseconds)) }
  func scaled(_ duration: Duration) -> Duration { duration * scale }
}
