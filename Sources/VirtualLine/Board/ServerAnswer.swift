/// What a group's handler wants said and done.
struct ServerAnswer: Sendable {
  /// What happens beside the answer.
  enum Effect: Hashable, Sendable {
    case none
    /// The board resets soon after the answer has left, into its firmware loader when that was asked for.
    case reset(intoLoader: Bool)
    /// The board resets at once, without an answer.
    case crash
    /// The link goes, without an answer.
    case endLink(LinkEnd)
    /// Nothing is answered.
    case mute
    /// The last byte of an image was stored.
    case stored(image: Int, slot: Int)
  }

  var fields: [ReplyField]
  /// Time that flash takes before the answer can leave.
  var delay: Duration = .zero
  var effect = Effect.none
  /// What a SUIT board does by itself afterwards.
  var timers: [SUITTimer] = []

  init(_ fields: [ReplyField], delay: Duration = .zero, effect: Effect = .none) {
    self.fields = fields
    self.delay = delay
    self.effect = effect
  }
}

/// How a link ends, from the central's point of view.
public enum LinkEnd: Hashable, Sendable {
  /// Silence until the supervision timeout.
  case lost
  /// A disconnection by the board.
  case closed
}
