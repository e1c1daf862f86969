import Firmware
import Testing

/// Init packets whose bytes come from the facts and from Nordic's own tools (Fixtures/nordic/README.md).
@Suite("Init packets")
struct InitPacketTests {
  struct Legacy: Sendable {
    var source: String
    var hex: String
    var header: LegacyInitPacket.Header?
    var form: String
    var crc: UInt16?

    init(_ source: String, _ hex: String, _ board: (UInt16, UInt16)?, _ version: UInt32, _ softDevices: [UInt16], _ form: String, _ crc: UInt16?) {
      (self.source, self.hex, self.form, self.crc) = (source, hex, form, crc)
      header = board.map {
        LegacyInitPacket.Header(
          deviceType: $0.0, deviceRevision: $0.1, applicationVersion: version, softDevices: softDevices.map(SoftDevice.init(rawValue:)))
      }
    }
  }

  static let sha = "596cdbd91f56387bbf53222c03f3b89bd707040138ab23df6988ff25388d5ed1"
  static let hash = String(repeating: "A5", count: 32)
  static let ecds = String(repeating: "3C", count: 64)

  static let legacy = [
    Legacy("§9.1, MetaMotion C 1.3.5", "06 00 01 00 FF FF FF FF 01 00 88 00 4D 61", (6, 1), .max, [0x88], "0.5", 0x614d),
    Legacy("§9.1, MetaMotion R 1.3.4", "05 00 02 00 FF FF FF FF 01 00 88 00 C4 16", (5, 2), .max, [0x88], "0.5", 0x16c4),
    Legacy("§8.4, devzone 6897", "FFFF FFFF FFFFFFFF 0100 FEFF 5D1E", (0xffff, 0xffff), .max, [0xfffe], "0.5", 0x1e5d),
    Legacy("§8.4, ext id 0", "0100 0200 EEFFEEFF 0300 5704 AE08 050D 00000000 AEFA", (1, 2), 0xffee_ffee, [1111, 2222, 3333], "0.6", 0xfaae),
    Legacy(
      "§8.4, ext id 2 without length", "0100 0200 03000000 0400 5704 AE08 050D 5C11 02000000" + hash + ecds, (1, 2), 3, [1111, 2222, 3333, 4444], "0.8",
      nil),
    Legacy("§2.6, SDK 6", "4D61", nil, 0, [], "crc", 0x614d),
    Legacy("legacy-06.zip", "06000100ffffffff01008800000000000c4b", (6, 1), .max, [0x88], "0.6", 0x4b0c),
    Legacy("legacy-07.zip", "06000100ffffffff0100880001000000 00020000" + sha, (6, 1), .max, [0x88], "0.7", nil),
    Legacy("legacy-08.zip", "06000100ffffffff0100880002000000 00020000" + sha + ecds, (6, 1), .max, [0x88], "0.8", nil),
    Legacy("legacy-bootloader.zip", "5200ffffffffffff020088008c00718b", (0x52, 0xffff), .max, [0x88, 0x8c], "0.5", 0x8b71),
    Legacy("§4.2, a type that begins like Secure DFU", "1200 0100 FFFFFFFF 0100 8800 4D61", (0x12, 1), .max, [0x88], "0.5", 0x614d),
    Legacy("§4.2, a type that begins like Secure DFU", "0A00 0100 FFFFFFFF 0100 8800 4D61", (0x0a, 1), .max, [0x88], "0.5", 0x614d),
    Legacy("no SoftDevice", "0100 0100 FFFFFFFF 0000 4D61", (1, 1), .max, [], "0.5", 0x614d),
  ]

  @Test("Legacy forms, field by field", arguments: legacy)
  func legacyForms(row: Legacy) throws {
    let bytes = NordicFixture.bytes(row.hex)
    for saysLegacy in [false, true] {
      guard case .legacy(let packet) = try NordicInitPacket(bytes, saysLegacy: saysLegacy) else {
        Issue.record("\(row.source) was taken for Secure DFU")
        continue
      }
      #expect(packet.header == row.header, "\(row.source)")
      #expect(packet.form == row.form, "\(row.source)")
      #expect(packet.crc16 == row.crc, "\(row.source)")
      #expect(packet.length == bytes.count)
    }
  }

  @Test("hash, length and signature of the long Legacy forms")
  func legacyHashes() throws {
    let rows = Self.legacy.map { LegacyInitPacket(NordicFixture.bytes($0.hex)) }
    let expected = try #require(Digest(.sha256, bytes: NordicFixture.bytes(Self.sha)))
    #expect(rows[7]?.extension == .sha256(length: 512, hash: expected))
    #expect(rows[8]?.extension == .signed(length: 512, hash: expected, signature: NordicFixture.bytes(Self.ecds)))
    #expect(rows[4]?.hash?.bytes == NordicFixture.bytes(Self.hash))
    #expect(rows[4]?.isSigned == true)
  }

  @Test("an unknown extension passes only where the manifest speaks of Legacy DFU")
  func unknownExtension() throws {
    let bytes = NordicFixture.bytes("06000100 FFFFFFFF 0100 8800 09000000 0102030405060708")
    #expect(throws: PackageError.self) { try NordicInitPacket(bytes) }
    guard case .legacy(let packet) = try NordicInitPacket(bytes, saysLegacy: true) else {
      Issue.record("taken for Secure DFU")
      return
    }
    #expect(packet.extension == .unknown(Array(bytes.dropFirst(12))))
    #expect(packet.form == "unknown")
  }

