/// One entry of a board's log (log group, command 0; device-manager.md §6, the keys as Mynewt's newtmgr has them).
public struct LogEntry: Hashable, Sendable {
  public var index: Int
  /// Microseconds of the board's own clock.
  public var time: Int
  /// Number of the module that wrote it (`LogModuleListRequest` has the names).
  public var module: Int
  /// Number of its severity (`LogLevelListRequest` has the names).
  public var level: Int
  /// What `message` holds: `str`, `cbor` or `bin`; nil when the board does not say, which means text.
  public var kind: String?
  public var message: [UInt8]
  /// The first bytes of the image that wrote it, where the board notes them.
  public var imageHash: [UInt8]?

  public init(index: Int, time: Int, module: Int, level: Int, kind: String? = nil, message: [UInt8], imageHash: [UInt8]? = nil) {
    self.index = index
    self.time = time
    self.module = module
    self.level = level
    self.kind = kind
    self.message = message
    self.imageHash = imageHash
  }

  /// The message as text; what is no UTF-8 is replaced by U+FFFD.
  public var text: String { String(decoding: message, as: UTF8.self) }

  init(_ body: CBORValue) throws(SMPDecodeError) {
    guard body.isMap else { throw .wrongType("entries") }
    let message: [UInt8]
    switch body["msg"] {
    case .bytes(let bytes)?: message = bytes
    case .text(let text)?: message = [UInt8](text.utf8)
    case nil: throw .missing("msg")
    default: throw .wrongType("msg")
    }
    self.init(
      index: try body.integer("index"), time: try body.optionalInteger("ts") ?? 0, module: try body.optionalInteger("module") ?? 0,
      level: try body.optionalInteger("level") ?? 0, kind: try Self.kind(body["type"]), message: message, imageHash: try body.optionalBytes("imghash"))
  }

  /// A word, also as a byte string; older servers send its number.
  private static func kind(_ value: CBORValue?) throws(SMPDecodeError) -> String? {
    switch value {
    case nil, .null?: return nil
    case .text(let word)?: return word
    case .bytes(let word)?: return String(decoding: word, as: UTF8.self)
    case .unsigned(let number)?: return number < 3 ? ["str", "cbor", "bin"][Int(number)] : "\(number)"
    default: throw .wrongType("type")
    }
  }
}

/// One of a board's logs, as far as an answer holds it.
public struct LogReading: Hashable, Sendable {
  public var name: String
  /// 0 a stream, 1 memory, 2 storage.
  public var kind: Int
  public var entries: [LogEntry]

  public init(name: String, kind: Int, entries: [LogEntry]) {
    self.name = name
    self.kind = kind
    self.entries = entries
  }

  init(_ body: CBORValue) throws(SMPDecodeError) {
    guard body.isMap else { throw .wrongType("logs") }
    var entries: [LogEntry] = []
    if body["entries"] != nil { for entry in try body.list("entries") { entries.append(try LogEntry(entry)) } }
    self.init(name: try body.requiredText("name"), kind: try body.optionalInteger("type") ?? 0, entries: entries)
  }
}
