public import Bluetooth

/// Everything a SUIT update of one kind of board needs to know: the envelope, its caches, where resources come from, and what the profile says.
public struct SUITOrder: Sendable {
  /// The content of a cache partition.
  public struct Cache: Hashable, Sendable {
    public var partition: Int
    public var bytes: [UInt8]

    public init(partition: Int, bytes: [UInt8]) {
      self.partition = partition
      self.bytes = bytes
    }
  }

  /// The largest resource that is sent, in bytes; a board's whole memory is smaller.
  public static let resourceLimit = 32 << 20
  /// Bytes of a SHA-256.
  public static let digestLength = 32
  /// Cache partitions of one order; a board has a handful.
  public static let cacheLimit = 16

  /// The envelope's bytes, exactly as they go to the board.
  public var envelope: [UInt8]
  /// SHA-256 of the envelope's root manifest, by which the board names what is installed, 32 bytes.
  public var digest: [UInt8]
  /// What SUIT orders manifests by; nil when the envelope does not tell it.
  public var sequenceNumber: UInt64?
  /// Sent in this order, after the envelope.
  public var caches: [Cache]
  /// Where the resources come from that the board asks for.
  public var resources: any SUITResourceProvider
  /// How the board is paired before anything is asked of it; nil: not at all.
  public var pairing: PairingMethod?
  public var identity: IdentityRule
  public var allowsDowngrade: Bool
  /// Requests under way at once on boards that take SUIT over the image group; nil: as deep as the board's buffers allow. Group 66 gets one at a time.
  public var pipelineDepth: Int?
  /// Overrides what the board reports of its reassembly buffer; nil: believe the board.
  public var reassemblyBufferSize: Int?

  public init(
    envelope: [UInt8], digest: [UInt8], sequenceNumber: UInt64?, caches: [Cache] = [], resources: any SUITResourceProvider = SUITResources(),
    pairing: PairingMethod? = nil, identity: IdentityRule = IdentityRule(), allowsDowngrade: Bool = false, pipelineDepth: Int? = nil,
    reassemblyBufferSize: Int? = nil
  ) {
    self.envelope = envelope
    self.digest = digest
    self.sequenceNumber = sequenceNumber
    self.caches = caches
    self.resources = resources
    self.pairing = pairing
    self.identity = identity
    self.allowsDowngrade = allowsDowngrade
    self.pipelineDepth = pipelineDepth
    self.reassemblyBufferSize = reassemblyBufferSize
  }

  /// In records: what is installed, as text.
  public var version: String { sequenceNumber.map(String.init) ?? "" }
}