  /// The packet of facts/nordic-dfu.md §9.2 (139 bytes, hash at offset 31) put together from §3.6; the hash's unknown bytes are made up.
  static let blinky =
    "12 8801 | 0a 42 08 01 12 3e 08 01 10 34 1a 01 00 20 00 28 00 30 00 38 e40b 42 24 08 03 12 20 e97309e8" + String(repeating: "11", count: 26) + "48c5"
    + "48 00 52 04 08 01 12 00 | 10 00 1a 40" + ecds

  @Test("Secure DFU: every field of Nordic's sample")
  func secure() throws {
    let bytes = NordicFixture.bytes(Self.blinky)
    #expect(bytes.count == 139)
    guard case .secure(let packet) = try NordicInitPacket(bytes) else {
      Issue.record("taken for Legacy DFU")
      return
    }
    #expect(packet.fwVersion == 1)
    #expect(packet.hwVersion == 52)
    #expect(packet.softDevices == [.none])
    #expect(packet.type == .application)
    #expect(packet.sizes == NordicSizes(application: 1508))
    #expect(packet.hash.type == SecureInitPacket.sha256Type)
    #expect(packet.hash.bytes == Array(bytes[31..<63]))
    #expect(packet.hash.digest?.hex.hasPrefix("c548") == true, "stored with the last byte first")
    #expect(packet.hash.digest?.hex.hasSuffix("e80973e9") == true)
    #expect(!packet.isDebug)
    #expect(packet.bootValidations == [SecureInitPacket.BootValidation(type: 1, bytes: [])])
    #expect(packet.signature == SecureInitPacket.Signature(type: 0, bytes: NordicFixture.bytes(Self.ecds)))
    #expect(packet.length == 139)
  }

  @Test(
    "Secure DFU: what is tolerated",
    arguments: [
      ("the list unpacked", "18 00 18 cb01", [0, 0xcb] as [UInt16]), ("the list packed", "1a 03 00 cb01", [0, 0xcb]),
      ("both mixed", "18 88 01 1a 02 cb 01", [0x88, 0xcb]), ("no list", "", []),
      ("unknown fields", "78 05 7a 02 ab cd 7d 01020304 79 0102030405060708 18 01", [1]),
    ])
  func tolerated(what: String, fields: String, softDevices: [UInt16]) throws {
    guard case .secure(let packet) = try NordicInitPacket(Self.unsigned(NordicFixture.bytes(fields))) else {
      Issue.record("\(what): taken for Legacy DFU")
      return
    }
    #expect(packet.softDevices.map(\.rawValue) == softDevices, "\(what)")
    #expect(packet.signature == nil)
  }

  @Test(
    "what is neither is refused, with the reason",
    arguments: [
      ("", "it holds no command"), ("0a", "a number breaks off"), ("0a 05 08 01", "reaches over the end"), ("0a 02 08 02", "not an init command"),
      ("0a 06 08 01 12 02 08 01", "names no hash"), ("0b 00 00", "wire type 3"), ("02 00 00", "number 0"), ("ffffffffffffffffffff01", "more than ten bytes"),
      ("0a ffffffffffffffff7f", "reaches over the end"), ("08 01 08 01", "another type"), ("0a 0c 08 01 12 08 08 ffffffff7f 42 00", "more than 32 bits"),
      ("0a 0d 08 01 12 09 1a 03 ffff07 42 02 08 03", "more than 16 bits"), ("00112233445566", "number 0"), ("06000100ffffffff0100880000", "wire type"),
    ])
  func refused(hex: String, reason: String) {
    do {
      _ = try NordicInitPacket(NordicFixture.bytes(hex))
      Issue.record("\(hex) was taken")
    } catch {
      #expect(error.description.contains(reason), "\(hex): \(error.description)")
    }
  }

  @Test("a packet over the limit is refused before it is read")
  func tooLong() {
    #expect(throws: PackageError.initPacketTooLong(513, limit: 512)) { try NordicInitPacket([UInt8](repeating: 0, count: 513)) }
  }

  @Test("no beginning of a packet traps, and none of Secure DFU is taken for a whole one")
  func everyPrefix() {
    let packets = Self.legacy.map(\.hex) + [Self.blinky]
    for hex in packets {
      let bytes = NordicFixture.bytes(hex)
      for length in 0..<bytes.count {
        for saysLegacy in [false, true] {
          let packet = try? NordicInitPacket(Array(bytes.prefix(length)), saysLegacy: saysLegacy)
          if case .secure? = packet { Issue.record("\(length) bytes of \(hex)") }
        }
      }
    }
  }

  @Test("no changed byte traps")
  func flips() {
    var dice = Dice(state: 21)
    for hex in Self.legacy.map(\.hex) + [Self.blinky] {
      let bytes = NordicFixture.bytes(hex)
      for offset in bytes.indices {
        for _ in 0..<8 { _ = try? NordicInitPacket(bytes.patched(at: offset, [UInt8.random(in: 0...255, using: &dice)]), saysLegacy: dice.next() & 1 == 0) }
      }
    }
  }

  /// An unsigned packet with a hash and these fields of `InitCommand` before it.
  static func unsigned(_ fields: [UInt8]) -> [UInt8] {
    let command = fields + NordicFixture.bytes("42 24 08 03 12 20" + hash)
    let outer = [8, 1, 0x12, UInt8(command.count)] + command
    return [0x0a, UInt8(outer.count)] + outer
  }
}
