/// What `--stranded N` puts on the line: MetaBoot boards, each as some failed night left it.
enum StrandedBoards {
  /// Most of one line.
  static let limit = 200

  /// Settings of the n-th one; they repeat every six.
  static func settings(_ number: Int) -> BoardSettings {
    var settings = BoardSettings()
    settings.kind = .metawear
    settings.manufacturer = RescueFirmware.manufacturer
    settings.model = RescueFirmware.model
    settings.hardware = RescueFirmware.hardware
    settings.name = "MetaWear"
    settings.dfu.start = .bootloader
    settings.dfu.application = nil
    settings.dfu.bootloader = RescueFirmware.requiredBootloader
    settings.dfu.softDevice = RescueFirmware.newSoftDevice
    switch number % 6 {
    case 1:
      // Never updated: the whole chain.
      settings.dfu.bootloader = "0.2.1"
      settings.dfu.softDevice = RescueFirmware.softDevice
    case 2:
      // Half-way through a chain: SoftDevice and bootloader are done, the application went with them.
      settings.dfu.bootloader = "0.3.1"
    case 3:
      // Somebody flashed the application first: it cannot start over this bootloader.
      settings.dfu.bootloader = "0.3.2"
      settings.dfu.application = RescueFirmware.version
      settings.dfu.requiresBootloader = RescueFirmware.requiredBootloader
    case 4:
      settings.dfu.bootloader = "0.2.2"
      settings.dfu.softDevice = RescueFirmware.softDevice
    default:
      // The transfer of the application was interrupted; nothing but it is missing.
      break
    }
    return settings
  }
}
