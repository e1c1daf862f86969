import FoundationEssentials

/// What is written down of an artefact that was fetched: which file it is, and what had been asked for.
///
/// A batch that goes on keeps to its artefact by it, whatever the server says meanwhile.
public struct ArtefactPin: Hashable, Sendable, Codable {
  /// What was asked for. The same artefact may be the answer to several questions; a pin belongs to one.
  public struct Question: Hashable, Sendable, Codable {
    public var hardwareVersion: String
    public var softwareType: String
    public var serial: String
    /// What the operator chose among several artefacts; nil leaves it to the hardware.
    public var artefact: String?

    public init(hardwareVersion: String, softwareType: String, serial: String, artefact: String?) {
      self.hardwareVersion = hardwareVersion
      self.softwareType = softwareType
      self.serial = serial
      self.artefact = artefact
    }

    /// A part of a file name: the beginning of a SHA-256 over all of it.
    func mark() throws(FileHash.Failure) -> String {
      let text = ([hardwareVersion, softwareType, serial] + (artefact.map { [$0] } ?? [])).joined(separator: "\0")
      return String(try FileHash.sha256(of: Array(text.utf8)).prefix(16))
    }

    private enum CodingKeys: String, CodingKey {
      case hardwareVersion = "hardware_version"
      case softwareType = "software_type"
      case serial = "device_serial"
      case artefact = "artifact"
    }
  }

  /// Bytes of a pin's file; no honest one is longer.
  static let sizeLimit = 16_384
  private static let currentFormat = 1

  private var format = Self.currentFormat
  /// Of the file, lower-case hexadecimal.
  public let sha256: String
  /// What it is called, for people and records: never a path.
  public let name: String
  /// The release's version.
  public let version: String
  public let question: Question

  public init(sha256: String, name: String, version: String, question: Question) {
    self.sha256 = sha256
    self.name = name
    self.version = version
    self.question = question
  }

  private enum CodingKeys: String, CodingKey {
    case format, sha256, name, version
    case question = "asked"
  }

  /// Reads a pin's file; nil for everything that is not exactly what was written for this artefact and this question.
  init?(json: [UInt8], of sha256: String, for question: Question) {
    guard json.count <= Self.sizeLimit, let pin = try? JSONDecoder().decode(ArtefactPin.self, from: Data(json)) else { return nil }
    guard pin.format == Self.currentFormat, pin.sha256 == sha256, pin.question == question, FileHash.isHash(sha256) else { return nil }
    self = pin
  }

  /// Keys in order, a line each, so that people can read it; nil when it cannot be written.
  func json() -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { Array($0) + [UInt8(ascii: "\n")] }
  }
}
