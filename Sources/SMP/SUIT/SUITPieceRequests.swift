/// Where a board stands after a piece of an envelope, a cache or a resource.
public struct SUITPieceResponse: Hashable, Sendable {
  /// The offset that the board expects next, whatever was sent.
  public var offset: Int
  /// The piece was not taken, because the board expects another offset: it answers `rc` 1 and yet tells where to go on (smp.md §7).
  public var isOutOfStep: Bool

  public init(offset: Int, isOutOfStep: Bool = false) {
    self.offset = offset
    self.isOutOfStep = isOutOfStep
  }
}

/// A request that carries a piece of something: its keys in canonical order, the data copied once.
public protocol SUITPieceRequest: SMPRequest where Response == SUITPieceResponse {
  var offset: Int { get }
  var data: ArraySlice<UInt8> { get }
  /// Bytes of the whole, with the piece of offset 0 only.
  var length: Int? { get }
  /// What only this kind of request says; its key is longer than `data`.
  var mark: CBORValue.Entry? { get }
}

extension SUITPieceRequest {
  public static var operation: SMPOperation { .write }
  public static var group: SMPGroup { .suit }
  /// A piece that the board already has is answered with the offset that it expects.
  public static var isRepeatable: Bool { true }

  public var payload: CBORValue {
    var entries = [CBORValue.Entry(.text("off"), .integer(offset)), CBORValue.Entry(.text("data"), .bytes([UInt8](data)))]
    if let length { entries.append(CBORValue.Entry(.text("len"), .integer(length))) }
    if let mark { entries.append(mark) }
    return .map(entries)
  }

  public func encodePayload(into writer: inout CBORWriter) {
    writer.mapHead(2 + (length == nil ? 0 : 1) + (mark == nil ? 0 : 1))
    if let length {
      writer.text("len")
      writer.value(.integer(length))
    }
    writer.text("off")
    writer.value(.integer(offset))
    writer.text("data")
    writer.byteString(data)
    if let mark {
      writer.value(mark.key)
      writer.value(mark.value)
    }
  }

  public var expectedSize: Int { 128 + data.count }

  /// `rc` 1 with an offset is no refusal: the board tells where to go on.
  public static func refusal(in body: CBORValue) -> SMPResponseError? {
    isOutOfStep(body) ? nil : SMPResponseError(body: body)
  }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> SUITPieceResponse {
    SUITPieceResponse(offset: try body.size("off"), isOutOfStep: isOutOfStep(body))
  }

  private static func isOutOfStep(_ body: CBORValue) -> Bool {
    SMPResponseError(body: body) == .status(.unknown, reason: body["rsn"]?.text) && body["off"]?.integer != nil
  }
}

/// Writes a piece of a SUIT envelope (group 66, command 2). Offset 0 erases the board's DFU partition; after the last byte the board begins to
/// install on its own, unless that was put off.
public struct SUITEnvelopeRequest: SUITPieceRequest, Hashable {
  public static let command: UInt8 = 2

  public var offset: Int
  public var data: ArraySlice<UInt8>
  public var length: Int?
  /// With offset 0 only: the installation waits for `SUITInstallRequest`.
  public var defersInstall: Bool

  public init(offset: Int, data: ArraySlice<UInt8>, length: Int? = nil, defersInstall: Bool = false) {
    self.offset = offset
    self.data = data
    self.length = length
    self.defersInstall = defersInstall
  }

  public var mark: CBORValue.Entry? {
    length != nil && defersInstall ? CBORValue.Entry(.text("defer_install"), .bool(true)) : nil
  }

  /// Bytes that the keys of every request, and of the first one, cost besides `off` and `data`.
  public static func costs(length: Int, defersInstall: Bool) -> ChunkCosts {
    ChunkCosts(every: 0, first: ChunkCosts.entry("len", length) + (defersInstall ? ChunkCosts.key("defer_install") + 1 : 0))
  }
}

/// Writes a piece of a resource that the board asked for (group 66, command 4). The board gives up 5 s after the piece before (smp.md §7).
public struct SUITResourceRequest: SUITPieceRequest, Hashable {
  public static let command: UInt8 = 4

  /// `stream_session_id` of the board's question.
  public var session: Int
  public var offset: Int
  public var data: ArraySlice<UInt8>
  public var length: Int?

  public init(session: Int, offset: Int, data: ArraySlice<UInt8>, length: Int? = nil) {
    self.session = session
    self.offset = offset
    self.data = data
    self.length = length
  }

  public var mark: CBORValue.Entry? { CBORValue.Entry(.text("stream_session_id"), .integer(session)) }

  public static func costs(length: Int, session: Int) -> ChunkCosts {
    ChunkCosts(every: ChunkCosts.entry("stream_session_id", session), first: ChunkCosts.entry("len", length))
  }
}

/// Writes a piece of a cache partition (group 66, command 5).
public struct SUITCacheRequest: SUITPieceRequest, Hashable {
  public static let command: UInt8 = 5

  /// Number of the partition.
  public var target: Int
  public var offset: Int
  public var data: ArraySlice<UInt8>
  public var length: Int?

  public init(target: Int, offset: Int, data: ArraySlice<UInt8>, length: Int? = nil) {
    self.target = target
    self.offset = offset
    self.data = data
    self.length = length
  }

  public var mark: CBORValue.Entry? { CBORValue.Entry(.text("target_id"), .integer(target)) }

  public static func costs(length: Int, target: Int) -> ChunkCosts {
    ChunkCosts(every: ChunkCosts.entry("target_id", target), first: ChunkCosts.entry("len", length))
  }
}
