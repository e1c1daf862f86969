public import SMP

/// What a board says is installed, by whichever commands it says so.
public struct SUITBoardState: Hashable, Sendable {
  /// Of every manifest that is installed.
  public var digests: Set<[UInt8]>
  /// Of the root manifest: the application's, or the one that is wanted.
  public var digest: [UInt8]?
  public var sequenceNumber: UInt64?
  public var version: String?
  /// The board refuses an older root manifest.
  public var forbidsDowngrade: Bool

  public init(
    digests: Set<[UInt8]> = [], digest: [UInt8]? = nil, sequenceNumber: UInt64? = nil, version: String? = nil, forbidsDowngrade: Bool = false
  ) {
    self.digests = digests
    self.digest = digest
    self.sequenceNumber = sequenceNumber
    self.version = version
    self.forbidsDowngrade = forbidsDowngrade
  }

  /// From group 66: all manifests of a board.
  ///
  /// - Parameter wanted: the digest that is to be installed; the manifest that has it is the one that was meant, whatever its role.
  public init(_ manifests: [SUITRole: SUITManifestState], wanted: [UInt8]) {
    let sorted = manifests.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    let root = sorted.first { $0.digest == wanted } ?? manifests[.applicationRoot] ?? sorted.first { $0.digest != nil }
    self.init(
      digests: Set(sorted.compactMap(\.digest)), digest: root?.digest, sequenceNumber: root?.sequenceNumber, version: root?.versionText,
      forbidsDowngrade: root?.downgradePolicy == .enabled)
  }

  /// From the image group: slot 0 of image 0 is the installed root, its version the sequence number (device-manager.md §4.4).
  public init(_ images: [ImageSlot]) {
    let root = images.first { $0.image == 0 && $0.slot == 0 }
    self.init(
      digests: Set([root?.hash].compactMap { $0 }), digest: root?.hash, sequenceNumber: root.flatMap { UInt64($0.version) }, version: root?.version)
  }

  /// What the columns `firmware_before` and `firmware_after` show: the sequence number, by which SUIT orders manifests; else the semantic version.
  public var text: String? { sequenceNumber.map(String.init) ?? version }
}
