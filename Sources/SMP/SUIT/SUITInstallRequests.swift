/// Begins the installation that was put off (group 66, command 2 with neither data nor length; device-manager.md §4.2).
public struct SUITInstallRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.suit
  public static let command: UInt8 = 2

  public init() {}

  public var payload: CBORValue { .object(["off": .unsigned(0), "len": .unsigned(0)]) }

  /// In the order in which the known clients write it.
  public func encodePayload(into writer: inout CBORWriter) {
    writer.mapHead(2)
    writer.text("off")
    writer.unsigned(0)
    writer.text("len")
    writer.unsigned(0)
  }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) {}
}

/// Asks an installing board what it lacks (group 66, command 3; device-manager.md §4.2). Nil: nothing, now.
public struct SUITMissingRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.suit
  public static let command: UInt8 = 3

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> SUITResourceQuestion? {
    guard body["stream_session_id"] != nil || body["resource_id"] != nil else { return nil }
    let session = try body.size("stream_session_id")
    let uri: String
    switch body["resource_id"] {
    case nil: throw .missing("resource_id")
    case .bytes(let bytes)?: uri = String(decoding: bytes, as: UTF8.self)
    case .text(let text)?: uri = text
    default: throw .wrongType("resource_id")
    }
    guard !uri.isEmpty, uri.utf8.count <= SUITResourceID.longest else { throw .outOfRange("resource_id") }
    return SUITResourceQuestion(session: session, resource: SUITResourceID(uri))
  }
}

/// Erases the DFU and cache partitions (group 66, command 6; device-manager.md §4.2).
public struct SUITCleanUpRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.suit
  public static let command: UInt8 = 6
  public static let isRepeatable = true

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) {}
}

/// Begins the installation on a board that takes SUIT over the image group: a confirmation without a hash (device-manager.md §4.4).
///
/// Unlike `ImageStateWriteRequest` it does not need the images in the answer, which these boards may leave out.
public struct SUITConfirmRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.image
  public static let command: UInt8 = 0

  public init() {}

  public var payload: CBORValue { .object(["confirm": .bool(true)]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) {}
}
