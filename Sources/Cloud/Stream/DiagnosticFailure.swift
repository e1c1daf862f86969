public import Bluetooth

/// Why a board's chunks cannot be taken (any more).
public enum DiagnosticFailure: Error, Hashable, Sendable {
  /// The board has no diagnostic service, or not all of it.
  case notOffered(BluetoothUUID)
  /// Its service has features that this program does not know, and must not be used then: the first bytes.
  case unknownFeatures([UInt8])
  /// A value of the service is empty, too long or no text.
  case malformed(DiagnosticValue)
  /// ATT error 0x80 (facts/smp.md §8): somebody else takes the chunks.
  case otherClient
  /// ATT error 0x81: the board does not count us as subscribed.
  case notSubscribed
  /// The board answers encrypted links only: the stack's words.
  case notEncrypted(String)
  case pairingFailed(String)
  /// Anything else that the Bluetooth stack said.
  case link(CentralError)

  /// What the stack said, in terms of the service.
  public init(_ error: CentralError) {
    self =
      switch error {
      case .attributeMissing(let uuid): .notOffered(uuid)
      case .applicationError(0x80): .otherClient
      case .applicationError(0x81): .notSubscribed
      case .notPermitted(let words): .notEncrypted(words)
      case .pairingFailed(let words): .pairingFailed(words)
      default: .link(error)
      }
  }

  /// Whether the same may work a while later, without anybody's help.
  public var isPassing: Bool {
    switch self {
    case .otherClient, .notSubscribed, .pairingFailed, .link: true
    case .notOffered, .unknownFeatures, .malformed, .notEncrypted: false
    }
  }
}

extension DiagnosticFailure: CustomStringConvertible {
  /// What happened.
  public var description: String {
    switch self {
    case .notOffered(.diagnostics): "it has no diagnostic service (MDS)"
    case .notOffered(let uuid): "its diagnostic service lacks the characteristic \(uuid)"
    case .unknownFeatures(let bytes): "its diagnostic service has features that are not known (\(bytes.map(Self.hex).joined()))"
    case .malformed(let value): "the \(value.rawValue) in its diagnostic service is empty, too long or no text"
    case .otherClient: "another client takes its diagnostics (ATT error 0x80)"
    case .notSubscribed: "it does not count this station as subscribed (ATT error 0x81)"
    case .notEncrypted(let words): "it wants to be paired (\(words))"
    case .pairingFailed(let words): "it could not be paired (\(words))"
    case .link(let error): Self.words(error)
    }
  }

  /// What the operator can do about it.
  public var remedy: String {
    switch self {
    case .notOffered: "its application must be built with CONFIG_BT_MDS; if it is in its bootloader, start its application"
    case .unknownFeatures: "a newer Flashline may know them"
    case .malformed: "its application's access callbacks must be corrected"
    case .otherClient: "close the app or gateway that is connected to it"
    case .notSubscribed: "switch it off and on"
    case .notEncrypted: "observe it with --pairing, or with a profile that has pairing"
    case .pairingFailed: "check the pairing method and passkey, and that the board's bond storage is not full"
    case .link(.adapterGone), .link(.stackGone): "see flashline adapters"
    case .link: "check its power and distance"
    }
  }

  private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private static func words(_ error: CentralError) -> String {
    switch error {
    case .adapterGone: "the adapter is gone"
    case .stackGone(let words): "the Bluetooth service is away (\(words))"
    case .boardUnknown: "it is not heard any more"
    case .connectFailed(let words): "no connection came about (\(words))"
    case .connectTimedOut: "it did not answer the connection request"
    case .linkLost: "the link was lost"
    case .noAnswer(let words): "it does not answer (\(words))"
    case .applicationError(let code): "it answered with error 0x\(hex(code))"
    case .attributeMissing(let uuid): "it has no characteristic \(uuid)"
    case .notPermitted(let words), .pairingFailed(let words), .refused(let words): "the Bluetooth service refused: \(words)"
    }
  }
}
