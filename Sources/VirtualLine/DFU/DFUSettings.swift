/// What kind of board a virtual board is.
public enum BoardKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// An application with an SMP server over MCUboot.
  case smp
  /// MbientLab: application MetaWear, bootloader MetaBoot.
  case metawear
  /// A Nordic application with the buttonless jump of SDK 8 to 11, bootloader with Legacy DFU.
  case legacy
  /// A Nordic application with the buttonless service of SDK 14 and later, bootloader with Secure DFU.
  case secure
}

/// How a board with one of Nordic's bootloaders is built. All durations in milliseconds unless the name says seconds, sizes in bytes.
///
/// Every key may be left out of the faults file (`settings: { kind: "metawear", dfu: {…} }`); the defaults are those of nordic-dfu.md §2.5, §3.4, §3.7.
public struct DFUSettings: Hashable, Sendable, Codable {
  public enum Mode: String, Hashable, Sendable, Codable {
    case application
    case bootloader
  }

  /// The bootloader's address (nordic-dfu.md §5.4).
  public enum AddressRule: String, Hashable, Sendable, Codable {
    case same
    /// Plus one in the last octet, without carry.
    case plusOne
    /// The same after a jump by the application, plus one otherwise.
    case plusOneUnlessAsked
  }

  public enum Bank: String, Hashable, Sendable, Codable {
    case single
    case dual
  }

  /// Errors that one board keeps for the truth.
  static let keptErrors = 64

  /// Where the board begins; one without a valid application begins in its bootloader anyway.
  public var start = Mode.application
  /// The application's version; nil: none in flash.
  public var application: String? = "1.0.0"
  /// The bootloader version that the application needs.
  public var requiresBootloader: String?
  /// The bootloader's version, as 2A26 tells it in the bootloader.
  public var bootloader = "0.3.3"
  /// Identifier of the SoftDevice in flash (0x88 = S132 2.0.1).
  public var softDevice: UInt16 = 0x88
  /// DFU Version as `major.minor`; nil: the characteristic is absent.
  public var dfuVersion: String? = "0.8"
  /// Nil: as the kind has it (metawear single, legacy dual).
  public var bank: Bank?
  /// Nil: as the kind has it (metawear same, legacy plusOneUnlessAsked, secure plusOne, or same with bonds).
  public var address: AddressRule?
  /// Nil: MetaBoot or DfuTarg.
  public var bootloaderName: String?
  /// Device Information in the bootloader; nil: as the kind has it (metawear yes, the others no).
  public var information: Bool?
  /// What the init packet must name; nil: model number and minor hardware revision (metawear), any (legacy).
  public var deviceType: UInt16?
  public var deviceRevision: UInt16?
  /// Start is `01` and one size, as up to SDK 6.1.
  public var oldStart = false
  public var receiveBuffers = 8
  /// Until a received packet is in flash.
  public var drainMilliseconds = 11
  public var pageEraseMilliseconds = 85
  public var leaveMilliseconds = 150
  public var flash: UInt32 = 0x70000
  public var inactivitySeconds = 120
  /// The bootloader returns to a valid application after so long without a link; 0: never, nil: as the kind has it (metawear 60).
  public var selfReturnSeconds: Int?
  /// MTU in both modes; nil: 23, Secure 247.
  public var mtu: Int?

