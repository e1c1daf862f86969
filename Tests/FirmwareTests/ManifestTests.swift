import Firmware
import Testing

/// Manifests as generators wrote them over the years (facts/smp.md §6, facts/device-manager.md §3.3, facts/field-reports.md rows 3 and 4).
@Suite("FirmwarePackage: manifest.json")
struct ManifestTests {
  private func load(_ manifest: String) throws(PackageError) -> FirmwarePackage {
    let app: [UInt8]
    do { app = try Fixture.bytes("ecdsa-sha256.bin") } catch { throw .fileMissing }
    let text = manifest.replacing("SIZE", with: String(app.count))
    let entries = [ZipBuilder.Entry("manifest.json", text), ZipBuilder.Entry("app.bin", app)]
    return try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive(entries))
  }

  private func entry(_ more: String, type: String = #""application""#) -> String {
    #"{"format-version":1,"time":1,"files":[{"type":\#(type),"size":SIZE,"file":"app.bin","modtime":1\#(more)}]}"#
  }

  private func error(_ manifest: String) -> PackageError? {
    do {
      _ = try load(manifest)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "numbers may be text, text may be numbers, and the image number has its order of precedence",
    arguments: [
      ("", 0, 1), (#","image_index":"0""#, 0, 1), (#","image_index":1"#, 1, 1), (#","image_index":"1""#, 1, 1), (#","image":2,"image_index":"1""#, 2, 1),
      (#","partition":"3""#, 3, 1), (#","image_index":1,"partition":"3""#, 1, 1), (#","slot":"0""#, 0, 0), (#","slot":1"#, 0, 1), (#","slot":"2""#, 0, 0),
      (#","slot":3"#, 0, 1), (#","slot_index_primary":"1","slot_index_secondary":"2""#, 0, 1), (#","image":null"#, 0, 1),
    ] as [(String, Int, Int)])
  func numbers(more: String, number: Int, slot: Int) throws {
    let image = try #require(try load(entry(more)).images.first)
    #expect(image.number == number)
    #expect(image.slot == slot)
  }

  @Test(
    "load_address in every spelling, also the bare 0x of old generators, last key or not",
    arguments: [
      (#","load_address":49152"#, 49152), (#","load_address":"49152""#, 49152), (#","load_address":"0xc000""#, 49152),
      (#","load_address":0xc000"#, 49152), (#","load_address":0xc000,"board":"b""#, 49152), (#","load_address":0"#, 0), ("", nil),
    ] as [(String, UInt64?)])
  func loadAddress(more: String, expected: UInt64?) throws {
    #expect(try load(entry(more)).images.first?.listing?.loadAddress == expected)
  }

  @Test(
    "format-version 0 and 1, as a number or as text, or left out",
    arguments: [
      (#""format-version":0,"#, nil), (#""format-version":1,"#, nil), (#""format-version":"1","#, nil), ("", nil),
      (#""format-version":2,"#, .manifestFormat(2)),
    ] as [(String, PackageError?)])
  func format(text: String, expected: PackageError?) {
    #expect(error(#"{\#(text)"files":[{"size":SIZE,"file":"app.bin"}]}"#) == expected)
  }

  @Test(
    "the version in the manifest is held against the header",
    arguments: [
      ("1.2.3+4", []), ("1.2.3.4", []), ("1.2.3", [.versionDiffers]), ("nonsense", [.versionDiffers]),
    ] as [(String, [Complaint.Subject])])
  func version(text: String, expected: [Complaint.Subject]) throws {
    #expect(try load(entry(#","version_MCUBOOT":"\#(text)""#)).complaints.map(\.subject) == expected)
  }

  @Test(
    "what is wrong is said with its place",
    arguments: [
      ("", "it is not JSON"), ("{", "it is not JSON"), ("[]", "the document has a value of the wrong type"), ("{}", "files is missing"),
      (#"{"files":{}}"#, "files has a value of the wrong type"), (#"{"files":[{"size":1}]}"#, "files[0].file is missing"),
      (#"{"files":[{"file":"app.bin"}]}"#, "files[0].size is missing"), (#"{"files":[{"file":7,"size":1}]}"#, "files[0].file has a value of the wrong type"),
      (#"{"files":[{"file":"app.bin","size":1,"image_index":"one"}]}"#, "files[0].image_index: 'one' is not a number"),
      (#"{"files":[{"file":"app.bin","size":1,"slot":"-1"}]}"#, "files[0].slot: '-1' is not a number"),
      (#"{"files":[{"file":"app.bin","size":1,"slot":"18446744073709551615"}]}"#, "files[0].slot: 18446744073709551615 is too large"),
      (#"{"files":[{"file":"app.bin","size":1,"image":99}]}"#, "image number 99 is larger than 15"),
    ])
  func invalid(manifest: String, reason: String) {
    #expect(error(manifest) == .manifestInvalid(reason))
  }

  @Test("numbers that no file has", arguments: ["-1", "1.5", "1e300", "18446744073709551616", "true", "[1]", "{}", "NaN"])
  func wildNumbers(size: String) {
    guard case .manifestInvalid? = error(#"{"files":[{"file":"app.bin","size":\#(size)}]}"#) else {
      Issue.record("size \(size) was taken")
      return
    }
  }

  @Test("no files, too many files, and the manifest naming itself")
  func files() {
    #expect(error(#"{"files":[]}"#) == .manifestEmpty)
    let many = (0..<33).map { #"{"file":"\#($0)","size":1}"# }.joined(separator: ",")
    #expect(error(#"{"files":[\#(many)]}"#) == .manifestTooManyFiles(33, limit: 32))
    #expect(error(#"{"files":[{"file":"manifest.json","size":1}]}"#) == .entryMissing("manifest.json"))
    #expect(error(#"{"files":[{"file":"../app.bin","size":1}]}"#) == .entryMissing("../app.bin"))
  }

  @Test(
    "types: images have one of three or none, SUIT's need an envelope, others are refused by name",
    arguments: [
      ("null", nil), (#""application""#, nil), (#""bin""#, nil), (#""mcuboot""#, nil), (#""modem""#, PackageError.notSupported(.fileType("modem"))),
      (#""Application""#, .notSupported(.fileType("Application"))), (#""cache""#, .envelopeMissing("app.bin")),
      (#""suit-envelope""#, .inEntry("app.bin", .envelopeBroken("does not begin with CBOR tag 107"))),
    ])
  func types(type: String, expected: PackageError?) {
    #expect(error(entry("", type: type)) == expected)
  }

  @Test("nesting without end is refused, not followed")
  func nesting() {
    guard case .manifestInvalid? = error(String(repeating: "[", count: 200_000)) else {
      Issue.record("taken")
      return
    }
  }

  @Test("every prefix of a manifest is refused")
  func everyPrefix() {
    let manifest = Array(entry(#","image_index":"0","load_address":0xc000"#).utf8)
    for length in manifest.indices {
      #expect(error(String(decoding: manifest.prefix(length), as: UTF8.self)) != nil, "\(length) bytes")
    }
  }
}
