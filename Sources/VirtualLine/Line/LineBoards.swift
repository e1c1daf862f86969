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
    if let complaint = script.complaint(adapters: options.adapters, boards: options.boards) { throw .faultsFile(path: path, reason: complaint) }
    return script
  }

  /// Boards `C0:DE:00:00:00:01` and on: static random addresses, so that they are not private.
  static func make(_ options: LineOptions, _ script: LineScript) throws(LineError) -> [any HostedBoard] {
    var shelf = ImageShelf()
    var boards: [any HostedBoard] = []
    for number in 0..<options.boards {
      let address = BluetoothAddress(bits: 0xC0DE_0000_0000 | UInt64(number + 1))
      let (settings, faults) = script.entry(number: number, address: address)
      guard let version = ImageVersion(settings.version), let hash = ImageDigest(rawValue: settings.hash) else {
        throw .faultsFile(path: options.faults ?? "", reason: "board \(number): version \"\(settings.version)\" or hash \(settings.hash) is not one")
      }
      guard let image = shelf.image(version, options.imageSize, hash) else {
        throw .environment("no firmware for version \(version.smpText) could be made: libcrypto refuses the hash")
      }
      let text = String(number + 1)
      let digits = String(repeating: "0", count: max(0, 4 - text.count)) + text
      let identity = BoardIdentity(
        address: address, name: settings.name ?? "VLINE-\(digits)", serial: settings.serial ?? "VL1-\(digits)", model: settings.model ?? "VL-1",
        hardware: settings.hardware ?? "1.0", manufacturer: settings.manufacturer ?? "Flashline")
      boards.append(VirtualBoard(identity: identity, settings: settings, image: image, faults: faults))
    }
    return boards
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
