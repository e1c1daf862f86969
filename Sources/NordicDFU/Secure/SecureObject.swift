/// An object in hand: the init packet, or a piece of the image.
struct SecureObject: Hashable, Sendable {
  var type: SecureObjectType
  /// In the init packet or the image.
  var start: Int
  var end: Int

  var size: UInt32 { UInt32(clamping: end - start) }
  var data: DFUData { type == .command ? .initPacket : .image }
}

/// A request of a Secure transfer, and what it is for.
enum SecureStep: Hashable, Sendable {
  /// What follows a change of the receipt interval.
  enum After: Hashable, Sendable {
    case create(SecureObject)
    case send(SecureObject, from: Int)
    case selectData
  }

  case select(SecureObjectType)
  case setReceipts(Int, then: After)
  case create(SecureObject)
  case checksum(SecureObject)
  /// Resumed: the board had the whole object before this transfer began.
  case execute(SecureObject, isResumed: Bool)

  var request: SecureRequest {
    switch self {
    case .select(let type): .select(type)
    case .setReceipts(let interval, _): .setReceipts(every: UInt16(clamping: interval))
    case .create(let object): .create(object.type, size: object.size)
    case .checksum: .checksum
    case .execute: .execute
    }
  }

  /// Which object a refusal is about.
  var type: SecureObjectType {
    switch self {
    case .select(let type): type
    case .setReceipts(_, .create(let object)), .setReceipts(_, .send(let object, _)): object.type
    case .setReceipts(_, .selectData): .data
    case .create(let object), .checksum(let object), .execute(let object, _): object.type
    }
  }
}
