import Firmware
import Foundation
import Testing

/// Envelopes of the IETF draft, of Nordic's generator and of cbor2 (fixtures: `packages/README.md`).
@Suite("SUITEnvelope")
struct SUITEnvelopeTests {
  private func load(_ name: String) throws -> SUITEnvelope { try SUITEnvelope(Fixture.bytes("packages/" + name)) }

  private func error(_ bytes: [UInt8]) -> PackageError? {
    do {
      _ = try SUITEnvelope(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("the draft's example 0: signed, with its digest")
  func draft() throws {
    let envelope = try load("ietf-example-0.suit")
    #expect(envelope.sha256?.hex == "6658ea560262696dd1f13b782239a064da7c6c5cbaf52fded428a6fc83c7e5af")
    #expect(envelope.digestCheck == .matches)
    #expect(envelope.sequenceNumber == 0)
    #expect(envelope.isSigned)
    #expect(envelope.payloads == [])
    #expect(envelope.trailingBytes == 0)
  }

  @Test("Nordic's root: unsigned, with the envelopes of two cores inside")
  func nordic() throws {
    let envelope = try load("nordic-root.suit")
    #expect(envelope.sha256?.hex == "ef6346b6fa3dbbc6b1bac072319eeeab1acbc70a6d5e0e1c4b14f1a145688e37")
    #expect(envelope.digestCheck == .matches)
    #expect(envelope.sequenceNumber == 1)
    #expect(!envelope.isSigned)
    #expect(envelope.payloads.map(\.name) == ["#rad.suit", "#app.suit"])
    #expect(envelope.payloads.map(\.size) == [264, 264])
    #expect(envelope.requestedFiles == [])
  }

  @Test(
    "each algorithm is read; SHA-256 alone may be uploaded",
    arguments: [
      ("sha256", SUITEnvelope.Algorithm.sha256, 32, .matches), ("shake128", .shake128, 32, .unchecked), ("sha384", .sha384, 48, .matches),
      ("sha512", .sha512, 64, .matches), ("shake256", .shake256, 64, .unchecked),
    ] as [(String, SUITEnvelope.Algorithm, Int, SUITEnvelope.DigestCheck)])
  func algorithms(name: String, algorithm: SUITEnvelope.Algorithm, length: Int, check: SUITEnvelope.DigestCheck) throws {
    let package = try FirmwarePackage(path: Fixture.url("packages/\(name).suit").path)
    let envelope = try #require(package.suit?.envelope)
    #expect(package.kind == .suit)
    #expect(package.images == [])
    #expect(envelope.algorithm == algorithm)
    #expect(envelope.digest.count == length)
    #expect(envelope.digestCheck == check)
    #expect(envelope.sequenceNumber == 5)
    #expect((envelope.sha256 != nil) == (algorithm == .sha256))
    let errors = package.complaints.filter { $0.severity == .error }
    #expect(errors.map(\.subject) == (algorithm == .sha256 ? [] : [.digestAlgorithm]))
    #expect(errors.allSatisfy { $0.message.contains("uploads take SHA-256 only") })
  }

  @Test("sequence numbers of 64 bits, files inside, requests of the envelope and of one inside it, but not of a program inside it")
  func members() throws {
    let envelope = try load("signed.suit")
    #expect(envelope.sequenceNumber == 0x1_0000_0001)
    #expect(envelope.payloads.map(\.name) == ["#radio.suit", "#notes"])
    #expect(Set(envelope.requestedFiles) == ["app.bin", "cached.bin", "radio.bin"])
  }

  @Test("a changed manifest is an error of the package")
  func spoilt() throws {
    let bytes = try Fixture.bytes("packages/sha256.suit")
    let package = try FirmwarePackage(fileName: "a.suit", bytes: bytes.patched(at: bytes.count - 1, [bytes[bytes.count - 1] ^ 1]))
    #expect(package.complaints.first?.subject == .hashDiffers)
  }

  @Test("bytes behind the envelope are seen")
  func trailing() throws {
    let package = try FirmwarePackage(fileName: "a.suit", bytes: Fixture.bytes("packages/sha256.suit") + [0xff, 0xff])
    #expect(package.suit?.envelope.trailingBytes == 2)
    #expect(package.complaints.map(\.subject) == [.unsigned, .trailingBytes])
  }

  @Test("indefinite lengths are taken (RFC 8949 §3.2), and the bare form of the digest")
  func indefinite() throws {
    let digest: [UInt8] = [0x82, 0x2f, 0x58, 0x20] + [UInt8](repeating: 7, count: 32)
    let wrapper: [UInt8] = [0x02, 0x58, UInt8(digest.count + 2), 0x9f] + digest + [0xff]
    let envelope = try SUITEnvelope([0xd8, 0x6b, 0xbf] + wrapper + [0x03, 0x45, 0xbf, 0x02, 0x18, 0x2a, 0xff, 0xff])
    #expect(envelope.digest == [UInt8](repeating: 7, count: 32))
    #expect(envelope.sequenceNumber == 42)
    #expect(envelope.digestCheck == .differs)
  }

  @Test("tags of one byte are read, also those that libcbor refuses", arguments: UInt8(0xc0)...0xd7)
  func shortTags(head: UInt8) throws {
    // An envelope whose wrapper holds, in front of its digest, an item with this tag; 17 and 18 are signatures (RFC 9052 §2).
    let digest: [UInt8] = [0x82, 0x2f, 0x58, 0x20] + [UInt8](repeating: 7, count: 32)
    let wrapper: [UInt8] = [0x82, head, 0x00] + digest
    let envelope = try SUITEnvelope([0xd8, 0x6b, 0xa2, 0x02, 0x58, UInt8(wrapper.count)] + wrapper + [0x03, 0x41, 0xa0])
    #expect(envelope.isSigned == [0xd1, 0xd2].contains(head))
  }

  @Test(
    "what is no envelope is said in words",
    arguments: [
      ("", "does not begin with CBOR tag 107"), ("d8", "does not begin with CBOR tag 107"), ("d86ca0", "does not begin with CBOR tag 107"),
      ("d86b", "breaks off"), ("d86b80", "has no map at offset 2"), ("d86ba0", "has no authentication wrapper"),
      ("d86ba10241 80".filter { $0 != " " }, "has no manifest"), ("d86ba20241800341a0", "has no digest in its authentication wrapper"),
      ("d86ba2024180030a", "has a manifest that is no byte string"), ("d86ba202800341a0", "has an authentication wrapper that is no byte string"),
      ("d86ba20241a00341a0", "has no array at offset 5"),
      ("d86ba2024681448 22f41ff0341a0".filter { $0 != " " }, "has a sha256 digest of 1 bytes instead of 32"),
      ("d86bba40000000", "breaks off"), ("d86bbb7fffffffffffffff", "breaks off"), ("d86ba1025a7fffffff", "breaks off"),
      ("d86ba1ffff", "is not well-formed CBOR at offset 3"),
      ("d86ba1021c", "is not well-formed CBOR at offset 4"),
    ])
  func broken(hex: String, reason: String) throws {
    let digits = Array(hex)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    #expect(error(bytes) == .envelopeBroken(reason))
  }

  @Test("nesting without end is refused, not followed")
  func nesting() {
    let deep = [0xd8, 0x6b, 0xa1, 0x05] + [UInt8](repeating: 0x81, count: 100_000)
    #expect(error(deep) == .envelopeBroken("is nested deeper than 16 levels"))
    let tags = [0xd8, 0x6b, 0xa1, 0x05] + [UInt8](repeating: 0xc1, count: 100_000)
    #expect(error(tags) == .envelopeBroken("is nested deeper than 16 levels"))
  }

  @Test("a map with more members than any envelope has")
  func manyMembers() {
    let members = (0..<300).flatMap { [0x19, UInt8($0 >> 8) + 1, UInt8($0 & 255), 0x00] as [UInt8] }
    #expect(error([0xd8, 0x6b, 0xb9, 0x01, 0x2c] + members) == .envelopeBroken("has more than 256 members in one place"))
  }

  @Test("no prefix of an envelope passes for one", arguments: ["ietf-example-0.suit", "nordic-root.suit", "signed.suit"])
  func everyPrefix(name: String) throws {
    let bytes = try Fixture.bytes("packages/" + name)
    for length in bytes.indices { #expect(error(Array(bytes.prefix(length))) != nil, "\(length) bytes") }
    #expect(error(bytes) == nil)
  }

  @Test("a changed byte never traps, and a changed manifest never keeps its digest")
  func flips() throws {
    let bytes = try Fixture.bytes("packages/signed.suit")
    let manifest = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x03, 0x58]) }) + 1
    var dice = Dice(state: 17)
    for offset in bytes.indices {
      for _ in 0..<16 {
        let changed = bytes.patched(at: offset, [bytes[offset] ^ UInt8.random(in: 1...255, using: &dice)])
        guard let envelope = try? SUITEnvelope(changed), (manifest + 2..<manifest + 20).contains(offset) else { continue }
        #expect(envelope.digestCheck != .matches, "byte \(offset)")
      }
    }
  }

  @Test("random bytes behind the tag never trap")
  func noise() {
    var dice = Dice(state: 23)
    for length in 2..<1500 {
      let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
      _ = error(noise.patched(at: 0, [0xd8, 0x6b, 0xa2]))
    }
  }
}
