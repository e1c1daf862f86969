import Testing

@testable import SMP

/// Requests byte for byte, and what answers mean.
struct RequestTests {
  /// A request and its bytes.
  struct GoldenRequest: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: @Sendable () throws -> [UInt8]
    var expected: String
    var testDescription: String { name }
  }

  static let hash = [UInt8](0..<32)
  static let hashHex = hex(hash)

  /// device-manager.md §9 "Request frames", smp.md §1.1 (echo).
  static let requests: [GoldenRequest] = [
    GoldenRequest(name: "echo", bytes: { try EchoRequest(text: "hello").frame(sequence: 1) }, expected: "0A00000900000100 A161646568656C6C6F"),
    GoldenRequest(name: "image list", bytes: { try ImageStateReadRequest().frame(sequence: 0x42) }, expected: "0800000100014200A0"),
    GoldenRequest(name: "image list, user log", bytes: { try ImageStateReadRequest().frame(sequence: 1) }, expected: "0800000100010100A0"),
    GoldenRequest(name: "params", bytes: { try ParametersRequest().frame(sequence: 0x42) }, expected: "0800000100004206A0"),
    GoldenRequest(name: "params probe v1", bytes: { try ParametersRequest().frame(sequence: 0xFF, version: .v1) }, expected: "000000010000FF06A0"),
    GoldenRequest(name: "bootloader name", bytes: { try BootloaderNameRequest().frame(sequence: 0) }, expected: "0800000100000008A0"),
    GoldenRequest(name: "bootloader mode", bytes: { try BootloaderModeRequest().frame(sequence: 2) }, expected: "0800000C00000208A16571756572 79646D6F6465"),
    GoldenRequest(name: "reset", bytes: { try ResetRequest().frame(sequence: 3) }, expected: "0A00000100000305A0"),
    GoldenRequest(
      name: "reset to loader", bytes: { try ResetRequest(bootMode: .bootloader).frame(sequence: 3) },
      expected: "0A00000C00000305A169626F6F745F6D6F646501"),
    GoldenRequest(name: "confirm", bytes: { try ImageStateWriteRequest.confirm().frame(sequence: 5) }, expected: "0A00000A00010500A167636F6E6669726DF5"),
    GoldenRequest(
      name: "test hash", bytes: { try ImageStateWriteRequest.test(hash).frame(sequence: 4) },
      expected: "0A00003100010400A264686173685820" + hashHex + "67636F6E6669726DF4"),
    GoldenRequest(name: "erase", bytes: { try ImageEraseRequest(image: 1, slot: 1).frame(sequence: 7) }, expected: "0A00000700010705A164736C6F7403"),
    GoldenRequest(name: "erase storage", bytes: { try EraseStorageRequest().frame(sequence: 6) }, expected: "0A000001003F0600A0"),
  ]

  @Test("Golden requests come out byte for byte", arguments: requests)
  func goldenRequest(golden: GoldenRequest) throws {
    #expect(hex(try golden.bytes()) == hex(hex(golden.expected)))
    #expect(!hex(golden.expected).isEmpty)
  }

  @Test("Force is a Boolean on the wire (smp.md §3.1)")
  func force() {
    #expect(ResetRequest(force: true).payload == .object(["force": .bool(true)]))
    #expect(ResetRequest(force: true, bootMode: .normal).payload.encoded() == hex("A2 65 666F726365 F5 69 626F6F745F6D6F6465 00"))
  }

  @Test("An upload request written in one go is the same bytes as through a value", arguments: [0, 1, 23, 24, 255, 256, 2406, 65_000])
  func uploadFastPath(count: Int) throws {
    let file = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    let starts: [UploadStart?] = [
      nil, UploadStart(length: 70_832, sha: Self.hash), UploadStart(length: 100, sha: []),
      UploadStart(length: 70_832, sha: Self.hash, image: 2, upgradeOnly: true),
    ]
    for start in starts {
      let request = ImageUploadRequest(offset: start == nil ? 4096 : 0, data: file[10..<(10 + count)], start: start)
      let frame = try request.frame(sequence: 9)
      let header = try #require(SMPHeader(frame))
      #expect(Int(header.length) == frame.count - 8)
      #expect(Array(frame.dropFirst(8)) == request.payload.encoded())
    }
  }

  @Test("A first upload request by hand (smp.md §3.2, keys in canonical order)")
  func uploadByHand() throws {
    let request = ImageUploadRequest(offset: 0, data: [0x3D, 0xB8], start: UploadStart(length: 70_832, sha: [0xAA, 0xBB], image: 1))
    #expect(
      hex(try request.frame(sequence: 0xFE))
        == hex(hex("0A 00 0025 0001 FE 01 A5 63 6C656E 1A 000114B0 63 6F6666 00 63 736861 42 AABB 64 64617461 42 3DB8 65 696D616765 01")))
  }

  @Test("Golden image lists (device-manager.md §9)")
  func imageLists() throws {
    let two = try ImageStateReadRequest.response(in: SMPFrame(decoding: Golden.twoSlots))
    #expect(
      two
        == ImageState(
          slots: [
            ImageSlot(
              slot: 0, version: "3.0.0", hash: hex("0D4F2C73D8581CE93015A2DAE6387399F0201C3C0C5615F0DD7A2D49CDF346B2"), bootable: true, confirmed: true,
              active: true),
            ImageSlot(slot: 1, version: "3.0.0", hash: hex("3AA147C63CD8E871104F7EBB1CD0B2E742D83DD79A581CB5AE0E05DB79444799"), bootable: true),
          ], splitStatus: 0))
    for frame in [Golden.shortHeader, Golden.withoutSplitStatus, Golden.otherKey] {
      let one = try ImageStateReadRequest.response(in: SMPFrame(decoding: frame))
      #expect(one == ImageState(slots: [two.slots[0]], splitStatus: 0))
    }
  }

  @Test("A frugal list leaves out what is false; hashes of 0, 20, 32, 48 and 64 bytes are taken as they are", arguments: [0, 20, 32, 48, 64])
  func frugal(length: Int) throws {
    let hash = [UInt8](repeating: 7, count: length)
    let entry = CBORValue.object(["slot": .unsigned(1), "version": .text("1.2.3.4"), "hash": .bytes(hash)])
    let state = try ImageStateReadRequest.decode(.object(["images": .array([entry])]))
    #expect(state.slots == [ImageSlot(image: 0, slot: 1, version: "1.2.3.4", hash: length == 0 ? nil : hash)])
  }

  @Test(
    "A malformed image list is named by its key",
    arguments: [
      (CBORValue.map([]), SMPDecodeError.missing("images")), (.object(["images": .unsigned(1)]), .wrongType("images")),
      (.object(["images": .array([.null])]), .wrongType("images")), (.object(["images": .array([.map([])])]), .missing("slot")),
      (.object(["images": .array([.object(["slot": .integer(-1)])])]), .outOfRange("slot")),
      (.object(["images": .array([.object(["slot": .text("0")])])]), .wrongType("slot")),
      (.object(["images": .array([.object(["slot": .unsigned(0), "hash": .text("")])])]), .wrongType("hash")),
      (.object(["images": .array([.object(["slot": .unsigned(0), "hash": .bytes([UInt8](repeating: 0, count: 65))])])]), .outOfRange("hash")),
      (.object(["images": .array([.object(["slot": .unsigned(0), "active": .unsigned(1)])])]), .wrongType("active")),
    ])
  func malformedList(body: CBORValue, expected: SMPDecodeError) {
    #expect(throws: expected) { try ImageStateReadRequest.decode(body) }
  }

  @Test("Responses of the OS group (smp.md §3.1)")
  func osResponses() throws {
    #expect(try EchoRequest.response(in: SMPFrame(decoding: Golden.echoAnswer)) == "hello")
    #expect(try ParametersRequest.decode(.object(["buf_size": .unsigned(2475), "buf_count": .unsigned(4)])) == BufferParameters(size: 2475, count: 4))
    #expect(throws: SMPDecodeError.missing("buf_count")) { try ParametersRequest.decode(.object(["buf_size": .unsigned(2475)])) }
    #expect(throws: SMPDecodeError.wrongType("buf_size")) { try ParametersRequest.decode(.object(["buf_size": .unsigned(.max), "buf_count": .unsigned(1)])) }
    #expect(try ApplicationRequest.decode(.object(["output": .text("native_sim")])) == "native_sim")
    #expect(try BootloaderNameRequest.decode(.object(["bootloader": .text("MCUboot")])) == "MCUboot")
    #expect(try BootloaderModeRequest.decode(.object(["mode": .unsigned(3)])) == .init(mode: .swapMove, refusesDowngrade: false))
    #expect(
      try BootloaderModeRequest.decode(.object(["mode": .integer(-1), "no-downgrade": .bool(true)])) == .init(mode: .unknown, refusesDowngrade: true))
    #expect(try BootloaderActiveSlotRequest.decode(.object(["active": .unsigned(1)])) == 1)
    #expect(try DateTimeReadRequest.decode(.object(["datetime": .text("2026-11-30T02:03:04")])) == "2026-11-30T02:03:04")
    #expect(throws: Never.self) { try ResetRequest.response(in: SMPFrame(decoding: Golden.legacyResetAnswer)) }
  }

  @Test("Responses of the image group (smp.md §3.2)")
  func imageResponses() throws {
    #expect(try ImageUploadRequest.decode(.object(["off": .unsigned(512)])) == .init(offset: 512))
    #expect(try ImageUploadRequest.decode(.object(["rc": .unsigned(0), "off": .unsigned(9), "match": .bool(false)])) == .init(offset: 9, match: false))
    #expect(throws: SMPDecodeError.outOfRange("off")) { try ImageUploadRequest.decode(.object(["off": .integer(-1)])) }
    let layout = try SlotLayoutRequest.decode(
      .object([
        "images": .array([
          .object([
            "image": .unsigned(0),
            "slots": .array([
              .object(["slot": .unsigned(0), "size": .unsigned(430_080)]),
              .object(["slot": .unsigned(1), "size": .unsigned(430_080), "upload_image_id": .unsigned(0)]),
              .object(["slot": .unsigned(2), "rc": .unsigned(5)]),
            ]),
            "max_image_size": .unsigned(425_984),
          ])
        ])
      ]))
    #expect(
      layout == [
        ImageLayout(
          image: 0,
          slots: [SlotLayout(slot: 0, size: 430_080), SlotLayout(slot: 1, size: 430_080, uploadImage: 0), SlotLayout(slot: 2, error: .noEntry)],
          largestImage: 425_984)
      ])
  }

  @Test("Only what may be sent twice says so")
  func repeatable() {
    #expect(ImageStateReadRequest.isRepeatable && ImageUploadRequest.isRepeatable && EchoRequest.isRepeatable)
    #expect(!ResetRequest.isRepeatable && !ImageEraseRequest.isRepeatable && !ImageStateWriteRequest.isRepeatable && !EraseStorageRequest.isRepeatable)
  }
}
