public import FoundationEssentials

/// Which board a release is asked for: what the cloud knows boards by (facts/device-manager.md §7.2).
public struct ReleaseQuery: Hashable, Sendable {
  /// The longest value that is asked for.
  static let longestValue = 256

  public var hardwareVersion: String
  public var softwareType: String
  /// Nil: whatever it runs, the latest release is wanted.
  public var currentVersion: String?
  public var serial: String

  /// Throws `badValue` for a value that is empty or nothing that can be asked for.
  public init(hardwareVersion: String, softwareType: String, currentVersion: String?, serial: String) throws(OTAError) {
    self.hardwareVersion = hardwareVersion
    self.softwareType = softwareType
    self.currentVersion = currentVersion
    self.serial = serial
    for (name, value) in pairs {
      guard !value.isEmpty, value.utf8.count <= Self.longestValue, value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
        throw .badValue("the \(name.replacing("_", with: " ")) is empty or too long: give another value, or check what the board tells of itself")
      }
    }
  }

  private var pairs: [(name: String, value: String)] {
    [("hardware_version", hardwareVersion), ("software_type", softwareType)] + (currentVersion.map { [("current_version", $0)] } ?? [])
      + [("device_serial", serial)]
  }

  /// The address to ask: `BASE/api/v0/releases/latest?…`. Every value is percent-encoded once, also `+` and `/` (RFC 3986, 2.3: only unreserved characters
  /// stay as they are). Nil when `base` is no address that can be asked.
  public func url(at base: String) -> URL? {
    let query = pairs.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    let base = base.hasSuffix("/") ? String(base.dropLast()) : base
    return URL(string: "\(base)/api/v0/releases/latest?\(query)", encodingInvalidCharacters: false)
  }

  static func encoded(_ value: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
