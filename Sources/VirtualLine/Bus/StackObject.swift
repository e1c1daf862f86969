import Bluetooth

/// Which object of the `org.bluez` tree a path names.
enum StackObject: Hashable, Sendable {
  case root
  case stack
  case adapter(hci: Int)
  case board(hci: Int, BluetoothAddress)
  case service(hci: Int, BluetoothAddress, handle: Int)
  case characteristic(hci: Int, BluetoothAddress, service: Int, handle: Int)

  /// Nil for a path that no object here has.
  init?(path: String) {
    if path == "/" {
      self = .root
      return
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].isEmpty, parts[1] == "org", parts[2] == "bluez" else { return nil }
    if parts.count == 3 {
      self = .stack
      return
    }
    guard let hci = Self.number(parts[3], after: "hci", radix: 10) else { return nil }
    guard parts.count > 4 else {
      self = .adapter(hci: hci)
      return
    }
    guard parts[4].hasPrefix("dev_"), let address = BluetoothAddress(String(parts[4].dropFirst(4).map { $0 == "_" ? ":" : $0 })) else { return nil }
    guard parts.count > 5 else {
      self = .board(hci: hci, address)
      return
    }
    guard let service = Self.number(parts[5], after: "service", radix: 16) else { return nil }
    guard parts.count > 6 else {
      self = .service(hci: hci, address, handle: service)
      return
    }
    guard parts.count == 7, let handle = Self.number(parts[6], after: "char", radix: 16) else { return nil }
    self = .characteristic(hci: hci, address, service: service, handle: handle)
  }

  var path: String {
    switch self {
    case .root: "/"
    case .stack: "/org/bluez"
    case .adapter(let hci): "/org/bluez/hci\(hci)"
    case .board(let hci, let address): Self.adapter(hci: hci).path + "/dev_" + address.description.map { $0 == ":" ? "_" : String($0) }.joined()
    case .service(let hci, let address, let handle): Self.board(hci: hci, address).path + "/service" + Self.hex(handle)
    case .characteristic(let hci, let address, let service, let handle):
      Self.service(hci: hci, address, handle: service).path + "/char" + Self.hex(handle)
    }
  }

  private static func number(_ text: Substring, after prefix: String, radix: Int) -> Int? {
    guard text.hasPrefix(prefix) else { return nil }
    let digits = text.dropFirst(prefix.count)
    guard !digits.isEmpty, digits.count <= 4, digits.allSatisfy({ $0.isHexDigit }) else { return nil }
    return Int(digits, radix: radix)
  }

  private static func hex(_ number: Int) -> String {
    let digits = String(number & 0xFFFF, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
