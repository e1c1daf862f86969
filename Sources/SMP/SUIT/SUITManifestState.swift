/// What a board says of one installed SUIT manifest (group 66, command 1; device-manager.md §4.2).
public struct SUITManifestState: Hashable, Sendable {
  /// Bytes of a class or vendor identifier: a UUID.
  public static let identifierLength = 16
  /// Numbers of the longest semantic version: three, a release type and its number.
  public static let versionParts = 5
  /// The digest algorithm that updates are made with: SHA-256, as COSE numbers it.
  public static let sha256 = -16

  /// Whether an older manifest may be installed.
  public enum DowngradePolicy: Int, Hashable, Sendable {
    case disabled = 1
    /// A lower version is refused by the board.
    case enabled = 2
    case unknown = 3
  }

  /// Whether the manifest may be installed without its parent.
  public enum UpdatePolicy: Int, Hashable, Sendable {
    case denied = 1
    case allowed = 2
    case unknown = 3
  }

  /// When signatures are checked.
  public enum SignaturePolicy: Int, Hashable, Sendable {
    case disabled = 1
    case onUpdate = 2
    case onUpdateAndBoot = 3
    case unknown = 4
  }

  /// What the check of the signature came to.
  public enum SignatureCheck: Int, Hashable, Sendable {
    case unknown = 1
    case notChecked = 2
    case failed = 3
    case passed = 4
  }

  public var classID: [UInt8]?
  public var vendorID: [UInt8]?
  public var downgradePolicy: DowngradePolicy
  public var updatePolicy: UpdatePolicy
  public var signaturePolicy: SignaturePolicy
  /// Of the installed manifest: 32 to 64 bytes; nil when none is installed.
  public var digest: [UInt8]?
  /// COSE's number: −16 SHA-256, −44 SHA-512.
  public var digestAlgorithm: Int?
  public var signatureCheck: SignatureCheck
  /// What SUIT orders manifests by; nil when none is installed.
  public var sequenceNumber: UInt64?
  /// As on the wire; a negative number is a release type: −1 rc, −2 beta, −3 alpha.
  public var semanticVersion: [Int]?

  public init(
    classID: [UInt8]? = nil, vendorID: [UInt8]? = nil, downgradePolicy: DowngradePolicy = .unknown, updatePolicy: UpdatePolicy = .unknown,
    signaturePolicy: SignaturePolicy = .unknown, digest: [UInt8]? = nil, digestAlgorithm: Int? = nil, signatureCheck: SignatureCheck = .unknown,
    sequenceNumber: UInt64? = nil, semanticVersion: [Int]? = nil
  ) {
    self.classID = classID
    self.vendorID = vendorID
    self.downgradePolicy = downgradePolicy
    self.updatePolicy = updatePolicy
    self.signaturePolicy = signaturePolicy
    self.digest = digest
    self.digestAlgorithm = digestAlgorithm
    self.signatureCheck = signatureCheck
    self.sequenceNumber = sequenceNumber
    self.semanticVersion = semanticVersion
  }

  init(_ body: CBORValue) throws(SMPDecodeError) {
    self.init(
      classID: try Self.identifier(body, "class_id"), vendorID: try Self.identifier(body, "vendor_id"),
      downgradePolicy: DowngradePolicy(rawValue: try body.optionalInteger("downgrade_prevention_policy") ?? 0) ?? .unknown,
      updatePolicy: UpdatePolicy(rawValue: try body.optionalInteger("independent_updateability_policy") ?? 0) ?? .unknown,
      signaturePolicy: SignaturePolicy(rawValue: try body.optionalInteger("signature_verification_policy") ?? 0) ?? .unknown,
      digest: try Self.digest(body), digestAlgorithm: try body.optionalInteger("digest_algorithm"),
      signatureCheck: SignatureCheck(rawValue: try body.optionalInteger("signature_check") ?? 0) ?? .unknown,
      sequenceNumber: try Self.sequenceNumber(body), semanticVersion: try Self.version(body))
  }

  /// The semantic version as people write it: `1.2.3`, `1.2.3-rc2`; nil when the board tells none.
  public var versionText: String? {
    guard let semanticVersion, !semanticVersion.isEmpty else { return nil }
    var text = ""
    var follows = ""
    for part in semanticVersion {
      switch part {
      case 0...: text += follows + String(part)
      case -1: text += "-rc"
      case -2: text += "-beta"
      case -3: text += "-alpha"
      default: text += "-release\(part)"
      }
      follows = part < 0 ? "" : "."
    }
    return text
  }

  private static func identifier(_ body: CBORValue, _ key: String) throws(SMPDecodeError) -> [UInt8]? {
    guard let bytes = try body.optionalBytes(key), !bytes.isEmpty else { return nil }
    guard bytes.count == identifierLength else { throw .outOfRange(key) }
    return bytes
  }

  private static func digest(_ body: CBORValue) throws(SMPDecodeError) -> [UInt8]? {
    guard let bytes = try body.optionalBytes("digest"), !bytes.isEmpty else { return nil }
    guard bytes.count <= ImageSlot.longestHash else { throw .outOfRange("digest") }
    return bytes
  }

  private static func sequenceNumber(_ body: CBORValue) throws(SMPDecodeError) -> UInt64? {
    switch body["sequence_number"] {
    case nil, .null?: return nil
    case .unsigned(let number)?: return number
    case .negative?: throw .outOfRange("sequence_number")
    default: throw .wrongType("sequence_number")
    }
  }

  private static func version(_ body: CBORValue) throws(SMPDecodeError) -> [Int]? {
    guard let value = body["semantic_version"], value != .null else { return nil }
    guard let parts = value.array else { throw .wrongType("semantic_version") }
    guard parts.count <= versionParts else { throw .outOfRange("semantic_version") }
    let numbers = parts.compactMap(\.integer)
    guard numbers.count == parts.count else { throw .wrongType("semantic_version") }
    return numbers
  }
}
