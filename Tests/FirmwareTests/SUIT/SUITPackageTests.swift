import Firmware
import Foundation
import Testing

@Suite("SUITPackage")
struct SUITPackageTests {
  private func load(_ entries: [ZipBuilder.Entry], _ listed: [String]) throws -> FirmwarePackage {
    let manifest = #"{"format-version":1,"time":1,"files":["# + listed.joined(separator: ",") + "]}"
    return try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive([ZipBuilder.Entry("manifest.json", manifest)] + entries))
  }

  private func envelope(_ name: String = "root.suit", _ fixture: String = "signed.suit") throws -> (ZipBuilder.Entry, String) {
    let bytes = try Fixture.bytes("packages/" + fixture)
    return (ZipBuilder.Entry(name, bytes), #"{"type":"suit-envelope","file":"\#(name)","size":\#(bytes.count)}"#)
  }

  @Test("a zip with envelope, cache and resources, in which all that the envelope asks for is there")
  func whole() throws {
    let package = try FirmwarePackage(path: Fixture.url("packages/dfu_suit.zip").path)
    let suit = try #require(package.suit)
    #expect(package.kind == .suitPackage)
    #expect(package.images == [])
    #expect(!package.isDirectXIP)
    #expect(suit.envelopeName == "root.suit")
    #expect(suit.envelope.bytes == (try Fixture.bytes("packages/signed.suit")))
    #expect(suit.caches.map(\.partition) == [1])
    #expect(suit.caches.map(\.name) == ["dfu_cache_partition_1.bin"])
    #expect(suit.resources.map(\.name) == ["app.bin", "Radio.bin"])
    #expect(suit.resources.map(\.bytes) == [Array(0..<200), Array(0..<100)])
    #expect(package.complaints == [])
    #expect(package.complaints(pinned: nil, version: nil, boards: ["nrf54h20dk"], socs: ["nrf54h20"]) == [])
    #expect(package.complaints(pinned: nil, version: nil, boards: ["nrf5340dk"]).count == 4)
    #expect(package.complaints(pinned: nil, version: ImageVersion("1.0.0")).map(\.subject) == [.otherVersion])
  }

  @Test("a bare envelope says which files it would ask for and has not")
  func bare() throws {
    let package = try FirmwarePackage(fileName: "root.suit", bytes: Fixture.bytes("packages/signed.suit"))
    #expect(package.kind == .suit)
    #expect(package.suit?.envelopeName == "root.suit")
    #expect(package.complaints.map(\.subject) == [.resourceMissing, .resourceMissing, .resourceMissing])
    #expect(package.complaints.allSatisfy { $0.severity == .warning })
  }

  @Test("resources are found by their name in any case, the exact one first")
  func lookup() throws {
    let envelope = try SUITEnvelope(Fixture.bytes("packages/sha256.suit"))
    let suit = SUITPackage(envelope: envelope, resources: [SUITResource(name: "APP.bin", bytes: [1]), SUITResource(name: "app.bin", bytes: [2])])
    #expect(suit.resource(named: "app.bin")?.bytes == [2])
    #expect(suit.resource(named: "App.BIN")?.bytes == [1])
    #expect(suit.resource(named: "net_app.bin") == nil)
    #expect(suit.resource(named: "app") == nil)
  }

  @Test("resources that differ in case only are refused")
  func ambiguous() throws {
    let (root, listed) = try envelope()
    #expect(throws: PackageError.resourceTwice("app.bin", "APP.bin")) {
      try load(
        [root, .init("app.bin", [1]), .init("APP.bin", [2])],
        [listed, #"{"type":"bin","file":"app.bin","size":1}"#, #"{"type":"bin","file":"APP.bin","size":1}"#])
    }
  }

  @Test("two envelopes, two caches for one partition, a partition out of range, an envelope that is none")
  func clashes() throws {
    let (root, listed) = try envelope()
    let (other, otherListed) = try envelope("other.suit", "sha256.suit")
    #expect(throws: PackageError.envelopesSeveral(["root.suit", "other.suit"])) { try load([root, other], [listed, otherListed]) }
    let caches = [ZipBuilder.Entry("a", [1]), ZipBuilder.Entry("b", [2])]
    #expect(throws: PackageError.cacheTwice(1, "a", "b")) {
      try load([root] + caches, [listed, #"{"type":"cache","partition":"1","file":"a","size":1}"#, #"{"type":"cache","partition":1,"file":"b","size":1}"#])
    }
    #expect(throws: PackageError.manifestInvalid("cache partition 32 is larger than 31")) {
      try load([root] + caches, [listed, #"{"type":"cache","partition":"32","file":"a","size":1}"#])
    }
    #expect(throws: PackageError.inEntry("x", .envelopeBroken("does not begin with CBOR tag 107"))) {
      try load([.init("x", [1, 2, 3])], [#"{"type":"suit-envelope","file":"x","size":3}"#])
    }
  }

  @Test("a cache without a partition goes to 0 and is said; empty files are errors")
  func unplaced() throws {
    let (root, listed) = try envelope("root.suit", "sha256.suit")
    let package = try load(
      [root, .init("a", [1]), .init("b", [])], [listed, #"{"type":"cache","file":"a","size":1}"#, #"{"type":"bin","file":"b","size":0}"#])
    #expect(package.suit?.caches.map(\.partition) == [0])
    #expect(package.complaints.map(\.subject) == [.imageEmpty, .unsigned, .cacheUnplaced])
  }

  @Test("images of MCUboot beside an envelope are resources")
  func imagesBeside() throws {
    let (root, listed) = try envelope("root.suit", "sha256.suit")
    let app = try Fixture.bytes("ecdsa-sha256.bin")
    let package = try load([root, .init("app.bin", app)], [listed, #"{"type":"application","file":"app.bin","size":\#(app.count)}"#])
    #expect(package.images == [])
    #expect(package.suit?.resources.map(\.name) == ["app.bin"])
  }

  @Test("Nordic's bootloaders take no envelope")
  func foreign() throws {
    let bytes = try Fixture.bytes("packages/sha256.suit")
    #expect(throws: PackageError.notSupported(.suitEnvelope)) { try NordicPackage(fileName: "root.suit", bytes: bytes) }
  }
}
