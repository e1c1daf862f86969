public import Bluetooth
import Firmware

/// Everything an update of one kind of board needs to know: the images, the mode, and what the profile says.
public struct UpdateOrder: Sendable {
  /// The longest request that SMP's header can announce (facts/device-manager.md §2).
  public static let largestReassemblyBuffer = 65_535

  /// In the order in which they are uploaded. Two with the same number and different slots are the builds of one image for Direct-XIP.
  public var images: [UpdateImage]
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

  /// Values outside what means something are brought inside it, as the configuration of Nordic's library does (facts/device-manager.md §2).
  public init(
    images: [UpdateImage], mode: UpgradeMode = .testAndConfirm, pairing: PairingMethod? = nil, identity: IdentityRule = IdentityRule(),
    allowsDowngrade: Bool = false, pipelineDepth: Int? = nil, alignment: Int = 1, reassemblyBufferSize: Int? = nil, erasesSettings: Bool = false,
    assumedBootloaderMode: Int? = nil, estimatedSwapTime: Duration? = nil
  ) {
    self.images = images
    self.mode = mode
    self.pairing = pairing
    self.identity = identity
    self.allowsDowngrade = allowsDowngrade
    self.pipelineDepth = pipelineDepth.map { max(1, $0) }
    self.alignment = max(1, alignment)
    self.reassemblyBufferSize = reassemblyBufferSize.map { min(max(0, $0), Self.largestReassemblyBuffer) }
    self.erasesSettings = erasesSettings
    self.assumedBootloaderMode = assumedBootloaderMode
    self.estimatedSwapTime = estimatedSwapTime.map { max(.zero, $0) }
  }

  /// The numbers of the images, each once, ascending.
  public var numbers: [Int] { Set(images.map(\.number)).sorted() }

  /// The version that the job is about: image 0's, or that of the first image there is.
  public var version: String { (images.first { $0.number == 0 } ?? images.first)?.version ?? "" }

  /// The column `image_hash`: of one image its hash, of several `0:hex 1:hex`; of a Direct-XIP package both builds, until a board was read for which one is.
  public var imageHash: String {
    let sorted = images.sorted { ($0.number, $0.slot) < ($1.number, $1.slot) }
    if let only = sorted.first, sorted.count == 1 { return only.hash.hex }
    return sorted.map { "\($0.number):\($0.hash.hex)" }.joined(separator: " ")
  }
}
