/// How long a board may take for each step of an update, and the pauses that some boards need (nordic-dfu.md §5.1, §5.3; metaboot.md §5.9).
public struct DFULimits: Hashable, Sendable {
  public var write = Duration.seconds(10)
  public var erase = Duration.seconds(60)
  public var initPacket = Duration.seconds(30)
  public var receipt = Duration.seconds(10)
  public var complete = Duration.seconds(60)
  public var validate = Duration.seconds(30)
  public var answer = Duration.seconds(20)
  /// Longer than a supervision timeout (4 to 6 s): some boards only fall silent.
  public var activation = Duration.seconds(10)
  public var reset = Duration.seconds(5)
  public var handoff = Duration.seconds(5)

  /// Before the start of a Legacy bootloader without a version; 0.6 s were too short.
  public var beforeStart = Duration.seconds(1)
  /// Before the image, when the old start form was used.
  public var beforeOldImage = Duration.seconds(2)
  /// Before the first Secure data object: the page is still being erased when the board has answered.
  public var beforeFirstObject = Duration.milliseconds(400)
  /// After the link's end, until the bootloader advertises.
  public var settle = Duration.milliseconds(1500)
  /// Before a busy application is asked once more.
  public var busy = Duration.milliseconds(500)

  public init() {}

  public subscript(wait: DFUWait) -> Duration {
    switch wait {
    case .write: write
    case .erase: erase
    case .initPacket: initPacket
    case .receipt: receipt
    case .complete: complete
    case .validate: validate
    case .answer: answer
    case .activation: activation
    case .reset: reset
    case .handoff: handoff
    }
  }
}
