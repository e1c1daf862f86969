/// What a DFU machine is waiting for; each has a limit of its own in `DFULimits`.
public enum DFUWait: String, Hashable, Sendable, CaseIterable {
  /// The response to a write.
  case write
  /// The board erases its flash before the answer to a Legacy start, or to the creation of a Secure object.
  case erase
  /// The answer to an init packet: the board checks a signature.
  case initPacket
  /// The next receipt: progress.
  case receipt
  /// The board writes the last bytes before it says that the image is complete.
  case complete
  /// The board checks the whole image.
  case validate
  /// The answer to a request that costs the board nothing.
  case answer
  /// The link's end after the image was activated.
  case activation
  /// The link's end after a reset or an abort.
  case reset
  /// The link's end after an application was asked to start its bootloader.
  case handoff

  /// For messages: the board was silent …
  public var phrase: String {
    switch self {
    case .write: "after a request was written"
    case .erase: "while it should erase its flash"
    case .initPacket: "after the init packet"
    case .receipt: "in the middle of the image"
    case .complete: "after the last byte of the image"
    case .validate: "while it should check the image"
    case .answer: "after a request"
    case .activation: "after the image was activated"
    case .reset: "after it was reset"
    case .handoff: "after it was asked to start its bootloader"
    }
  }
}
