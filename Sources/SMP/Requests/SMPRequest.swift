/// A command of the Simple Management Protocol that knows its response.
public protocol SMPRequest: Sendable {
  associatedtype Response: Sendable

  /// Read or write.
  static var operation: SMPOperation { get }
  static var group: SMPGroup { get }
  static var command: UInt8 { get }

  /// How long the board may take, when the caller has no limit of its own (device-manager.md §5.7).
  static var answerLimit: Duration { get }

  /// True when sending it twice does what sending it once does, so that a lost answer may be answered by sending it again.
  static var isRepeatable: Bool { get }

  /// The body: a map, empty if there is nothing to say (a length of 0 is refused by many handlers, smp.md §1.2).
  var payload: CBORValue { get }

  /// The body's bytes; only a request with bulk data writes them itself.
  func encodePayload(into writer: inout CBORWriter)

  /// Bytes to reserve for the whole frame; a guess is enough.
  var expectedSize: Int { get }

  /// The refusal that an answer's body holds; only a command whose answers carry more than the error looks for itself.
  static func refusal(in body: CBORValue) -> SMPResponseError?

  /// Reads the body of a successful answer.
  static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Response
}

extension SMPRequest {
  public static var answerLimit: Duration { .seconds(10) }
  public static var isRepeatable: Bool { operation == .read }

  public func encodePayload(into writer: inout CBORWriter) {
    writer.value(payload)
  }

  /// The header of this request; its length is set by whoever has the payload.
  public static func header(sequence: UInt8, version: SMPVersion = .v2) -> SMPHeader {
    SMPHeader(version: version, operation: operation, group: group, sequence: sequence, command: command)
  }

  /// The whole request as bytes for the wire. Throws `payloadTooLong`.
  public func frame(sequence: UInt8, version: SMPVersion = .v2) throws(SMPFrameError) -> [UInt8] {
    var writer = CBORWriter(Self.header(sequence: sequence, version: version).bytes, reserving: expectedSize)
    encodePayload(into: &writer)
    let payload = writer.bytes.count - SMPHeader.size
    guard let length = UInt16(exactly: payload) else { throw .payloadTooLong(payload) }
    var bytes = writer.finish()
    bytes[2] = UInt8(length >> 8)
    bytes[3] = UInt8(length & 0xFF)
    return bytes
  }

  public var expectedSize: Int { 64 }

  public static func refusal(in body: CBORValue) -> SMPResponseError? { SMPResponseError(body: body) }

  /// Reads the answer to this request: a refusal in either shape, or the response.
  public static func response(in frame: SMPFrame) throws(SMPAnswerError) -> Response {
    let body: CBORValue
    do throws(CBORError) {
      body = try CBORValue(decoding: frame.payload)
    } catch {
      throw .unreadable(.cbor(error))
    }
    guard body.isMap else { throw .unreadable(.notAMap) }
    if let refusal = refusal(in: body) { throw .refused(refusal) }
    do throws(SMPDecodeError) {
      return try decode(body)
    } catch {
      throw .unreadable(error)
    }
  }
}

extension SMPRequest where Response == Void {
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) {}
}
