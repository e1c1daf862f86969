extension DFUFailure: CustomStringConvertible {
  /// One sentence for an operator: what happened, and what to do about it where that is known.
  public var description: String {
    switch self {
    case .partInvalid(let complaint): complaint.sentence
    case .legacyRefused(let op, let status): Self.sentence(op, status)
    case .initPacketRefused(let length): Self.initPacketRefused(length)
    case .secureRefused(let op, let object, let refusal): "the bootloader refused \(Self.phrase(op, object)): \(refusal.sentence)"
    case .entryRefused(let status):
      "the application did not start its bootloader: \(ButtonlessStatus(rawValue: status)?.sentence ?? "it answered with the unknown status \(status)")"
    case .bytesLost(let expected, let received):
      "the board counts \(received) bytes of the image where \(expected) were sent: packets were lost, fewer packets between receipts help"
    case .checksumWrong(.initPacket, _): "the init packet arrived wrong again and again"
    case .checksumWrong(.image, let end): "the piece of the image that ends at byte \(end) arrived wrong again and again"
    case .objectSizeUnusable(let size): "the bootloader takes objects of \(size) bytes, which no image can be cut into"
    case .answerTooShort(let op): "the bootloader's answer to request \(op.rawValue) is too short"
    case .silent(let wait, let offset): "the board was silent \(wait.phrase)\(offset > 0 ? ", at byte \(offset)" : "")"
    case .linkLost(let offset): "the link was lost\(offset > 0 ? " at byte \(offset) of the image" : " before the image was sent")"
    case .writeRefused(let op): "the board did not accept request \(op) on its control point"
    case .noBootloader: "the board came back without a DFU service"
    case .stillApplication: "the board came back in its application instead of its bootloader"
    case .cancelled: "the update was stopped"
    }
  }

  private static func sentence(_ op: LegacyOpCode, _ status: UInt8) -> String {
    switch (op, LegacyStatus(rawValue: status)) {
    case (.start, .invalidState): "the bootloader remembers an update that was never finished; it was reset"
    case (.start, .notSupported): "the bootloader does not take this kind of image, or its sizes"
    case (.start, .sizeExceedsLimit): "the image is too large for the board"
    case (.receiveImage, .operationFailed): "the bootloader's buffers overflowed: fewer packets between receipts help"
    case (.receiveImage, .sizeExceedsLimit): "the bootloader received more bytes than the image has"
    case (.receiveImage, .notSupported): "the bootloader does not take packets of this length"
    case (.validate, .checksumError): "the checksum of the received image is wrong"
    case (_, let known?): "the bootloader refused \(phrase(op)): \(known.sentence)"
    case (_, nil): "the bootloader refused \(phrase(op)) with the unknown status \(status)"
    }
  }

  /// A longer one than a Legacy packet with one SoftDevice has betrays the other protocol (nordic-dfu.md §2.9).
  private static func initPacketRefused(_ length: Int) -> String {
    let reason = "the bootloader refused the init packet: the firmware is for another board, hardware revision or SoftDevice"
    return length > 14 ? reason + ", or for a Secure bootloader (\(length) bytes)" : reason
  }

  private static func phrase(_ op: LegacyOpCode) -> String {
    switch op {
    case .start: "the start"
    case .initPacket: "the init packet"
    case .receiveImage: "the image"
    case .validate: "the check of the image"
    case .activateAndReset: "to activate the image"
    case .reset: "to reset"
    case .reportReceivedSize: "to say what it has received"
    case .receiptRequest: "the receipts"
    case .response, .receipt: "a request"
    }
  }

  private static func phrase(_ op: SecureOpCode, _ object: SecureObjectType) -> String {
    let data = object == .command ? "the init packet" : "the image"
    return switch op {
    case .create: "room for \(data)"
    case .execute: data
    case .select: "to say what it has of \(data)"
    case .checksum: "the checksum of \(data)"
    case .setReceipts: "the receipts"
    default: "request \(op.rawValue)"
    }
  }
}
