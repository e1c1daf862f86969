/// What is written to Secure DFU's control point over Bluetooth (nordic-dfu.md §3.3).
public enum SecureRequest: Hashable, Sendable {
  case create(SecureObjectType, size: UInt32)
  case setReceipts(every: UInt16)
  case checksum
  case execute
  case select(SecureObjectType)
  case abort

  public var bytes: [UInt8] {
    switch self {
    case .create(let type, let size): [SecureOpCode.create.rawValue, type.rawValue] + size.littleEndianBytes
    case .setReceipts(let interval): [SecureOpCode.setReceipts.rawValue] + interval.littleEndianBytes
    case .checksum: [SecureOpCode.checksum.rawValue]
    case .execute: [SecureOpCode.execute.rawValue]
    case .select(let type): [SecureOpCode.select.rawValue, type.rawValue]
    case .abort: [SecureOpCode.abort.rawValue]
    }
  }

  public var op: SecureOpCode {
    switch self {
    case .create: .create
    case .setReceipts: .setReceipts
    case .checksum: .checksum
    case .execute: .execute
    case .select: .select
    case .abort: .abort
    }
  }
}
