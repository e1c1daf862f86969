import Bluetooth
import Firmware

/// What a faults file may ask for; values beyond would make no board, or trap.
enum ScriptLimits {
  static let mtu = 23...517
  static let bufferSize = 8...65_535
  static let bufferCount = 1...64
  static let slotSize = 4096...(16 << 20)
  /// The last address at which the first slot may begin, so that all fit into 32 bits.
  static let slotAddress = 0x7000_0000
  /// One hour.
  static let milliseconds = 0...3_600_000
  static let interval = 1.0...4000.0
  static let dataLength = 27...251
  static let supervision = 10...32_000
}

extension LineScript {
  /// What is wrong with the script for so many adapters and boards, for an operator; nil when nothing is.
  func complaint(adapters: Int, boards: Int) -> String? {
    if let radio, let complaint = radio.complaint { return "radio: " + complaint }
    for (number, entry) in (self.boards ?? []).enumerated() {
      if case .number(let board) = entry.board, !(0..<boards).contains(board) {
        return "boards[\(number)]: there is no board \(board), only 0 to \(boards - 1)"
      }
      if let complaint = entry.settings?.complaint { return "boards[\(number)]: " + complaint }
      if let complaint = (entry.faults ?? []).lazy.compactMap(\.complaint).first { return "boards[\(number)]: " + complaint }
    }
    for (number, fault) in (line ?? []).enumerated() {
      if let adapter = fault.adapter, !(0..<adapters).contains(adapter) { return "line[\(number)]: there is no adapter \(adapter), only 0 to \(adapters - 1)" }
      if !(0..<boards).contains(fault.when.board) { return "line[\(number)]: there is no board \(fault.when.board), only 0 to \(boards - 1)" }
      if let time = fault.milliseconds, !ScriptLimits.milliseconds.contains(time) {
        return "line[\(number)]: milliseconds: \(outside(time, ScriptLimits.milliseconds))"
      }
    }
    return nil
  }
}

extension BoardSettings {
  var withheldInformation: Set<BluetoothUUID> { Set(withheld.compactMap { BluetoothUUID($0) }) }
}

extension RadioParameters {
  var complaint: String? {
    if !ScriptLimits.interval.contains(intervalMilliseconds) { return "intervalMilliseconds: \(outside(intervalMilliseconds, ScriptLimits.interval))" }
    if !ScriptLimits.dataLength.contains(dataLength) { return "dataLength: \(outside(dataLength, ScriptLimits.dataLength))" }
    if !ScriptLimits.supervision.contains(supervisionMilliseconds) {
      return "supervisionMilliseconds: \(outside(supervisionMilliseconds, ScriptLimits.supervision))"
    }
    return nil
  }
}

extension BoardSettings {
  var complaint: String? {
    let numbers: [(String, Int, ClosedRange<Int>)] = [
      ("mtu", mtu, ScriptLimits.mtu), ("bufferSize", bufferSize, ScriptLimits.bufferSize), ("bufferCount", bufferCount, ScriptLimits.bufferCount),
      ("smpVersion", smpVersion, 1...2), ("fragment", fragment, 0...514), ("slotSize", slotSize, ScriptLimits.slotSize),
      ("serviceMilliseconds", serviceMilliseconds, ScriptLimits.milliseconds), ("eraseMilliseconds", eraseMilliseconds, ScriptLimits.milliseconds),
      ("resetMilliseconds", resetMilliseconds, ScriptLimits.milliseconds), ("bootMilliseconds", bootMilliseconds, ScriptLimits.milliseconds),
      ("swapMilliseconds", swapMilliseconds, ScriptLimits.milliseconds),
    ]
    if let (name, value, range) = numbers.first(where: { !$0.2.contains($0.1) }) { return "\(name): \(outside(value, range))" }
    if let complaint = dfu.complaint { return "dfu: " + complaint }
    if let complaint = groups.complaint { return "groups: " + complaint }
    if let mds, let complaint = mds.complaint { return "mds: " + complaint }
    if mds != nil, !kind.hasServer { return "mds: only boards with an SMP server have it" }
    if let other = withheld.first(where: { BluetoothUUID($0) == nil }) { return "withheld: \"\(other)\" is no characteristic like 2A25" }
    if let software, software.utf8.count > DiagnosticSettings.valueLimit { return "software: longer than \(DiagnosticSettings.valueLimit) bytes" }
    if let complaint = suit.complaint { return "suit: " + complaint }
    if ImageVersion(version) == nil { return "version: \"\(version)\" is not like 1.2.3" }
    if ImageDigest(rawValue: hash) == nil { return "hash: \(hash) is not 16 (SHA-256), 17 (SHA-384) or 18 (SHA-512)" }
    return boot
  }

