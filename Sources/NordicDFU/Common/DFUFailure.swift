/// Why a board was not updated, or not brought into its bootloader.
public enum DFUFailure: Error, Hashable, Sendable {
  /// Nothing was written.
  case partInvalid(PartComplaint)
  /// A Legacy bootloader's answer; the status may be one that the protocol does not know.
  case legacyRefused(LegacyOpCode, status: UInt8)
  /// The Legacy answer `10 02 06`: wrong board, wrong SoftDevice, or another protocol's init packet of this many bytes.
  case initPacketRefused(length: Int)
  /// A Secure bootloader's answer; the object is the one in hand.
  case secureRefused(SecureOpCode, SecureObjectType, SecureRefusal)
  /// An application did not start its bootloader; the status may be one that the protocol does not know.
  case entryRefused(status: UInt8)
  /// A receipt named another number of bytes than were sent.
  case bytesLost(expected: Int, received: Int)
  /// The object that ends at this offset arrived wrong, more often than the limit.
  case checksumWrong(DFUData, end: Int)
  /// The largest object of the board is of no use, in bytes.
  case objectSizeUnusable(Int)
  /// A response lacks the numbers that belong to it.
  case answerTooShort(SecureOpCode)
  /// The board stopped answering.
  case silent(DFUWait, offset: Int)
  case linkLost(offset: Int)
  /// The board did not accept a write: the first byte of the request.
  case writeRefused(UInt8)
  /// Connected again, and there is neither bootloader nor a way into one.
  case noBootloader
  /// Connected again, and it is still the application.
  case stillApplication
  case cancelled

  /// What may follow (nordic-dfu.md §2.9, §10.1).
  public var recovery: DFURecovery {
    switch self {
    case .partInvalid, .initPacketRefused: .package
    case .legacyRefused(let op, let status): Self.recovery(op, LegacyStatus(rawValue: status))
    case .secureRefused(_, _, let refusal): refusal.recovery
    case .entryRefused(let status): ButtonlessStatus(rawValue: status)?.isTransient == false ? .never : .again
    case .bytesLost, .checksumWrong, .silent, .linkLost: .gentler
    case .answerTooShort, .writeRefused, .noBootloader, .stillApplication: .again
    case .objectSizeUnusable, .cancelled: .never
    }
  }

  /// Packets between receipts of the next try: half as many after trouble on the way, never less than one. Receipts that were off are switched on.
  public func receiptInterval(after interval: Int) -> Int {
    guard recovery == .gentler else { return interval }
    return interval == 0 ? SecureTransfer.Settings.receiptsAfterTrouble : max(1, interval / 2)
  }

  /// True when a Secure bootloader refuses a part because it, or a newer one, seems to be installed: after an update that was cut between
  /// its parts, the next part may be tried (nordic-dfu.md §3.5).
  public var suggestsPartIsPresent: Bool {
    switch self {
    case .secureRefused(_, _, .extended(.firmwareVersionTooLow)), .secureRefused(_, _, .extended(.firmwareAlreadyPresent)): true
    default: false
    }
  }

  private static func recovery(_ op: LegacyOpCode, _ status: LegacyStatus?) -> DFURecovery {
    switch (op, status) {
    case (.start, .invalidState): .again
    case (.start, .notSupported), (.start, .sizeExceedsLimit): .package
    case (.initPacket, .invalidState): .gentler
    case (.initPacket, .some): .package
    case (.receiveImage, .notSupported): .package
    case (.validate, .invalidState): .gentler
    case (.validate, _): .verify
    default: .gentler
    }
  }
}
