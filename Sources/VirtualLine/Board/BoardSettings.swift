/// How one virtual board is built: its firmware's options, its flash and its times. All sizes in bytes, all durations in milliseconds.
///
/// Every key may be left out of the faults file; the defaults are an NCS build for fast updates (smp.md §2.1).
public struct BoardSettings: Hashable, Sendable, Codable {
  /// What it is; the other kinds than `smp` are built by `dfu` and by the identity and times here. In a faults file a word of `SMPKind` too: the other
  /// keys then change that board.
  public var kind = BoardKind.smp
  public var dfu = DFUSettings()
  public var suit = SUITSettings()
  /// ATT MTU that the board agrees to (23…517).
  public var mtu = 498
  /// `buf_size` and `buf_count` of OS params.
  public var bufferSize = 2475
  public var bufferCount = 4
  /// Whether a request may come in several write commands.
  public var reassembly = true
  /// False: OS params are not built (`rc` 8).
  public var params = true
  /// False: bootloader info is not built (`rc` 8).
  public var bootloaderInfo = true
  /// 1 = a server from before SMP version 2: answers carry version 0 and only `rc`.
  public var smpVersion = 2
  /// Answers with definite lengths instead of `bf … ff`.
  public var canonical = false
  /// `rc: 0` beside every good answer.
  public var legacyRC = false
  /// False flags are left out of the image list.
  public var frugal = false
  /// The last upload answer carries `match`.
  public var imageCheck = true
  /// Bytes of a notification when answers leave in pieces smaller than MTU − 3; 0 = MTU − 3.
  public var fragment = 0
  public var bootMode = BootMode.swapMove
  /// The mode that bootloader info tells when it is not `bootMode`: −1 for a version that has no number for it.
  public var reportedMode: Int?
  /// MCUboot refuses an image that is older than the running one, and bootloader info says so.
  public var noDowngrade = false
  public var slotSize = 0x69000
  /// Where the first slot begins; all others follow without a gap, image after image.
  public var slotAddress = 0x10000
  /// By image number, when there are several, or when one is not like the board: a network core, a patch for a radio.
  public var images: [ImageSettings] = []
  /// The number `image` of an upload names a slot: 1 and 2 of image 0, 3 and 4 of image 1.
  public var directUpload = false
  /// A running image of another number than 0 may be confirmed (`CONFIG_MCUMGR_GRP_IMG_ALLOW_CONFIRM_NON_ACTIVE_IMAGE_ANY`).
  public var confirmsOtherImages = false
  /// Images with another kind of hash than the one it begins with are neither listed nor started.
  public var oneHash = false
  /// Of a board with mode 7.
  public var loader = LoaderSettings()
  /// What its settings hold at first, by name.
  public var storage = ["app/counter": "1"]
  /// False: erase storage is not built (`rc` 8).
  public var eraseStorage = true
  /// Hash of the image that the board starts with: 16 = SHA-256, 17 = SHA-384, 18 = SHA-512 (the TLV's type).
  public var hash = ImageDigest.sha256.rawValue
  /// Version of the image that the board starts with.
  public var version = "1.0.0"
  /// Identity overrides for the Device Information Service; nil = the line's own.
  public var model: String?
  public var hardware: String?
  public var manufacturer: String?
  public var serial: String?
  public var name: String?
  /// Software revision of the Device Information Service; nil: the board has none, or with diagnostics `groups.softwareType`.
  public var software: String?
  /// Characteristics of the Device Information Service that the board does not have, as `2A25`.
  public var withheld: [String] = []
  /// Memfault's Diagnostic Service; nil: it is not built. Of boards with an SMP server.
  public var mds: DiagnosticSettings?
  /// The command groups beside os and image.
  public var groups = GroupSettings()
  /// Times: a request in the server, the erase before the first chunk when the slot is not blank, reset, boot, swap.
  public var serviceMilliseconds = 1
  public var eraseMilliseconds = 80
  public var resetMilliseconds = 250
  public var bootMilliseconds = 600
  public var swapMilliseconds = 1200

  public init() {}

