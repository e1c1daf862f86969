/// A checksum or hash that a board computes over a file (file system group, commands 2 and 3; smp.md §3.5).
public struct FileHashKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// IEEE CRC-32, told as a number.
  public static let crc32 = FileHashKind(rawValue: "crc32")
  /// Told as 32 bytes.
  public static let sha256 = FileHashKind(rawValue: "sha256")

  public var description: String { rawValue }
}

/// A checksum or hash over a file on a board.
public struct FileHash: Hashable, Sendable {
  public enum Output: Hashable, Sendable {
    case number(UInt64)
    case bytes([UInt8])
  }

  public var kind: FileHashKind
  /// Of the first byte that was hashed.
  public var offset: Int
  /// Bytes that were hashed.
  public var length: Int
  public var output: Output

  public init(kind: FileHashKind, offset: Int = 0, length: Int, output: Output) {
    self.kind = kind
    self.offset = offset
    self.length = length
    self.output = output
  }
}

/// Has the board compute a checksum or hash over a file or a part of it (file system group, command 2, read; smp.md §3.5).
///
/// The part is named by `off` and `len`, Zephyr's keys; under other names it would be ignored, and the answer be of the whole file
/// (device-manager.md §6).
public struct FileHashRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.fileSystem
  public static let command: UInt8 = 2
  /// The board reads the whole file before it answers (device-manager.md §5.7, the default of a request).
  public static let answerLimit = Duration.seconds(40)

  public var name: String
  /// Nil is the board's own choice.
  public var kind: FileHashKind?
  /// Nil is the first byte.
  public var offset: Int?
  /// Bytes; nil is up to the end. A board refuses 0.
  public var length: Int?

  /// - Parameters:
  ///   - offset: not negative.
  ///   - length: positive.
  public init(name: String, kind: FileHashKind? = nil, offset: Int? = nil, length: Int? = nil) {
    self.name = name
    self.kind = kind
    self.offset = offset
    self.length = length
  }

  public var payload: CBORValue {
    var entries = [CBORValue.Entry(.text("name"), .text(name))]
    if let kind { entries.append(CBORValue.Entry(.text("type"), .text(kind.rawValue))) }
    if let offset { entries.append(CBORValue.Entry(.text("off"), .integer(offset))) }
    if let length { entries.append(CBORValue.Entry(.text("len"), .integer(length))) }
    return .map(entries)
  }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> FileHash {
    let output: FileHash.Output
    switch body["output"] {
    case .unsigned(let number)?: output = .number(number)
    case .bytes(let bytes)?: output = .bytes(bytes)
    case nil: throw .missing("output")
    default: throw .wrongType("output")
    }
    return FileHash(
      kind: FileHashKind(rawValue: try body.requiredText("type")), offset: body["off"] == nil ? 0 : try body.size("off"), length: try body.size("len"),
      output: output)
  }
}

/// Asks which checksums and hashes a board can compute (file system group, command 3, read; smp.md §3.5).
public struct FileHashKindsRequest: SMPRequest, Hashable {
  public struct Kind: Hashable, Sendable {
    public var kind: FileHashKind
    /// True when the result comes as bytes, false for a number.
    public var isBytes: Bool
    /// Bytes of the result.
    public var size: Int

    public init(kind: FileHashKind, isBytes: Bool, size: Int) {
      self.kind = kind
      self.isBytes = isBytes
      self.size = size
    }
  }

  public static let operation = SMPOperation.read
  public static let group = SMPGroup.fileSystem
  public static let command: UInt8 = 3

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [Kind] {
    var kinds: [Kind] = []
    for (name, details) in try body.members("types") {
      guard details.isMap else { throw .wrongType(name) }
      kinds.append(Kind(kind: FileHashKind(rawValue: name), isBytes: try details.integer("format") == 1, size: try details.size("size")))
    }
    return kinds
  }
}
