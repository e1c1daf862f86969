extension SecureInitPacket {
  /// Field numbers of `dfu-cc.proto` (facts/nordic-dfu.md §3.6).
  private enum Number {
    enum Packet {
      static let command: UInt64 = 1
      static let signedCommand: UInt64 = 2
    }
    enum SignedCommand {
      static let command: UInt64 = 1
      static let signatureType: UInt64 = 2
      static let signature: UInt64 = 3
    }
    enum Command {
      static let opCode: UInt64 = 1
      static let initCommand: UInt64 = 2
    }
    /// Of `Hash` and `BootValidation`.
    enum Typed {
      static let type: UInt64 = 1
      static let bytes: UInt64 = 2
    }
    static let opCodeInit: UInt32 = 1
  }

  /// Reads a whole packet. Unknown fields are passed over, lists may be packed or not, and of a field that comes twice the last one counts.
  ///
  /// Throws what is wrong when it is no message, no init command, or has no hash.
  init(_ bytes: [UInt8]) throws(ProtobufReader.Flaw) {
    guard bytes.count <= Self.largest else { throw ProtobufReader.Flaw(text: "it has more than \(Self.largest) bytes") }
    self.init(length: bytes.count)
    let packet = try ProtobufReader.fields(bytes)
    var command = try Self.message(packet, Number.Packet.command)
    if let signed = try Self.message(packet, Number.Packet.signedCommand) {
      let fields = try ProtobufReader.fields(signed)
      command = try Self.message(fields, Number.SignedCommand.command)
      signature = Signature(
        type: try Self.number(fields, Number.SignedCommand.signatureType) ?? 0, bytes: try Self.message(fields, Number.SignedCommand.signature) ?? [])
    }
    guard let command else { throw ProtobufReader.Flaw(text: "it holds no command") }
    let fields = try ProtobufReader.fields(command)
    guard try Self.number(fields, Number.Command.opCode) == Number.opCodeInit, let initCommand = try Self.message(fields, Number.Command.initCommand)
    else { throw ProtobufReader.Flaw(text: "its command is not an init command") }
    var hasHash = false
    for field in try ProtobufReader.fields(initCommand) {
      try take(field)
      hasHash = hasHash || field.number == 8
    }
    guard hasHash else { throw ProtobufReader.Flaw(text: "it names no hash of the image") }
  }

  /// One field of `InitCommand`.
  private mutating func take(_ field: ProtobufReader.Field) throws(ProtobufReader.Flaw) {
    switch field.number {
    case 1: fwVersion = try Self.number(field)
    case 2: hwVersion = try Self.number(field)
    case 3: softDevices += try Self.softDevices(field)
    case 4: type = ImageType(rawValue: try Self.number(field))
    case 5: sizes.softDevice = Int(try Self.number(field))
    case 6: sizes.bootloader = Int(try Self.number(field))
    case 7: sizes.application = Int(try Self.number(field))
    case 8:
      let (type, bytes) = try Self.typed(field)
      hash = Hash(type: type, bytes: bytes)
    case 9: isDebug = try Self.number(field) != 0
    case 10:
      let (type, bytes) = try Self.typed(field)
      bootValidations.append(BootValidation(type: type, bytes: bytes))
    default: break
    }
  }

  /// `sd_req`: written as one packed list, and by older tools as one field for each id.
  private static func softDevices(_ field: ProtobufReader.Field) throws(ProtobufReader.Flaw) -> [SoftDevice] {
    let numbers: [UInt64]
    switch field.value {
    case .number(let number): numbers = [number]
    case .bytes(let bytes): numbers = try ProtobufReader.numbers(bytes)
    case .fixed: throw ProtobufReader.Flaw(text: "field \(field.number) has another type than it should")
    }
    var found: [SoftDevice] = []
    for number in numbers {
      guard let id = UInt16(exactly: number) else { throw ProtobufReader.Flaw(text: "a SoftDevice id has more than 16 bits") }
      found.append(SoftDevice(rawValue: id))
    }
    return found
  }

  /// `Hash` or `BootValidation`: a type and bytes.
  private static func typed(_ field: ProtobufReader.Field) throws(ProtobufReader.Flaw) -> (UInt32, [UInt8]) {
    let fields = try ProtobufReader.fields(try bytes(field))
    return (try number(fields, Number.Typed.type) ?? 0, try message(fields, Number.Typed.bytes) ?? [])
  }

  private static func message(_ fields: [ProtobufReader.Field], _ number: UInt64) throws(ProtobufReader.Flaw) -> [UInt8]? {
    guard let field = fields.last(where: { $0.number == number }) else { return nil }
    return try bytes(field)
  }

  private static func number(_ fields: [ProtobufReader.Field], _ number: UInt64) throws(ProtobufReader.Flaw) -> UInt32? {
    guard let field = fields.last(where: { $0.number == number }) else { return nil }
    return try self.number(field)
  }

  private static func bytes(_ field: ProtobufReader.Field) throws(ProtobufReader.Flaw) -> [UInt8] {
    guard case .bytes(let bytes) = field.value else { throw ProtobufReader.Flaw(text: "field \(field.number) has another type than it should") }
    return bytes
  }

  private static func number(_ field: ProtobufReader.Field) throws(ProtobufReader.Flaw) -> UInt32 {
    guard case .number(let wide) = field.value else { throw ProtobufReader.Flaw(text: "field \(field.number) has another type than it should") }
    guard let number = UInt32(exactly: wide) else { throw ProtobufReader.Flaw(text: "the number of field \(field.number) has more than 32 bits") }
    return number
  }
}
