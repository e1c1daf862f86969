import Firmware
import Testing

/// Images that something happened to. Offsets: facts/smp.md §5.
@Suite("MCUbootImage: broken images")
struct BrokenImageTests {
  /// Of `protected.bin`: header 0x20, body 2048, protected entries 168.
  private static let bodyEnd = 0x20 + 2048
  private static let hashedEnd = bodyEnd + 168

  /// Of `unsigned.bin`.
  private static let entriesAt = 0x20 + 2048

  private func error(_ bytes: [UInt8]) -> PackageError? {
    do {
      _ = try MCUbootImage(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "cut off at every boundary, it says in which part",
    arguments: [
      (0, PackageError.notFirmware(nil)), (3, .notFirmware(nil)),
      (4, .imageTruncated(.header, needed: 32, have: 4)), (31, .imageTruncated(.header, needed: 32, have: 31)),
      (32, .imageTruncated(.body, needed: bodyEnd, have: 32)), (bodyEnd - 1, .imageTruncated(.body, needed: bodyEnd, have: bodyEnd - 1)),
      (bodyEnd, .imageTruncated(.protectedEntries, needed: bodyEnd + 4, have: bodyEnd)),
      (bodyEnd + 3, .imageTruncated(.protectedEntries, needed: bodyEnd + 4, have: bodyEnd + 3)),
      (bodyEnd + 4, .imageTruncated(.protectedEntries, needed: hashedEnd, have: bodyEnd + 4)),
      (hashedEnd - 1, .imageTruncated(.protectedEntries, needed: hashedEnd, have: hashedEnd - 1)),
      (hashedEnd, .imageTruncated(.entries, needed: hashedEnd + 4, have: hashedEnd)),
    ] as [(Int, PackageError)])
  func truncated(length: Int, expected: PackageError) throws {
    #expect(try error(Array(Fixture.bytes("protected.bin").prefix(length))) == expected)
  }

  @Test("cut off inside the entries, it needs the whole file")
  func truncatedEntries() throws {
    let bytes = try Fixture.bytes("protected.bin")
    for length in [Self.hashedEnd + 4, bytes.count - 1] {
      #expect(error(Array(bytes.prefix(length))) == .imageTruncated(.entries, needed: bytes.count, have: length))
    }
  }

  @Test("no prefix of an image passes for an image", arguments: ["protected", "encrypted", "ed25519-sha512", "packages/old-format"])
  func everyPrefix(name: String) throws {
    let bytes = try Fixture.bytes(name + ".bin")
    for length in 0..<bytes.count {
      #expect(error(Array(bytes.prefix(length))) != nil, "\(length) bytes")
    }
    #expect(error(bytes) == nil)
  }

  @Test("a changed byte never traps, and never keeps the hash right")
  func flips() throws {
    let bytes = try Fixture.bytes("protected.bin")
    var dice = Dice(state: 7)
    var parsed = 0
    // Every byte outside the body, and some inside it.
    let offsets = Array(0..<64) + Array(Self.bodyEnd..<bytes.count) + (0..<200).map { _ in Int.random(in: 0..<bytes.count, using: &dice) }
    for offset in offsets {
      for _ in 0..<8 {
        let changed = bytes.patched(at: offset, [bytes[offset] ^ UInt8.random(in: 1...255, using: &dice)])
        guard let image = try? MCUbootImage(changed) else { continue }
        parsed += 1
        if offset < Self.hashedEnd { #expect(image.hashCheck != .matches, "byte \(offset)") }
      }
    }
    #expect(parsed > 1000, "the loop must get past the parser to prove anything")
  }

  @Test("random bytes behind a right magic number never trap")
  func noise() {
    var dice = Dice(state: 11)
    for length in 4..<600 {
      let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
      #expect(error(noise.patched(at: 0, [0x3d, 0xb8, 0xf3, 0x96])) != nil)
    }
  }

  @Test(
    "other formats are named",
    arguments: [
      ([0x3c, 0xb8, 0xf3, 0x96], PackageError.imageEntriesMissing), ([0x96, 0xf3, 0xb8, 0x3d], .imageBigEndian), ([0, 0, 0, 0], .notFirmware(nil)),
    ] as [([UInt8], PackageError)])
  func magic(magic: [UInt8], expected: PackageError) throws {
    #expect(try error(Fixture.bytes("unsigned.bin").patched(at: 0, magic)) == expected)
  }

  @Test(
    "impossible sizes in the header",
    arguments: [
      (8, [0x1f, 0x00], PackageError.imageHeaderSize(31)),
      (12, [0, 0, 0, 0], .imageBodyEmpty),
      (12, [0xff, 0xff, 0xff, 0xff], .imageTruncated(.body, needed: 0x20 + 0xffff_ffff, have: 2120)),
      (10, [0x08, 0x00], .imageProtectedSize(header: 8, area: 0)),
      (8, [0x24, 0x00], .imageEntriesMissing),
    ] as [(Int, [UInt8], PackageError)])
  func header(offset: Int, bytes: [UInt8], expected: PackageError) throws {
    #expect(try error(Fixture.bytes("unsigned.bin").patched(at: offset, bytes)) == expected)
  }

  @Test("the size of the protected entries is checked against the header, both ways")
  func protectedSize() throws {
    let bytes = try Fixture.bytes("protected.bin")
    #expect(error(bytes.patched(at: 10, [0, 0])) == .imageProtectedSize(header: 0, area: 168))
    #expect(error(bytes.patched(at: 10, [0xa9, 0])) == .imageProtectedSize(header: 169, area: 168))
  }

  @Test(
    "an entry that reaches over its area",
    arguments: [
      (entriesAt + 6, [0xff, 0xff], PackageError.imageEntryBroken(type: 0x10, offset: entriesAt + 4)),
      (entriesAt + 2, [0x03, 0x00], .imageEntryBroken(type: nil, offset: entriesAt)),
      (entriesAt + 2, [0x27, 0x00], .imageEntryBroken(type: 0x10, offset: entriesAt + 4)),
      (entriesAt + 2, [0x06, 0x00], .imageEntryBroken(type: nil, offset: entriesAt + 4)),
      (entriesAt + 4, [0x11, 0x00], .imageHashLength(.sha384, 32)),
      (entriesAt + 4, [0x10, 0x01], .imageHashMissing(pureSignature: false)),  // a vendor type, not SHA-256
      (entriesAt + 2, [0x04, 0x00], .imageHashMissing(pureSignature: false)),
    ] as [(Int, [UInt8], PackageError)])
  func entries(offset: Int, bytes: [UInt8], expected: PackageError) throws {
    #expect(try error(Fixture.bytes("unsigned.bin").patched(at: offset, bytes)) == expected)
  }

  /// mcu-tools/mcuboot#2562: a pure signature may come without a hash.
  @Test("a pure signature without a hash is refused in its own words")
  func pureWithoutHash() throws {
    let bytes = try Fixture.bytes("ed25519-pure.bin")
    let start = 0x20 + 2048
    // Cut the SHA-512 entry (4 + 64 bytes) out and shorten the area.
    let size = Int(bytes[start + 2]) + Int(bytes[start + 3]) << 8 - 68
    let cut = Array(bytes[..<(start + 2)]) + [UInt8(size & 255), UInt8(size >> 8)] + Array(bytes[(start + 4 + 68)...])
    #expect(error(cut) == .imageHashMissing(pureSignature: true))
  }

  @Test(
    "bytes behind the image are told apart",
    arguments: [
      ([UInt8](repeating: 0xff, count: 9), ImageTrailing.padding(bytes: 9)), ([UInt8](repeating: 0, count: 5), .padding(bytes: 5)), ([1], .other(bytes: 1)),
    ])
  func trailing(extra: [UInt8], expected: ImageTrailing) throws {
    let image = try MCUbootImage(Fixture.bytes("unsigned.bin") + extra)
    #expect(image.trailing == expected)
    #expect(image.hashCheck == .matches)
  }
}
