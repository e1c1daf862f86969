/// Every key of a `.profile` file with its default (contract §5).
enum ProfileKeys {
  static let name = IniKey("board", "name", .described("the name of the file"))
  static let family = IniKey("board", "family", .required)
  static let pairing = IniKey("board", "pairing", .value("none"))
  static let passkey = IniKey("board", "passkey", .described("needed with pairing = passkey"))

  static let matchName = IniKey("match", "name", .described("any"))
  static let namePrefix = IniKey("match", "name_prefix", .described("any"))
  static let service = IniKey("match", "service", .described("SMP's for mcuboot, otherwise any"))
  static let companyID = IniKey("match", "company_id", .described("any"))
  static let addresses = IniKey("match", "addresses", .described("any"))
  static let minRSSI = IniKey("match", "min_rssi", .described("none; needed unless allow_any = yes"))
  static let allowAny = IniKey("match", "allow_any", .value("no"))

  static let modelNumber = IniKey("identity", "model_number", .described("any"))
  static let hardwareRevision = IniKey("identity", "hardware_revision", .described("any"))
  static let manufacturer = IniKey("identity", "manufacturer", .described("any"))
  static let serial = IniKey("identity", "serial", .value("none"))

  static let package = IniKey("firmware", "package", .described("given by --package"))
  static let source = IniKey("firmware", "source", .value("package"))
  static let hardwareVersion = IniKey("firmware", "hardware_version", .described("needed with source = ota"))
  static let softwareType = IniKey("firmware", "software_type", .described("needed with source = ota"))
  static let deviceSerial = IniKey("firmware", "device_serial", .described("the station's id"))
  static let artefact = IniKey("firmware", "artifact", .described("the only one for this hardware"))
  static let sha256 = IniKey("firmware", "sha256", .described("any"))
  static let version = IniKey("firmware", "version", .described("any"))
  static let firmwareBoard = IniKey("firmware", "board", .described("any"))
  static let firmwareSoC = IniKey("firmware", "soc", .described("any"))
  static let allowUnsigned = IniKey("firmware", "allow_unsigned", .value("no"))
  static let allowDowngrade = IniKey("firmware", "allow_downgrade", .value("no"))

  static let mode = IniKey("upgrade", "mode", .value("testAndConfirm"))
  static let pipelineDepth = IniKey("upgrade", "pipeline_depth", .value("auto"))
  static let byteAlignment = IniKey("upgrade", "byte_alignment", .value("4"))
  static let reassemblyBufferSize = IniKey("upgrade", "reassembly_buffer_size", .value("auto"))
  static let eraseAppSettings = IniKey("upgrade", "erase_app_settings", .value("no"))
  static let bootloaderMode = IniKey("upgrade", "bootloader_mode", .value("auto"))
  static let estimatedSwapTime = IniKey("upgrade", "estimated_swap_time", .value("0s"))

  static let rescueName = IniKey("rescue", "name", .described("MetaBoot for metawear, otherwise any"))
  static let rescueService = IniKey("rescue", "service", .described("the family's"))
  static let rescueProtocol = IniKey("rescue", "protocol", .value("auto"))
  static let strandedAfter = IniKey("rescue", "stranded_after", .value("180s"))
  static let catalog = IniKey("rescue", "catalog", .described("no catalogue: the package is named"))
  static let flavor = IniKey("rescue", "flavor", .value("vanilla"))
  static let packetReceipt = IniKey("rescue", "packet_receipt", .value("8"))
  static let packetSize = IniKey("rescue", "packet_size", .value("auto"))
  static let hwVersion = IniKey("rescue", "hw_version", .described("any"))
  static let fwVersion = IniKey("rescue", "fw_version", .described("any"))
  static let signed = IniKey("rescue", "signed", .value("no"))

  static let afterPass = IniKey("observe", "after_pass", .value("0s"))

  /// In the order of the shipped generic profile.
  static let all = [
    name, family, pairing, passkey,
    matchName, namePrefix, service, companyID, addresses, minRSSI, allowAny,
    modelNumber, hardwareRevision, manufacturer, serial,
    package, source, hardwareVersion, softwareType, deviceSerial, artefact, sha256, version, firmwareBoard, firmwareSoC, allowUnsigned, allowDowngrade,
    mode, pipelineDepth, byteAlignment, reassemblyBufferSize, eraseAppSettings, bootloaderMode, estimatedSwapTime,
    rescueName, rescueService, rescueProtocol, strandedAfter, catalog, flavor, packetReceipt, packetSize, hwVersion, fwVersion, signed,
    afterPass,
  ]
}
