/// Reads a piece of a file (file system group, command 0, read; smp.md §3.5). The board chooses how long the piece is.
public struct FileDownloadRequest: SMPRequest, Hashable {
  public struct Response: Hashable, Sendable {
    public var offset: Int
    /// Empty behind the end of the file.
    public var data: [UInt8]
    /// Bytes of the whole file; told with the piece at offset 0.
    public var length: Int?

    public init(offset: Int, data: [UInt8], length: Int? = nil) {
      self.offset = offset
      self.data = data
      self.length = length
    }
  }

  public static let operation = SMPOperation.read
  public static let group = SMPGroup.fileSystem
  public static let command: UInt8 = 0

  public var name: String
  public var offset: Int

  /// - Parameter offset: not negative.
  public init(name: String, offset: Int) {
    self.name = name
    self.offset = offset
  }

  public var payload: CBORValue { .object(["name": .text(name), "off": .integer(offset)]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Response {
    guard let data = try body.optionalBytes("data") else { throw .missing("data") }
    return Response(offset: try body.size("off"), data: data, length: body["len"] == nil ? nil : try body.size("len"))
  }
}

/// Writes a piece of a file (file system group, command 0, write; smp.md §3.5).
public struct FileUploadRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.fileSystem
  public static let command: UInt8 = 0
  /// A piece that the file already has is refused with the file's length, which is the offset to go on at.
  public static let isRepeatable = true

  public var name: String
  public var offset: Int
  public var data: ArraySlice<UInt8>
  /// Bytes of the whole file; with the request of offset 0 only, where the board demands it.
  public var length: Int?

  /// - Parameter offset: not negative.
  public init(name: String, offset: Int, data: ArraySlice<UInt8>, length: Int? = nil) {
    self.name = name
    self.offset = offset
    self.data = data
    self.length = length
  }

  public var payload: CBORValue {
    var entries = [
      CBORValue.Entry(.text("off"), .integer(offset)), CBORValue.Entry(.text("data"), .bytes([UInt8](data))), CBORValue.Entry(.text("name"), .text(name)),
    ]
    if let length { entries.append(CBORValue.Entry(.text("len"), .integer(length))) }
    return .map(entries)
  }

  /// The same bytes as `payload` gives, the data copied once.
  public func encodePayload(into writer: inout CBORWriter) {
    writer.mapHead(length == nil ? 3 : 4)
    // Canonical order: the shorter key first, then by the alphabet.
    if let length {
      writer.text("len")
      writer.value(.integer(length))
    }
    writer.text("off")
    writer.value(.integer(offset))
    writer.text("data")
    writer.byteString(data)
    writer.text("name")
    writer.text(name)
  }

  public var expectedSize: Int { 64 + name.utf8.count + data.count }

  /// A wrong offset comes as a refusal with the length that the file has (`len`): that is an answer, not a failure.
  public static func refusal(in body: CBORValue) -> SMPResponseError? {
    let refusal = SMPResponseError(body: body)
    guard body["len"]?.integer != nil else { return refusal }
    return switch refusal {
    case .group(SMPGroupError(.offsetInvalid))?: nil
    // A v1 server translates the group's number to one that says less (smp.md §1.5).
    case .status(.invalidValue, _)?, .status(.unknown, _)?: nil
    default: refusal
    }
  }

  /// The offset at which the board goes on.
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Int {
    SMPResponseError(body: body) == nil ? try body.size("off") : try body.size("len")
  }
}

/// Asks how long a file is (file system group, command 1, read; smp.md §3.5).
public struct FileStatusRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.fileSystem
  public static let command: UInt8 = 1

  public var name: String

  public init(name: String) {
    self.name = name
  }

  public var payload: CBORValue { .object(["name": .text(name)]) }

  /// Bytes of the file.
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Int {
    try body.size("len")
  }
}

/// Closes whatever file the board has open (file system group, command 4; smp.md §3.5): a write, although it changes no file.
public struct FileCloseRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.fileSystem
  public static let command: UInt8 = 4
  public static let isRepeatable = true

  public init() {}

  public var payload: CBORValue { .map([]) }
}
