/// What a board does when something is written to it.
struct Reaction {
  var notifications: [[UInt8]] = []
  /// The write's response gets lost.
  var isUnanswered = false
  /// The link ends behind it all.
  var dropsLink = false

  static let nothing = Reaction()
  static let reset = Reaction(dropsLink: true)

  static func notify(_ bytes: UInt8...) -> Reaction { Reaction(notifications: [bytes]) }
}

/// A board's side of a transfer; written from the facts, without the room's codecs.
protocol FakeBoard {
  mutating func control(_ bytes: [UInt8]) -> Reaction
  mutating func packet(_ bytes: [UInt8]) -> Reaction
}
