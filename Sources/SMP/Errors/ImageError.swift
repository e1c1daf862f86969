/// Errors of the image group (1), smp.md §1.5.
public enum ImageError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case flashConfigurationQuery
  case noImage
  case noTLVs
  case invalidTLV
  case severalHashTLVs
  case invalidTLVSize
  case hashNotFound
  case noFreeSlot
  case flashOpen
  case flashRead
  case flashWrite
  case flashErase
  case invalidSlot
  case outOfMemory
  case flashContextAlreadySet
  case flashContextNotSet
  case flashAreaMissing
  case invalidPageOffset
  case offsetMissing
  case lengthMissing
  case firstChunkTooShort
  case headerMagicWrong
  case hashInvalid
  case addressMismatch
  case versionUnreadable
  case runningVersionNewer
  case alreadyPending
  case vectorTableInvalid
  case imageTooLarge
  case dataOverrun
  case confirmationDenied
  case testOfActiveDenied
  case activeSlotUnknown

  public var sentence: String {
    switch self {
    case .unknown: "the board's image management reports an error without a reason"
    case .flashConfigurationQuery: "the board cannot read its flash layout"
    case .noImage: "there is no image in the slot"
    case .noTLVs: "the image in the slot has no trailer with its hash"
    case .invalidTLV: "the image's trailer holds an entry of a wrong type or length"
    case .severalHashTLVs: "the image's trailer holds more than one hash"
    case .invalidTLVSize: "the image's trailer has a wrong size"
    case .hashNotFound: "no slot holds an image with this hash"
    case .noFreeSlot: "no slot is free: the running image is not confirmed, or the other slot is in use"
    case .flashOpen: "the board cannot open its flash"
    case .flashRead: "the board cannot read its flash"
    case .flashWrite: "the board cannot write its flash"
    case .flashErase: "the board cannot erase its flash"
    case .invalidSlot: "the board has no such slot"
    case .outOfMemory: "the board has no memory left to write an image"
    case .flashContextAlreadySet: "the board is writing an image already"
    case .flashContextNotSet: "the board has lost track of the image it was writing"
    case .flashAreaMissing: "the board's flash device is missing"
    case .invalidPageOffset: "the board computed a flash page that does not exist"
    case .offsetMissing: "the board found no valid offset in the upload request"
    case .lengthMissing: "the board found no image length in the first upload request"
    case .firstChunkTooShort: "the first piece of the image is shorter than an image header"
    case .headerMagicWrong: "the file is not an MCUboot image: its header does not begin with the magic number"
    case .hashInvalid: "the board finds the hash in the request invalid"
    case .addressMismatch: "the image is linked for another address than the slot's: it is the build for the other slot"
    case .versionUnreadable: "the board cannot read an image's version"
    case .runningVersionNewer: "the running image is as new as this one, or newer"
    case .alreadyPending: "the board already has an image change pending: it must restart first"
    case .vectorTableInvalid: "the image's vector table is not valid"
    case .imageTooLarge: "the image is larger than the slot"
    case .dataOverrun: "more data came than the announced image length"
    case .confirmationDenied: "the board does not allow this image to be confirmed"
    case .testOfActiveDenied: "the running image cannot be set to test"
    case .activeSlotUnknown: "the board does not know which slot is running"
    }
  }
}
