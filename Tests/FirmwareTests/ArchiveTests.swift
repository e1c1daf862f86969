import Firmware
import Testing

/// Archives written by hand (`ZipBuilder`), each wrong in one way.
@Suite("FirmwarePackage: archives")
struct ArchiveTests {
  typealias Entry = ZipBuilder.Entry

  private func error(_ entries: [Entry], limits: PackageLimits = PackageLimits()) -> PackageError? {
    error(ZipBuilder.archive(entries), limits)
  }

  private func error(_ bytes: [UInt8], _ limits: PackageLimits = PackageLimits()) -> PackageError? {
    do {
      _ = try FirmwarePackage(fileName: "a.zip", bytes: bytes, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  private static let manifest = #"{"format-version":1,"time":1,"files":[{"type":"application","size":2120,"file":"app.bin"}]}"#

  private func good() throws -> [Entry] {
    [Entry("manifest.json", Self.manifest), Entry("app.bin", try Fixture.bytes("unsigned.bin"))]
  }

  @Test("the hand-made archive is good where nothing is wrong, stored or deflated")
  func baseline() throws {
    var entries = try good()
    #expect(error(entries) == nil)
    entries[1].isDeflated = true
    #expect(error(entries) == nil)
  }

  @Test(
    "names that are no plain file names at the root",
    arguments: [
      "../app.bin", "/etc/passwd", "sub/app.bin", "sub/", "..", ".", "a\\b.bin", "C:evil", "a\u{1b}[2J.bin", "a\nb",
    ])
  func unsafe(name: String) throws {
    #expect(try error(good() + [Entry(name, [])]) == .archiveUnsafeName(name))
    #expect(!PackageError.archiveUnsafeName(name).description.unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test("a name that is too long")
  func longName() throws {
    let name = String(repeating: "n", count: 256)
    #expect(try error(good() + [Entry(name, [])]) == .archiveUnsafeName(name))
  }

  @Test("the same name twice")
  func duplicate() throws {
    #expect(try error(good() + [Entry("app.bin", "other")]) == .archiveDuplicate("app.bin"))
    #expect(try error(good() + [Entry("manifest.json", "{}")]) == .archiveDuplicate("manifest.json"))
  }

  @Test("a giant is refused by what it declares, before anything is unpacked")
  func giant() throws {
    var entries = try good()
    entries[1].isDeflated = true
    entries[1].declaredSize = 3_000_000_000
    #expect(error(entries) == .entryTooLarge("app.bin", bytes: 3_000_000_000, limit: 32 << 20))
    var many = try good()
    for index in 0..<3 {
      var entry = Entry("e\(index)", "x")
      entry.isDeflated = true
      entry.declaredSize = 30 << 20
      many.append(entry)
    }
    #expect(error(many) == .archiveTooLarge(limit: 64 << 20))
  }

  @Test("too many entries, and a manifest that is too large")
  func limits() throws {
    let many = (0..<63).map { Entry("e\($0)", "x") }
    #expect(try error(good() + many) == .archiveTooManyEntries(65, limit: 64))
    let large = Entry("manifest.json", String(repeating: " ", count: (256 << 10) + 1))
    #expect(error([large]) == .entryTooLarge("manifest.json", bytes: UInt64((256 << 10) + 1), limit: 256 << 10))
  }

  @Test("content that is not what was declared: longer, shorter, another CRC")
  func lies() throws {
    let body = try Fixture.bytes("unsigned.bin")
    for (content, crc) in [(body + [0], nil), (Array(body.dropLast()), nil), (body, 0x1234_5678)] as [([UInt8], UInt32?)] {
      var entry = Entry("app.bin", content)
      entry.isDeflated = true
      entry.declaredSize = UInt32(body.count)
      entry.crc = crc ?? ZipBuilder.crc32(body)
      guard case .entryBroken("app.bin", _)? = error([Entry("manifest.json", Self.manifest), entry]) else {
        Issue.record("\(content.count) bytes were taken")
        continue
      }
    }
  }

  @Test("a password is named as such")
  func encrypted() throws {
    var entries = try good()
    entries[1].flags = 1
    #expect(error(entries) == .archiveEncrypted("app.bin"))
  }

  @Test("no manifest at the root, or none by that very name", arguments: ["manifest.JSON", "app.json"])
  func noManifest(name: String) throws {
    #expect(try error([Entry(name, Self.manifest), good()[1]]) == .manifestMissing)
    #expect(error([] as [Entry]) == .manifestMissing)
  }

  @Test("files are found by their whole name", arguments: ["net_app.bin", "app.bin.bak", "APP.BIN"])
  func exactName(other: String) throws {
    #expect(try error([good()[0], Entry(other, Fixture.bytes("unsigned.bin"))]) == .entryMissing("app.bin"))
  }

  @Test("blanks and umlauts in a name are part of the name")
  func oddNames() throws {
    let manifest = #"{"files":[{"size":2120,"file":"größe 1 %20.bin"}]}"#
    #expect(try error([Entry("manifest.json", manifest), Entry("größe 1 %20.bin", Fixture.bytes("unsigned.bin"))]) == nil)
  }

  @Test("a file of another size than the manifest's, and one that is no image")
  func content() throws {
    let image = try Fixture.bytes("unsigned.bin")
    #expect(try error([good()[0], Entry("app.bin", image + [0])]) == .entrySizeDiffers("app.bin", manifest: 2120, actual: 2121))
    let noise = image.patched(at: 0, [0])
    #expect(try error([good()[0], Entry("app.bin", noise)]) == .inEntry("app.bin", .notFirmware(nil)))
  }

  @Test("a file that the manifest does not name is a warning")
  func unlisted() throws {
    let package = try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive(good() + [Entry("readme.txt", "hi")]))
    #expect(package.complaints.map(\.subject) == [.unsigned, .unlistedFile])
  }

  @Test("no prefix of an archive is taken for one", arguments: ["single.zip", "single-streamed.zip"])
  func everyPrefix(name: String) throws {
    let bytes = try Fixture.bytes(name)
    for length in 0..<bytes.count {
      #expect(error(Array(bytes.prefix(length))) != nil, "\(length) bytes")
    }
  }

  @Test("a changed byte never traps, and never changes the image unseen")
  func flips() throws {
    let bytes = try Fixture.bytes("single.zip")
    let app = try Fixture.bytes("ecdsa-sha256.bin")
    var dice = Dice(state: 3)
    var taken = 0
    for offset in bytes.indices {
      let changed = bytes.patched(at: offset, [bytes[offset] ^ UInt8.random(in: 1...255, using: &dice)])
      guard let package = try? FirmwarePackage(fileName: "a.zip", bytes: changed) else { continue }
      taken += 1
      #expect(package.images.map(\.bytes) == [app], "byte \(offset)")
    }
    #expect((1..<bytes.count / 2).contains(taken), "some bytes, such as times, mean nothing; most do")
  }
}
