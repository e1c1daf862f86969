/// How one image number of a board is built; what is not given is the board's.
public struct ImageSettings: Hashable, Sendable, Codable {
  /// Version of the image that is there at first.
  public var version: String?
  /// Kind of its hash, as in `BoardSettings`.
  public var hash: UInt16?
  /// A network core that keeps no old image has 2, overwrite-only.
  public var bootMode: BootMode?
  public var listing = ImageListing.full
  /// False: the image list never shows `active` for it, as builds that call only the application active.
  public var active = true

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case version, hash, bootMode, listing, active
  }

  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decodeIfPresent(version, .version)
    hash = try values.decodeIfPresent(hash, .hash)
    bootMode = try values.decodeIfPresent(bootMode, .bootMode)
    listing = try values.decodeIfPresent(listing, .listing)
    active = try values.decodeIfPresent(active, .active)
  }
}

/// The firmware loader of a board without a second slot for its application (smp.md §6, "Bare metal").
public struct LoaderSettings: Hashable, Sendable, Codable {
  /// The name that it advertises when the application has saved no other.
  public var name = "FL_LOADER"
  public var version = "0.9.0"
  /// True: it advertises at the application's address.
  public var sameAddress = false
  /// False: it has no Device Information Service.
  public var information = true

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case name, version, sameAddress, information
  }

  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decodeIfPresent(name, .name)
    version = try values.decodeIfPresent(version, .version)
    sameAddress = try values.decodeIfPresent(sameAddress, .sameAddress)
    information = try values.decodeIfPresent(information, .information)
  }
}

extension BoardSettings {
  /// Most images of a board; more than any public build has.
  public static let imageLimit = 4

  public var imageCount: Int { min(max(1, images.count), Self.imageLimit) }

  public func image(_ number: Int) -> ImageSettings { images.indices.contains(number) ? images[number] : ImageSettings() }

  /// Nil for a number that is no kind of hash.
  func digest(of number: Int) -> ImageDigest? { ImageDigest(rawValue: image(number).hash ?? hash) }

  func mode(of number: Int) -> BootMode { image(number).bootMode ?? bootMode }

  /// Where the two slots of an image begin.
  func slotAddresses(of number: Int) -> [UInt32] {
    [0, 1].map { UInt32(clamping: slotAddress + (2 * number + $0) * slotSize) }
  }

  /// Where an image must run when it lies in a slot.
  public func place(of number: Int, slot: Int) -> VirtualFirmware.Place {
    switch mode(of: number) {
    case .directXIP, .directXIPRevert: .flash(slotAddresses(of: number)[slot == 0 ? 0 : 1])
    case .ramLoad, .singleRAMLoad: .memory(FirstImages.memory)
    case .single, .swapScratch, .overwrite, .swapMove, .firmwareLoader, .swapOffset: .anywhere
    }
  }
}