  // Secure DFU.
  public var hardwareVersion: UInt32 = 52
  public var firmwareVersion: UInt32 = 1
  public var bootloaderNumber: UInt32 = 1
  public var commandLimit = 512
  public var objectLimit = 4096
  /// Progress survives a reset (`NRF_DFU_SAVE_PROGRESS_IN_FLASH`).
  public var keepsProgress = false
  /// Executing what was executed is answered with 8, as by SDK 15 to 17; else with success.
  public var refusesSecondExecute = true
  public var requiresSignature = false
  /// The application shares its bond with the bootloader: the buttonless characteristic is the one with bonds, and the address stays (§3.2).
  public var sharesBond = false

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case start, application, requiresBootloader, bootloader, softDevice, dfuVersion, bank, address, bootloaderName, information, deviceType, deviceRevision
    case oldStart, receiveBuffers, drainMilliseconds, pageEraseMilliseconds, leaveMilliseconds, flash, inactivitySeconds, selfReturnSeconds, mtu
    case hardwareVersion, firmwareVersion, bootloaderNumber, commandLimit, objectLimit, keepsProgress, refusesSecondExecute, requiresSignature, sharesBond
  }

  /// Reads what is there; unknown keys are an error. `application` and `dfuVersion` may be null: there is none.
  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    start = try values.decodeIfPresent(start, .start)
    if values.contains(.application) { application = try values.decodeIfPresent(String.self, forKey: .application) }
    requiresBootloader = try values.decodeIfPresent(requiresBootloader, .requiresBootloader)
    bootloader = try values.decodeIfPresent(bootloader, .bootloader)
    softDevice = try values.decodeIfPresent(softDevice, .softDevice)
    if values.contains(.dfuVersion) { dfuVersion = try values.decodeIfPresent(String.self, forKey: .dfuVersion) }
    bank = try values.decodeIfPresent(bank, .bank)
    address = try values.decodeIfPresent(address, .address)
    bootloaderName = try values.decodeIfPresent(bootloaderName, .bootloaderName)
    information = try values.decodeIfPresent(information, .information)
    deviceType = try values.decodeIfPresent(deviceType, .deviceType)
    deviceRevision = try values.decodeIfPresent(deviceRevision, .deviceRevision)
    oldStart = try values.decodeIfPresent(oldStart, .oldStart)
    receiveBuffers = try values.decodeIfPresent(receiveBuffers, .receiveBuffers)
    drainMilliseconds = try values.decodeIfPresent(drainMilliseconds, .drainMilliseconds)
    pageEraseMilliseconds = try values.decodeIfPresent(pageEraseMilliseconds, .pageEraseMilliseconds)
    leaveMilliseconds = try values.decodeIfPresent(leaveMilliseconds, .leaveMilliseconds)
    flash = try values.decodeIfPresent(flash, .flash)
    inactivitySeconds = try values.decodeIfPresent(inactivitySeconds, .inactivitySeconds)
    selfReturnSeconds = try values.decodeIfPresent(selfReturnSeconds, .selfReturnSeconds)
    mtu = try values.decodeIfPresent(mtu, .mtu)
    hardwareVersion = try values.decodeIfPresent(hardwareVersion, .hardwareVersion)
    firmwareVersion = try values.decodeIfPresent(firmwareVersion, .firmwareVersion)
    bootloaderNumber = try values.decodeIfPresent(bootloaderNumber, .bootloaderNumber)
    commandLimit = try values.decodeIfPresent(commandLimit, .commandLimit)
    objectLimit = try values.decodeIfPresent(objectLimit, .objectLimit)
    keepsProgress = try values.decodeIfPresent(keepsProgress, .keepsProgress)
    refusesSecondExecute = try values.decodeIfPresent(refusesSecondExecute, .refusesSecondExecute)
    requiresSignature = try values.decodeIfPresent(requiresSignature, .requiresSignature)
    sharesBond = try values.decodeIfPresent(sharesBond, .sharesBond)
  }
}

extension DFUSettings {
  /// What the kind decides where nothing was said.
  func completed(for kind: BoardKind, model: String, hardware: String) -> DFUSettings {
    var settings = self
    let isMetaWear = kind == .metawear
    settings.bank = bank ?? (isMetaWear ? .single : .dual)
    settings.address = address ?? (isMetaWear ? .same : kind == .secure ? sharesBond ? .same : .plusOne : .plusOneUnlessAsked)
    settings.bootloaderName = bootloaderName ?? (isMetaWear ? "MetaBoot" : "DfuTarg")
    settings.information = information ?? isMetaWear
    settings.selfReturnSeconds = selfReturnSeconds ?? (isMetaWear ? 60 : 0)
    settings.mtu = mtu ?? (kind == .secure ? 247 : 23)
    if isMetaWear {
      // metaboot.md §3.5: the model number, and the minor of the hardware revision.
      settings.deviceType = deviceType ?? UInt16(model)
      settings.deviceRevision = deviceRevision ?? hardware.split(separator: ".").last.flatMap { UInt16($0) }
    }
    return settings
  }

  var isDualBank: Bool { bank == .dual }
  var drain: Duration { .milliseconds(drainMilliseconds) }
  var pageErase: Duration { .milliseconds(pageEraseMilliseconds) }
  var leave: Duration { .milliseconds(leaveMilliseconds) }

  /// The value of the DFU Version characteristic: minor, major; nil when there is none.
  var versionBytes: [UInt8]? {
    guard let parts = dfuVersion?.split(separator: ".").map({ UInt8($0) }), parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
    return [minor, major]
  }
}
