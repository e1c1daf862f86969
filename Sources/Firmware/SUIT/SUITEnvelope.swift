/// A SUIT envelope: what the board is told to do, signed as a whole (nRF54H20 before IronSide).
///
/// Source: draft-ietf-suit-manifest (envelope: CBOR tag 107, members 2 and 3), facts/device-manager.md §4.1, facts/smp.md §7. The board judges it; here it
/// is read as far as an upload, a record and a preflight check need it.
public struct SUITEnvelope: Hashable, Sendable {
  /// What a digest was made with: a COSE algorithm identifier (RFC 9054).
  public struct Algorithm: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int64

    public init(rawValue: Int64) {
      self.rawValue = rawValue
    }

    public static let sha256 = Algorithm(rawValue: -16)
    public static let shake128 = Algorithm(rawValue: -18)
    public static let sha384 = Algorithm(rawValue: -43)
    public static let sha512 = Algorithm(rawValue: -44)
    public static let shake256 = Algorithm(rawValue: -45)

    /// The word that `inspect` prints; a number where there is none.
    public var description: String {
      switch self {
      case .sha256: "sha256"
      case .shake128: "shake128"
      case .sha384: "sha384"
      case .sha512: "sha512"
      case .shake256: "shake256"
      default: "\(rawValue)"
      }
    }

    /// The hash function, where this room can compute it.
    var kind: Digest.Kind? {
      switch self {
      case .sha256: .sha256
      case .sha384: .sha384
      case .sha512: .sha512
      default: nil
      }
    }
  }

  /// Whether the digest is that of the manifest.
  public enum DigestCheck: String, Hashable, Sendable {
    case matches, differs
    /// The algorithm is not computed here.
    case unchecked
  }

  /// A file that the envelope carries itself.
  public struct Payload: Hashable, Sendable {
    /// With its `#` in front, as the manifest names it.
    public let name: String
    /// Bytes.
    public let size: Int
  }

  /// The whole file, as it is uploaded.
  public let bytes: [UInt8]
  public let algorithm: Algorithm
  /// The digest of the manifest: a board reports it in the manifest's state.
  public let digest: [UInt8]
  public let digestCheck: DigestCheck
  /// Best effort: nil when the manifest does not say it in the usual place.
  public let sequenceNumber: UInt64?
  /// A signature stands beside the digest; whether it is right, the board decides.
  public let isSigned: Bool
  public let payloads: [Payload]
  /// Files that the envelope names as `file://NAME`, and that the board may ask for. Best effort, in order of appearance.
  public let requestedFiles: [String]
  /// Bytes behind the envelope in its file.
  public let trailingBytes: Int

  /// The SHA-256 of the manifest; nil when the digest has another algorithm, and the envelope then cannot be uploaded.
  public var sha256: [UInt8]? { algorithm == .sha256 ? digest : nil }
}
