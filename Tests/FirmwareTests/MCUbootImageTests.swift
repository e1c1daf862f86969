import Firmware
import Testing

/// Images by imgtool, against what imgtool's own `dumpinfo` says of them.
@Suite("MCUbootImage: images by imgtool")
struct MCUbootImageTests {
  static let all = [
    "ecdsa-sha256", "ecdsa-sha384", "ed25519-sha512", "ed25519-pure", "rsa2048", "unsigned", "encrypted", "encrypted-x25519", "encryptable-clear",
    "protected", "rom-fixed", "padded", "padded-confirmed", "padded-align16", "compressed", "non-bootable",
  ]

  @Test("header, version and every entry are those of dumpinfo", arguments: all)
  func agreesWithDumpinfo(name: String) throws {
    let image = try MCUbootImage(Fixture.bytes(name + ".bin"))
    let dump = try Fixture.dump(name)
    #expect(image.version.description == dump.header.version)
    #expect(image.headerSize == dump.header.hdr_size)
    #expect(image.bodySize == dump.header.img_size)
    #expect(image.protectedSize == dump.header.protected_tlv_size)
    #expect(image.loadAddress == dump.header.load_addr)
    #expect(image.flags.rawValue == dump.header.flags)
    #expect(image.protectedEntries.map { Fixture.Dump.Entry(type: $0.type, data: $0.value.hex) } == dump.tlv_area.tlvs_prot)
    #expect(image.entries.map { Fixture.Dump.Entry(type: $0.type, data: $0.value.hex) } == dump.tlv_area.tlvs)
    #expect(image.hash.hex == dump.tlv_area.tlvs.first { [0x10, 0x11, 0x12].contains($0.type) }?.data)
  }

  @Test("the hash is recomputed over header, body and protected entries", arguments: all)
  func hash(name: String) throws {
    let image = try MCUbootImage(Fixture.bytes(name + ".bin"))
    // An encrypted image's hash is of its plaintext; with --clear the body is plain although the flag is set.
    #expect(image.hashCheck == (name.hasPrefix("encrypted") ? .encrypted : .matches))
    #expect(image.isEncrypted == name.hasPrefix("encrypt"))
  }

  @Test(
    "kinds of hash, signature and encryption",
    arguments: [
      ("ecdsa-sha256", .sha256, [.ecdsa], nil),
      ("ecdsa-sha384", .sha384, [.ecdsa], nil),
      ("ed25519-sha512", .sha512, [.ed25519], nil),
      ("ed25519-pure", .sha512, [.ed25519], nil),
      ("rsa2048", .sha256, [.rsa2048], nil),
      ("unsigned", .sha256, [], nil),
      ("encrypted", .sha256, [.ecdsa], .encryptedEC256),
      ("encrypted-x25519", .sha512, [.ed25519], .encryptedX25519),
    ] as [(String, Digest.Kind, [ImageEntry.Kind], ImageEntry.Kind?)])
  func kinds(name: String, hash: Digest.Kind, signatures: [ImageEntry.Kind], encryption: ImageEntry.Kind?) throws {
    let image = try MCUbootImage(Fixture.bytes(name + ".bin"))
    #expect(image.hash.kind == hash)
    #expect(image.signatures == signatures)
    #expect(image.isSigned == !signatures.isEmpty)
    #expect(image.encryption == encryption)
    #expect(image.hasPureSignature == (name == "ed25519-pure"))
    #expect((image.keyHash != nil) == image.isSigned)
  }

  @Test("what stands in the protected entries")
  func protected() throws {
    let image = try MCUbootImage(Fixture.bytes("protected.bin"))
    #expect(image.securityCounter == 5)
    #expect(image.dependencies.map(\.image) == [1])
    #expect(image.dependencies.map(\.version) == [ImageVersion(major: 1, minor: 2, revision: 3, build: 4)])
    #expect(image.protectedEntries.map(\.kind) == [.securityCounter, .bootRecord, .dependency, .vendorID, .classID, nil])
  }

  @Test("a slot trailer is seen, and whether it confirms", arguments: ["padded": false, "padded-confirmed": true, "padded-align16": false])
  func trailer(name: String, confirmed: Bool) throws {
    let bytes = try Fixture.bytes(name + ".bin")
    let image = try MCUbootImage(bytes)
    // Where the image ends follows from dumpinfo: header, body, the area's head of 4 bytes, entries with 4 bytes each.
    let dump = try Fixture.dump(name)
    let length = dump.tlv_area.tlvs.reduce(dump.header.hdr_size + dump.header.img_size + 4) { $0 + 4 + $1.data.count / 2 }
    #expect(image.length == length)
    #expect(image.trailing == .trailer(bytes: bytes.count - length, confirmed: confirmed))
  }

  @Test("a file that ends with its image has nothing behind it")
  func noTrailer() throws {
    #expect(try MCUbootImage(Fixture.bytes("ecdsa-sha256.bin")).trailing == .nothing)
  }
}
