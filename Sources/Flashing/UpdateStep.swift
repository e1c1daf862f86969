extension UpdatePlan {
  /// One thing to do. A number is the place of an image in the target.
  public enum Step: Hashable, Sendable {
    case upload(Int)
    /// Empties a slot that is not running: somebody else's image is pending there.
    case eraseOther(image: Int, slot: Int)
    /// Image state write with the hash: run it once at the next start.
    case markForTest(Int)
    /// Image state write with hash and confirm: run it for good from the next start on.
    case markPermanent(Int)
    /// Image state write that confirms a running image.
    case confirmRunning(Int)
    /// Give the firmware loader its name and start it.
    case enterLoader
    case reset(ResetReason)
    /// The end, and what it stands on: `imageHash` only when every image was read back.
    case finished(Outcome, ImageState, by: Verification = .imageHash)
    case failed(FailureCode, String)
  }

  public enum ResetReason: Hashable, Sendable {
    /// Our images are to run.
    case swap
    /// An unconfirmed or foreign pending image has to go first, or the firmware loader is left with nothing done.
    case clear
  }

  /// What one image needs next.
  enum Need: Hashable, Sendable {
    /// It is where the mode wants it; not read for an image that the board does not show.
    case nothing(ImageState, isRead: Bool = true)
    case confirm(Int)
    /// It waits for the reset that brings it into use.
    case swap
    case mark(Int, permanent: Bool)
    case upload(Int)
    case erase(slot: Int)
    /// A reset has to come first; why.
    case clear(String)
    case fail(FailureCode, String)

    /// Whether it runs, and the next reset gives it up.
    var isOnTrial: Bool {
      switch self {
      case .confirm, .nothing(.testing, _): true
      default: false
      }
    }

    /// Whether a reset is still to come for it.
    var isStillToCome: Bool {
      switch self {
      case .nothing, .confirm, .fail: false
      case .swap, .mark, .upload, .erase, .clear: true
      }
    }
  }
}
