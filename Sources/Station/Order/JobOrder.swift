public import Firmware
public import Flashing

/// A job that passed the preflight check: which boards get which image, and under which words it is recorded.
public struct JobOrder: Sendable {
  /// What boards of one profile get.
  public struct Item: Sendable {
    public var profile: BoardProfile
    public var package: FirmwarePackage
    public var update: UpdateOrder
  }

  public var job: JobKind
  /// By the profile's name; never empty.
  public var items: [Item]
  public var lot: String?
  public var workOrder: String?
  public var `operator`: String?
  /// What is odd but does not stop the job, one line each.
  public var warnings: [String]

  /// The batch that this job starts or continues.
  public var key: BatchKey {
    BatchKey(job: job, profiles: items.map(\.profile.name), packages: items.map(\.package.sha256.hex), lot: lot, workOrder: workOrder)
  }

  /// Admission by the profiles of this order; its profile numbers are places in `items`.
  public var admission: Admission { Admission(profiles: items.map(\.profile)) }
}

extension UpdateOrder {
  /// The order for the one image of a package, as a profile wants it done.
  init(_ image: PackageImage, for profile: BoardProfile) {
    let identity = IdentityRule(
      model: profile.identity.modelNumber, hardware: profile.identity.hardwareRevision, manufacturer: profile.identity.manufacturer,
      needsSerial: profile.identity.serial != .none)
    let upgrade = profile.upgrade
    self.init(
      image: image.bytes, imageSHA256: image.sha256.bytes, hash: image.image.hash.bytes, version: image.image.version.smpText, imageNumber: image.number,
      mode: upgrade.mode, identity: identity, allowsDowngrade: profile.firmware.allowDowngrade, pipelineDepth: upgrade.pipelineDepth,
      alignment: upgrade.byteAlignment, reassemblyBufferSize: upgrade.reassemblyBufferSize, erasesSettings: upgrade.eraseAppSettings,
      assumedBootloaderMode: upgrade.bootloaderMode.map(Int.init), estimatedSwapTime: upgrade.estimatedSwapTime == .zero ? nil : upgrade.estimatedSwapTime)
  }
}
