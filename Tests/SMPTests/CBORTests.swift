import Testing

@testable import SMP

/// Reading and writing CBOR. The vectors are RFC 8949 Appendix A, except where another source is named.
struct CBORTests {
  @Test(
    "Vectors of RFC 8949, Appendix A, are read",
    arguments: [
      ("00", CBORValue.unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("1903e8", .unsigned(1000)), ("1a000f4240", .unsigned(1_000_000)),
      ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3863", .negative(99)), ("3903e7", .negative(999)),
      ("3bffffffffffffffff", .negative(.max)), ("f93c00", .float(1.0)), ("f97bff", .float(65504)), ("fa47c35000", .float(100_000)),
      ("fb3ff199999999999a", .float(1.1)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null), ("f7", .null), ("40", .bytes([])),
      ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")), ("80", .array([])),
      ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])), ("a0", .map([])), ("c11a514b67b0", .tagged(1, .unsigned(1_363_896_240))),
      ("a201020304", .map([.init(.unsigned(1), .unsigned(2)), .init(.unsigned(3), .unsigned(4))])),
      ("a26161016162820203", .object(["a": .unsigned(1), "b": .array([.unsigned(2), .unsigned(3)])])),
      ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])), ("7f657374726561646d696e67ff", .text("streaming")), ("9fff", .array([])),
      ("9f018202039f0405ffff", .array([.unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)])])),
      ("bf61610161629f0203ffff", .object(["a": .unsigned(1), "b": .array([.unsigned(2), .unsigned(3)])])),
      ("bf6346756ef563416d7421ff", .object(["Fun": .bool(true), "Amt": .negative(1)])),
    ])
  func reads(bytes: String, expected: CBORValue) throws {
    #expect(try CBORValue(decoding: hex(bytes)) == expected)
  }

  @Test(
    "Vectors of RFC 8949, Appendix A, with definite lengths are written",
    arguments: [
      "00", "17", "1818", "1903e8", "1a000f4240", "1bffffffffffffffff", "20", "3863", "3bffffffffffffffff", "f4", "f5", "f6", "fb3ff199999999999a",
      "4401020304", "62c3bc", "83010203", "a26161016162820203", "c11a514b67b0",
    ])
  func writes(bytes: String) throws {
    #expect(hex(try CBORValue(decoding: hex(bytes)).encoded()).lowercased() == bytes)
  }

  @Test("Keys are written in the order of RFC 7049 §3.9, whatever the order they were given in")
  func canonicalOrder() {
    // The example keys of RFC 8949 §4.2.3, which shows their length-first order: 10, -1, false, 100, "z", [-1], "aa", [100].
    let keys: [CBORValue] = [
      .text("aa"), .array([.unsigned(100)]), .unsigned(100), .text("z"), .bool(false), .array([.integer(-1)]), .integer(-1), .unsigned(10),
    ]
    let map = CBORValue.map(keys.map { CBORValue.Entry($0, .null) })
    #expect(hex(map.encoded()) == "A8" + "0AF6" + "20F6" + "F4F6" + "1864F6" + "617AF6" + "8120F6" + "626161F6" + "811864F6")
  }

  @Test("What follows an item is left alone, and its length is told")
  func trailing() throws {
    let (value, length) = try CBORValue.decodePrefix(hex("a0 ff 00"))
    #expect(value == .map([]))
    #expect(length == 1)
  }

  @Test("An item cut at any byte is truncated", arguments: Golden.answers.filter { $0 != Golden.shortHeader })
  func truncated(frame: [UInt8]) {
    let body = frame.dropFirst(SMPHeader.size)
    for count in 0..<body.count {
      #expect(throws: CBORError.truncated) { try CBORValue(decoding: body.prefix(count)) }
    }
    #expect(throws: Never.self) { try CBORValue(decoding: body) }
  }

  @Test(
    "Malformed items are named, never a trap",
    arguments: [
      // RFC 8949 Appendix F: reserved additional information, wrong breaks, pieces of the wrong kind, a map of odd length.
      "1c", "3d", "5e", "7d", "9c", "bd", "dc", "ff", "81ff", "a1ff", "a100ff", "bf00ff", "bf000000ff", "5f00ff", "5f6100ff", "5f80ff", "7f4100ff",
      "5f5f4100ffff",
      "7f7f6100ffff", "c0ff", "9f81ff", "83ff0203",
    ])
  func malformed(bytes: String) {
    #expect {
      try CBORValue(decoding: hex(bytes))
    } throws: { error in
      if case .malformed? = error as? CBORError { true } else { false }
    }
  }

  @Test(
    "A giant length costs nothing: it is refused before anything is allocated",
    arguments: [
      ("9b7fffffffffffffff", CBORError.tooManyItems(limit: 4096)), ("9bffffffffffffffff", .tooManyItems(limit: 4096)),
      ("bb7fffffffffffffff", .tooManyItems(limit: 4096)), ("bbffffffffffffffff", .tooManyItems(limit: 4096)), ("9a00001000", .tooManyItems(limit: 4096)),
      ("b90800", .tooManyItems(limit: 4096)), ("5b7fffffffffffffff00", .truncated), ("5bffffffffffffffff00", .truncated), ("7bffffffffffffffff00", .truncated),
      ("5affffffff", .truncated),
    ])
  func giants(bytes: String, expected: CBORError) {
    #expect(throws: expected) { try CBORValue(decoding: hex(bytes)) }
  }

  @Test("Deep nesting ends at the limit", arguments: ["81", "9f", "a100", "bf00", "c1"])
  func deep(head: String) {
    let heads = hex(String(repeating: head, count: 30_000))
    #expect(throws: CBORError.tooDeep(limit: 16)) { try CBORValue(decoding: heads) }
  }

  @Test("Limits of bytes and items hold exactly")
  func limits() throws {
    #expect(throws: CBORError.tooLong(limit: 3)) { try CBORValue(decoding: hex("83010203"), limits: CBORLimits(bytes: 3)) }
    #expect(throws: CBORError.tooManyItems(limit: 3)) { try CBORValue(decoding: hex("9f010203ff"), limits: CBORLimits(items: 3)) }
    #expect(try CBORValue(decoding: hex("83010203"), limits: CBORLimits(bytes: 4, depth: 1, items: 4)) == .array([.unsigned(1), .unsigned(2), .unsigned(3)]))
    #expect(throws: CBORError.tooDeep(limit: 1)) { try CBORValue(decoding: hex("818100"), limits: CBORLimits(depth: 1)) }
  }

  @Test("Random bytes never trap, and what is read is read again after writing", arguments: 0..<50)
  func random(seed: Int) throws {
    var random = SeededGenerator(state: UInt64(seed))
    for _ in 0..<400 {
      // Mostly small heads, so that containers are common.
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random) : [0x9F, 0xBF, 0xFF, 0x81, 0xA1, 0x5F, 0x41, 0x61, 0x00].randomElement(using: &random) ?? 0
      }
      guard let value = try? CBORValue(decoding: bytes) else { continue }
      let again = try CBORValue(decoding: value.encoded()).encoded()
      #expect(again == value.encoded())
    }
  }

  @Test("Tags in their short form are tags, also those that nobody assigned and libcbor 0.8 refuses", arguments: 0...23)
  func shortTags(number: UInt64) throws {
    let bytes = [0xC0 | UInt8(number), 0x05]
    #expect(try CBORValue.decodePrefix(bytes + [0xFF]).length == 2)
    #expect(try CBORValue(decoding: bytes) == .tagged(number, .unsigned(5)))
    #expect(CBORValue.tagged(number, .unsigned(5)).encoded() == bytes)
    #expect(throws: CBORError.truncated) { try CBORValue(decoding: bytes.dropLast()) }
    // In a string of indefinite length only pieces of it may stand.
    #expect(throws: CBORError.malformed(offset: 2)) { try CBORValue(decoding: [0x5F] + bytes + [0xFF]) }
  }

  @Test("Integers of both signs go through `integer`", arguments: [0, 1, -1, 23, 24, -24, -25, 65_536, Int.max, Int.min])
  func integers(number: Int) throws {
    #expect(CBORValue.integer(number).integer == number)
    #expect(try CBORValue(decoding: CBORValue.integer(number).encoded()).integer == number)
  }

  @Test("Numbers beyond 64 signed bits are no integer")
  func beyond() {
    #expect(CBORValue.unsigned(.max).integer == nil)
    #expect(CBORValue.negative(.max).integer == nil)
    #expect(CBORValue.text("1").integer == nil)
  }

  @Test("A key that comes twice counts the first time, and text that is not UTF-8 is repaired")
  func oddities() throws {
    #expect(try CBORValue(decoding: hex("a2 6161 01 6161 02"))["a"] == .unsigned(1))
    #expect(try CBORValue(decoding: hex("62 c328")).text == "\u{FFFD}(")
    #expect(CBORValue.array([])["a"] == nil)
  }
}