  /// What is wrong with images, firmware loader and storage.
  private var boot: String? {
    if !(0...ScriptLimits.slotAddress).contains(slotAddress) { return "slotAddress: \(outside(slotAddress, 0...ScriptLimits.slotAddress))" }
    if let reportedMode, !(-1...255).contains(reportedMode) { return "reportedMode: \(outside(reportedMode, -1...255))" }
    if images.count > Self.imageLimit { return "images: \(images.count) are too many, there may be \(Self.imageLimit)" }
    for (number, image) in images.enumerated() {
      if let complaint = image.complaint(boardMode: bootMode, number: number) { return "images[\(number)]: " + complaint }
    }
    if !(1...29).contains(loader.name.utf8.count) { return "loader: name: \"\(loader.name)\" is not 1 to 29 bytes" }
    if ImageVersion(loader.version) == nil { return "loader: version: \"\(loader.version)\" is not like 1.2.3" }
    if storage.count > SettingsStore.places { return "storage: \(storage.count) settings are too many, there may be \(SettingsStore.places)" }
    for (name, value) in storage.sorted(by: { $0.key < $1.key }) {
      if !(1...SettingsStore.nameLimit).contains(name.utf8.count) { return "storage: the name \"\(name)\" is not 1 to \(SettingsStore.nameLimit) bytes" }
      if value.utf8.count > SettingsStore.valueLimit { return "storage: \"\(name)\" is longer than \(SettingsStore.valueLimit) bytes" }
    }
    return nil
  }
}

extension ImageSettings {
  func complaint(boardMode: BootMode, number: Int) -> String? {
    if let version, ImageVersion(version) == nil { return "version: \"\(version)\" is not like 1.2.3" }
    if let hash, ImageDigest(rawValue: hash) == nil { return "hash: \(hash) is not 16 (SHA-256), 17 (SHA-384) or 18 (SHA-512)" }
    if number > 0, boardMode == .firmwareLoader { return "a board with a firmware loader has one image" }
    if let bootMode, bootMode != boardMode, !(boardMode.swaps && bootMode == .overwrite) {
      return "bootMode: \(bootMode.rawValue) cannot be beside \(boardMode.rawValue): only 2 beside a mode that swaps"
    }
    if number == 0, listing != .full { return "listing: the application's own image is always listed" }
    return nil
  }
}

extension DFUSettings {
  var complaint: String? {
    let numbers: [(String, Int?, ClosedRange<Int>)] = [
      ("receiveBuffers", receiveBuffers, 1...1024), ("drainMilliseconds", drainMilliseconds, ScriptLimits.milliseconds),
      ("pageEraseMilliseconds", pageEraseMilliseconds, ScriptLimits.milliseconds), ("leaveMilliseconds", leaveMilliseconds, ScriptLimits.milliseconds),
      ("flash", Int(clamping: flash), ScriptLimits.slotSize), ("inactivitySeconds", inactivitySeconds, 0...3600),
      ("selfReturnSeconds", selfReturnSeconds, 0...3600), ("mtu", mtu, ScriptLimits.mtu), ("commandLimit", commandLimit, 64...4096),
      ("objectLimit", objectLimit, 256...65_536),
    ]
    for case (let name, let value?, let range) in numbers where !range.contains(value) { return "\(name): \(outside(value, range))" }
    if let dfuVersion, versionBytes == nil { return "dfuVersion: \"\(dfuVersion)\" is not like 0.8" }
    if let bootloaderName, !(1...20).contains(bootloaderName.utf8.count) { return "bootloaderName: \"\(bootloaderName)\" is not 1 to 20 bytes" }
    return nil
  }
}

extension BoardFault {
  var complaint: String? {
    let numbers: [(String, Int?, ClosedRange<Int>)] = [
      ("offset", offset, 0...ScriptLimits.slotSize.upperBound), ("count", count, 1...1_000_000), ("times", times, 0...1_000_000),
      ("milliseconds", milliseconds, ScriptLimits.milliseconds), ("mtu", mtu, ScriptLimits.mtu), ("code", code, 0...65_535),
      ("groupCode", groupCode, 0...65_535), ("image", image, 0...(BoardSettings.imageLimit - 1)),
    ]
    for case (let name, let value?, let range) in numbers where !range.contains(value) { return "\(self.do.rawValue): \(name): \(outside(value, range))" }
    if image != nil, ![.data, .finish, .erase, .reset].contains(point) {
      return "\(self.do.rawValue): image: only uploaded bytes, erases and resets know an image"
    }
    if let version, ImageVersion(version) == nil { return "\(self.do.rawValue): version: \"\(version)\" is not like 1.2.3" }
    return nil
  }
}

private func outside<Value>(_ value: Value, _ range: ClosedRange<Value>) -> String {
  "\(value) is not from \(range.lowerBound) to \(range.upperBound)"
}