  /// The keys of the faults file.
  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind
    case dfu
    case suit
    case mtu
    case bufferSize
    case bufferCount
    case reassembly
    case params
    case bootloaderInfo
    case smpVersion
    case canonical
    case legacyRC
    case frugal
    case imageCheck
    case fragment
    case bootMode, reportedMode, noDowngrade
    case slotSize, slotAddress
    case images, directUpload, confirmsOtherImages, oneHash, loader
    case storage, eraseStorage
    case hash
    case version
    case model
    case hardware
    case manufacturer
    case serial
    case name
    case software, withheld, mds
    case groups
    case serviceMilliseconds
    case eraseMilliseconds
    case resetMilliseconds
    case bootMilliseconds
    case swapMilliseconds
  }

  /// Reads what is there; unknown keys are an error, so that a misspelt one does not make a test prove nothing.
  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    if let word = try values.decodeIfPresent(String.self, forKey: .kind) {
      if let build = SMPKind(rawValue: word) { self = build.settings } else { kind = try values.decode(BoardKind.self, forKey: .kind) }
    }
    dfu = try values.decodeIfPresent(dfu, .dfu)
    suit = try values.decodeIfPresent(suit, .suit)
    mtu = try values.decodeIfPresent(mtu, .mtu)
    bufferSize = try values.decodeIfPresent(bufferSize, .bufferSize)
    bufferCount = try values.decodeIfPresent(bufferCount, .bufferCount)
    reassembly = try values.decodeIfPresent(reassembly, .reassembly)
    params = try values.decodeIfPresent(params, .params)
    bootloaderInfo = try values.decodeIfPresent(bootloaderInfo, .bootloaderInfo)
    smpVersion = try values.decodeIfPresent(smpVersion, .smpVersion)
    canonical = try values.decodeIfPresent(canonical, .canonical)
    legacyRC = try values.decodeIfPresent(legacyRC, .legacyRC)
    frugal = try values.decodeIfPresent(frugal, .frugal)
    imageCheck = try values.decodeIfPresent(imageCheck, .imageCheck)
    fragment = try values.decodeIfPresent(fragment, .fragment)
    bootMode = try values.decodeIfPresent(bootMode, .bootMode)
    reportedMode = try values.decodeIfPresent(reportedMode, .reportedMode)
    noDowngrade = try values.decodeIfPresent(noDowngrade, .noDowngrade)
    slotSize = try values.decodeIfPresent(slotSize, .slotSize)
    slotAddress = try values.decodeIfPresent(slotAddress, .slotAddress)
    images = try values.decodeIfPresent(images, .images)
    directUpload = try values.decodeIfPresent(directUpload, .directUpload)
    confirmsOtherImages = try values.decodeIfPresent(confirmsOtherImages, .confirmsOtherImages)
    oneHash = try values.decodeIfPresent(oneHash, .oneHash)
    loader = try values.decodeIfPresent(loader, .loader)
    storage = try values.decodeIfPresent(storage, .storage)
    eraseStorage = try values.decodeIfPresent(eraseStorage, .eraseStorage)
    hash = try values.decodeIfPresent(hash, .hash)
    version = try values.decodeIfPresent(version, .version)
    model = try values.decodeIfPresent(model, .model)
    hardware = try values.decodeIfPresent(hardware, .hardware)
    manufacturer = try values.decodeIfPresent(manufacturer, .manufacturer)
    serial = try values.decodeIfPresent(serial, .serial)
    name = try values.decodeIfPresent(name, .name)
    software = try values.decodeIfPresent(software, .software)
    withheld = try values.decodeIfPresent(withheld, .withheld)
    mds = try values.decodeIfPresent(mds, .mds)
    groups = try values.decodeIfPresent(groups, .groups)
    serviceMilliseconds = try values.decodeIfPresent(serviceMilliseconds, .serviceMilliseconds)
    eraseMilliseconds = try values.decodeIfPresent(eraseMilliseconds, .eraseMilliseconds)
    resetMilliseconds = try values.decodeIfPresent(resetMilliseconds, .resetMilliseconds)
    bootMilliseconds = try values.decodeIfPresent(bootMilliseconds, .bootMilliseconds)
    swapMilliseconds = try values.decodeIfPresent(swapMilliseconds, .swapMilliseconds)
  }
}
