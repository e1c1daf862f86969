public import Bluetooth

/// Everything an update of one kind of board needs to know: the image, the mode, and what the profile says.
public struct UpdateOrder: Sendable {
  /// The image file's bytes, exactly as they go to the board.
  public var image: [UInt8]
  /// SHA-256 over `image`: the server's key for resuming (facts/smp.md §4.2), 32 bytes.
  public var imageSHA256: [UInt8]
  /// The MCUboot hash, by which the board names the image.
  public var hash: [UInt8]
  /// In SMP's form (`1.2.3` or `1.2.3.4`).
  public var version: String
  public var imageNumber: Int
  public var mode: UpgradeMode
  /// How the board is paired before anything is asked of it; nil: not at all.
  public var pairing: PairingMethod?
  public var identity: IdentityRule
  public var allowsDowngrade: Bool
  /// Nil: as deep as the board's buffers allow.
  public var pipelineDepth: Int?
  /// Chunk lengths are a multiple of this (1: as they come).
  public var alignment: Int
  /// Overrides what the board reports of its reassembly buffer; nil: believe the board.
  public var reassemblyBufferSize: Int?
  public var erasesSettings: Bool
  /// The bootloader mode to assume when the board tells none.
  public var assumedBootloaderMode: Int?
  /// How long the swap is expected to take; only shown, never slept.
  public var estimatedSwapTime: Duration?

  public init(
    image: [UInt8], imageSHA256: [UInt8], hash: [UInt8], version: String, imageNumber: Int = 0, mode: UpgradeMode = .testAndConfirm,
    pairing: PairingMethod? = nil, identity: IdentityRule = IdentityRule(), allowsDowngrade: Bool = false, pipelineDepth: Int? = nil, alignment: Int = 1,
    reassemblyBufferSize: Int? = nil,
    erasesSettings: Bool = false, assumedBootloaderMode: Int? = nil, estimatedSwapTime: Duration? = nil
  ) {
    self.image = image
    self.imageSHA256 = imageSHA256
    self.hash = hash
    self.version = version
    self.imageNumber = imageNumber
    self.mode = mode
    self.pairing = pairing
    self.identity = identity
    self.allowsDowngrade = allowsDowngrade
    self.pipelineDepth = pipelineDepth
    self.alignment = alignment
    self.reassemblyBufferSize = reassemblyBufferSize
    self.erasesSettings = erasesSettings
    self.assumedBootloaderMode = assumedBootloaderMode
    self.estimatedSwapTime = estimatedSwapTime
  }
}
