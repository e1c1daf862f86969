public import SMP

/// What was just read of a board, for its plan.
public struct BoardReading: Hashable, Sendable {
  /// Which of its programs answered.
  public enum Place: Hashable, Sendable {
    case application
    /// The firmware loader of a bare metal board (facts/device-manager.md §1.7).
    case loader
  }

  public var place: Place
  /// The image list; nil when the program does not have the command (rc 8).
  public var slots: [ImageSlot]?
  /// The version that the application tells in its Device Information Service; nil when it tells none.
  public var version: String?
  /// Numbers of the images that the board has flash for; nil when it does not tell.
  public var images: Set<Int>?

  public init(_ slots: [ImageSlot]?, place: Place = .application, version: String? = nil, images: Set<Int>? = nil) {
    self.slots = slots
    self.place = place
    self.version = version
    self.images = images
  }
}
