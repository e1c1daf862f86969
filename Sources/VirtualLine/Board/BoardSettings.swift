/// How one virtual board is built: its firmware's options, its flash and its times. All sizes in bytes, all durations in milliseconds.
///
/// Every key may be left out of the faults file; the defaults are an NCS build for fast updates (smp.md §2.1).
public struct BoardSettings: Hashable, Sendable, Codable {
  /// What it is; the other kinds than `smp` are built by `dfu` and by the identity and times here.
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
  public var slotSize = 0x69000
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
    case bootMode
    case slotSize
    case hash
    case version
    case model
    case hardware
    case manufacturer
    case serial
    case name
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
    kind = try values.decodeIfPresent(kind, .kind)
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
    slotSize = try values.decodeIfPresent(slotSize, .slotSize)
    hash = try values.decodeIfPresent(hash, .hash)
    version = try values.decodeIfPresent(version, .version)
    model = try values.decodeIfPresent(model, .model)
    hardware = try values.decodeIfPresent(hardware, .hardware)
    manufacturer = try values.decodeIfPresent(manufacturer, .manufacturer)
    serial = try values.decodeIfPresent(serial, .serial)
    name = try values.decodeIfPresent(name, .name)
    serviceMilliseconds = try values.decodeIfPresent(serviceMilliseconds, .serviceMilliseconds)
    eraseMilliseconds = try values.decodeIfPresent(eraseMilliseconds, .eraseMilliseconds)
    resetMilliseconds = try values.decodeIfPresent(resetMilliseconds, .resetMilliseconds)
    bootMilliseconds = try values.decodeIfPresent(bootMilliseconds, .bootMilliseconds)
    swapMilliseconds = try values.decodeIfPresent(swapMilliseconds, .swapMilliseconds)
  }
}
