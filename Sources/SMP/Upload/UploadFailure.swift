/// Why an upload ended without the image on the board.
public enum UploadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file is shorter than an MCUboot image header. Nothing was sent.
  case imageTooShort(length: Int)
  /// A first request cannot hold the first 32 bytes of the image. Nothing was sent.
  case requestTooSmall(requestSize: Int)
  /// The board refused, finally or too often.
  case refused(SMPResponseError, offset: Int)
  /// The board stopped answering.
  case silent(offset: Int)
  /// The board answers, but names no offset beyond this one any more.
  case noProgress(offset: Int)
  /// The board named an offset that it was never sent: another client may be uploading to it.
  case offsetUnexpected(Int)
  /// What the board has written is not what was sent.
  case mismatch
  /// The board forgot the upload more often than the limit.
  case restartedTooOften(limit: Int)

  public var description: String {
    switch self {
    case .imageTooShort(let length): "the image has only \(length) bytes, less than an image header"
    case .requestTooSmall(let size): "the link carries requests of only \(size) bytes, too few for an upload: the board must allow a larger MTU"
    case .refused(let error, let offset): "the board refused the upload at byte \(offset): \(error)"
    case .silent(let offset): "the board stopped answering at byte \(offset) of the upload"
    case .noProgress(let offset): "the board does not get beyond byte \(offset) of the upload"
    case .offsetUnexpected(let offset): "the board asks for byte \(offset), which it was not sent up to: is another program uploading to it?"
    case .mismatch: "the board's checksum of the uploaded image is wrong"
    case .restartedTooOften(let limit): "the board forgot the upload more than \(limit) times"
    }
  }
}
