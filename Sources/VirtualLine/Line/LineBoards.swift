import Bluetooth
import Firmware
import FoundationEssentials

/// From options and a faults file to boards.
enum LineBoards {
  /// The largest faults file that is read.
  static let scriptLimit = 1 << 20

  /// Reads the faults file and checks it against the line's size; no file is an empty script.
  static func script(_ options: LineOptions) throws(LineError) -> LineScript {
    guard let path = options.faults else { return LineScript() }
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw .faultsFile(path: path, reason: "cannot be read: \(error)")
    }
    guard data.count <= scriptLimit else { throw .faultsFile(path: path, reason: "larger than \(scriptLimit) bytes") }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let script: LineScript
    do {
      script = try decoder.decode(LineScript.self, from: data)
    } catch {
      throw .faultsFile(path: path, reason: "not a faults file: \(Self.text(error))")
    }
    let complaint = script.complaint(adapters: options.adapters, boards: options.boards + options.stranded)
    if let complaint { throw .faultsFile(path: path, reason: complaint) }
    return script
  }

  /// Boards `C0:DE:00:00:00:01` and on: static random addresses, so that they are not private. The stranded ones follow, `C0:DE:80:00:19:01` and on.
  static func make(_ options: LineOptions, _ script: LineScript) throws(LineError) -> [any HostedBoard] {
    var shelf = ImageShelf()
    var made: [BoardSettings: [StoredImage?]] = [:]
    var boards: [any HostedBoard] = []
    for number in 0..<(options.boards + options.stranded) {
      let stranded = number - options.boards
      let asked = script.entry(number: number, address: address(number, .smp)).settings
      let settings = asked ?? (stranded >= 0 ? StrandedBoards.settings(stranded) : options.kind.settings)
      let address = address(number, settings.kind)
      let faults = script.entry(number: number, address: address).faults
      let identity = identity(number, address, settings)
      guard settings.kind.hasServer else {
        boards.append(DFUBoard(identity: identity, settings: settings, faults: faults))
        continue
      }
      // Equal boards begin with the same bytes, made once.
      let images = made[settings] ?? FirstImages.make(settings, size: options.imageSize).map { $0.map { shelf.shared($0) } }
      made[settings] = images
      guard !images.contains(nil) else { throw .faultsFile(path: options.faults ?? "", reason: "board \(number): a version or a hash is not one") }
      boards.append(VirtualBoard(identity: identity, settings: settings, images: images, faults: faults))
    }
    return boards
  }

  /// Boards with Nordic's bootloaders differ before the last octet, for there they have one more in their bootloader (nordic-dfu.md §5.4).
  static func address(_ number: Int, _ kind: BoardKind) -> BluetoothAddress {
    BluetoothAddress(bits: kind.hasServer ? 0xC0DE_0000_0000 | UInt64(number + 1) : 0xC0DE_8000_0001 | UInt64(number + 1) << 8)
  }

  private static func identity(_ number: Int, _ address: BluetoothAddress, _ settings: BoardSettings) -> BoardIdentity {
    let text = String(number + 1)
    let digits = String(repeating: "0", count: max(0, 4 - text.count)) + text
    let isMetaWear = settings.kind == .metawear
    let name =
      switch settings.kind {
      case .smp, .suit: "VLINE-\(digits)"
      case .metawear: "MetaWear"
      case .legacy: "Nordic_App"
      case .secure: "Nordic_Buttonless"
      }
    return BoardIdentity(
      address: address, name: settings.name ?? name, serial: settings.serial ?? "VL1-\(digits)",
      model: settings.model ?? (isMetaWear ? RescueFirmware.model : "VL-1"), hardware: settings.hardware ?? (isMetaWear ? RescueFirmware.hardware : "1.0"),
      manufacturer: settings.manufacturer ?? (isMetaWear ? RescueFirmware.manufacturer : "Flashline"))
  }

  private static func text(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      return (place.isEmpty ? "" : "at \(place): ") + context.debugDescription
    @unknown default: return "\(error)"
    }
  }
}
