import Firmware
import Testing

/// Errors as operators read them: `flashline: FILE: what happened: what to do about it`, on one line.
@Suite("PackageError: words")
struct MessageTests {
  static let all: [PackageError] = [
    .fileMissing, .notAFile, .fileUnreadable("no permission"), .fileEmpty, .fileTooLarge(bytes: 2, limit: 1), .notFirmware(nil), .notFirmware(.elf),
    .notFirmware(.intelHex), .notFirmware(.text), .imageBigEndian, .imageTruncated(.body, needed: 2, have: 1), .imageHeaderSize(1),
    .imageBodyEmpty, .imageEntriesMissing, .imageProtectedSize(header: 1, area: 2), .imageEntryBroken(type: 1, offset: 2),
    .imageEntryBroken(type: nil, offset: 2), .imageHashLength(.sha256, 3), .imageHashMissing(pureSignature: true), .imageHashMissing(pureSignature: false),
    .archiveBroken("x"), .archiveTooManyEntries(2, limit: 1), .archiveTooLarge(limit: 1), .archiveUnsafeName("../x"), .archiveDuplicate("x"),
    .archiveEncrypted("x"), .entryTooLarge("x", bytes: 2, limit: 1), .entryBroken("x", "y"), .manifestMissing, .manifestInvalid("x"), .manifestFormat(2),
    .manifestEmpty, .manifestTooManyFiles(2, limit: 1), .entryMissing("x"), .entrySizeDiffers("x", manifest: 1, actual: 2), .notSupported(.suitEnvelope),
    .notSupported(.b0Image), .notSupported(.fileType("modem")), .fileListedTwice("x"), .imageTwice(image: 0, slot: 1, "a", "b"),
    .envelopeBroken("breaks off"), .envelopeMissing("x"), .envelopesSeveral(["a", "b"]), .cacheTwice(1, "a", "b"),
    .resourceTwice("a", "A"), .notSupported(.nordicDFU),
    .hashingUnavailable(.sha256), .inEntry("x", .fileEmpty), .archiveLink("x"), .manifestAmbiguous(["a/manifest.json", "b/manifest.json"]),
    .nordicPartsClash(["softdevice", "bootloader"]), .initPacketTooLong(513, limit: 512), .initPacketUnknown(3, "it holds no command"),
    .hexBroken(line: 2, "its checksum does not fit"), .hexEmpty, .hexTooLarge(2, limit: 1), .notSupported(.mcubootImage), .notSupported(.managerPackage),
    .notSupported(.combinedLegacyPart("x")),
  ]

  @Test("each error says one thing, on one line, and what to do about it", arguments: all)
  func oneLine(error: PackageError) {
    for text in [error.description, error.remedy] {
      #expect(text.count > 10)
      #expect(text.count < 160)
      #expect(!text.contains("\n"))
      #expect(!text.hasSuffix("."))
      #expect(text.first?.isUppercase == false)
    }
  }

  @Test("no two errors read the same")
  func distinct() {
    #expect(Set(Self.all.map(\.description)).count == Self.all.count)
  }

  @Test("names from outside cannot act on a terminal or fill a line")
  func quoting() {
    let name = "a\u{1b}[31m\u{202e}\u{7}" + String(repeating: "x", count: 500)
    let text = PackageError.entryMissing(name).description
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" })
    #expect(text.contains(#"a\u{1B}[31m"#))
    #expect(text.count < 200)
  }

  @Test("flags have words, and unknown bits a number")
  func flags() {
    #expect(ImageFlags(rawValue: 0x124).texts == ["encrypted_aes128", "ram_load", "rom_fixed"])
    #expect(ImageFlags(rawValue: 0x8000_0001).texts == ["position_independent", "0x80000000"])
    #expect(ImageFlags(rawValue: 0).texts == [])
  }
}
