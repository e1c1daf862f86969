import FoundationEssentials
import Synchronization
import Testing

@testable import Catalogue

/// A fetcher that counts, and answers as it is told.
final class CountingFetcher: Fetcher {
  private let state = Mutex<(asked: [String], errors: [String: FetchError])>(([], [:]))
  private let files = FileFetcher()

  var asked: [String] { state.withLock { $0.asked } }
  /// - Parameter name: the end of the address.
  func fail(_ name: String, _ error: FetchError?) { state.withLock { $0.errors[name] = error } }
  func forget() { state.withLock { $0.asked = [] } }

  func fetch(_ url: URL, to path: String, limit: Int) async throws(FetchError) -> Int {
    let error = state.withLock { state in
      state.asked.append(url.path(percentEncoded: false))
      return state.errors.first { url.path(percentEncoded: false).hasSuffix($0.key) }?.value
    }
    if let error { throw error }
    return try await files.fetch(url, to: path, limit: limit)
  }
}

/// A vendor's folder and the station's mirror of it.
final class MirrorBench {
  let server: TemporaryFolder
  let station: TemporaryFolder
  let fetcher = CountingFetcher()
  let location: CatalogueLocation
  var mirror: CatalogueMirror

  static let paths = [
    "0.2/6/bootloader/0.2.2/bl.zip", "0.2/6/bootloader/0.3.1/sd_bl.zip", "0.2/6/bootloader/0.3.2/bl.zip", "0.2/6/bootloader/0.3.3/bl.zip",
    "0.2/6/vanilla/1.4.5/firmware.zip",
  ]

  init() throws {
    server = try TemporaryFolder()
    station = try TemporaryFolder()
    try server.write(Samples.catalogue, to: "info2.json")
    for build in try Samples.read(Samples.catalogue).builds { try server.write("content of \(build.path)", to: build.path) }
    location = try #require(CatalogueLocation(server.path + "/info2.json"))
    mirror = CatalogueMirror(folder: station.path + "/catalog/m")
  }

  func refresh(_ wishes: MirrorWish...) async throws -> MirrorRefresh { try await mirror.refresh(from: location, wishes: wishes, by: fetcher) }
}

/// The pinned mirror: what is fetched, what is kept, and what is never believed.
@Suite struct MirrorTests {
  static let wish = MirrorWish(hardware: "r0.2", model: "6", flavor: "vanilla")
  static let app = "0.2/6/vanilla/1.4.5/firmware.zip"

  @Test func aRefreshBringsWhatTheProfileNeeds() async throws {
    let bench = try MirrorBench()
    let refresh = try await bench.refresh(Self.wish)
    #expect(refresh.isGood)
    #expect(refresh.entries.map(\.path) == MirrorBench.paths)
    #expect(refresh.entries.allSatisfy { $0.state == .fetched })
    #expect(
      try bench.station.files() == ["catalog/m/.lock"] + MirrorBench.paths.map { "catalog/m/" + $0 } + ["catalog/m/catalogue.json", "catalog/m/pins.json"])
    #expect(bench.station.read("catalog/m/catalogue.json") == Array(Samples.catalogue.utf8))

    // Offline from here on.
    let catalogue = try bench.mirror.catalogue()
    let build = try #require(catalogue.latest(hardware: "0.2", model: "6", flavor: "vanilla"))
    let artefact = try bench.mirror.resolve(build)
    #expect(artefact.file == bench.mirror.path + "/" + Self.app)
    // echo -n 'content of 0.2/6/vanilla/1.4.5/firmware.zip' | sha256sum
    #expect(artefact.pin.sha256 == "c52d50ba78fd661173858730180488c16168be4443bc3cb3212df298c8a9f5f8")
    #expect(artefact.pin.size == 43)
    let other = try #require(catalogue.latest(hardware: "0.4", model: "5", flavor: "vanilla"))
    #expect(throws: CatalogueError.notMirrored(path: other.path)) { try bench.mirror.resolve(other) }
  }

  @Test func whatIsThereIsNotFetchedAgain() async throws {
    let bench = try MirrorBench()
    _ = try await bench.refresh(Self.wish)
    bench.fetcher.forget()
    let pins = bench.station.read("catalog/m/pins.json")
    let again = try await bench.refresh(Self.wish)
    #expect(again.entries.allSatisfy { $0.state == .mirrored })
    #expect(bench.fetcher.asked.map { $0.split(separator: "/").last } == ["info2.json"])
    #expect(bench.station.read("catalog/m/pins.json") == pins)
    let whole = try await bench.refresh()
    #expect(whole.entries.count == 18)
    #expect(whole.entries.filter { $0.state == .fetched }.count == 13)
  }

  @Test func aTamperedArtefactIsNeverHandedOutAndIsHealed() async throws {
    let bench = try MirrorBench()
    _ = try await bench.refresh(Self.wish)
    let build = try #require(try bench.mirror.catalogue().latest(hardware: "0.2", model: "6", flavor: "vanilla"))
    var bytes = try #require(bench.station.read("catalog/m/" + Self.app))
    bytes[7] ^= 1
    try bench.station.write(bytes, to: "catalog/m/" + Self.app)
    #expect(throws: CatalogueError.damaged(path: Self.app)) { try bench.mirror.resolve(build) }
    #expect(try bench.mirror.verify().entries.filter { $0.state == .damaged }.map(\.path) == [Self.app])
    // Of the same size, so a look at names and sizes cannot see it.
    #expect(try bench.mirror.list().entries.contains { $0.state == .damaged } == false)
    let refresh = try await bench.refresh(Self.wish)
    #expect(refresh.entries.filter { $0.state == .fetched }.map(\.path) == [Self.app])
    #expect(try bench.mirror.resolve(build).pin.size == 43)

    try bench.station.remove("catalog/m/" + Self.app)
    #expect(throws: CatalogueError.notMirrored(path: Self.app)) { try bench.mirror.resolve(build) }
    #expect(try bench.mirror.verify().entries.filter { $0.state == .missing }.map(\.path) == [Self.app])
  }

  @Test func aLinkOrAFolderInPlaceOfAnArtefactIsNotFollowed() async throws {
    let bench = try MirrorBench()
    _ = try await bench.refresh(Self.wish)
    let build = try #require(try bench.mirror.catalogue().latest(hardware: "0.2", model: "6", flavor: "vanilla"))
    let file = bench.mirror.path + "/" + Self.app
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: bench.server.path + "/" + Self.app)
    #expect(throws: CatalogueError.self) { try bench.mirror.resolve(build) }
    #expect(try await bench.refresh(Self.wish).isGood)
    #expect(try bench.mirror.resolve(build).file == file)
  }

  @Test func otherContentForAPinnedPathIsRefusedLoudly() async throws {
    let bench = try MirrorBench()
    let pinned = try #require(try await bench.refresh(Self.wish).entries.last?.pin)
    try bench.server.write("something else", to: Self.app)
    // What is there and sound stays in use: the server is not asked.
    #expect(try await bench.refresh(Self.wish).isGood)
    try bench.station.remove("catalog/m/" + Self.app)
    let refresh = try await bench.refresh(Self.wish)
    #expect(!refresh.isGood)
    let entry = try #require(refresh.entries.last)
    // echo -n 'something else' | sha256sum
    #expect(entry.word == "changed")
    #expect(entry.pin == pinned)
    #expect(
      entry.problem?.contains("offered f41f3fa625ff120ddca7ef456bf66371ecea23c129f4e4c32367101edb516cf8) and was not taken") == true, "\(entry.problem ?? "")")
    #expect(bench.station.read("catalog/m/" + Self.app) == nil)
    #expect(try bench.station.files().filter { $0.hasSuffix(".part") } == [])
    // The vendor takes it back.
    try bench.server.write("content of \(Self.app)", to: Self.app)
    #expect(try await bench.refresh(Self.wish).isGood)
  }

  @Test func oneArtefactThatFailsDoesNotStopTheOthers() async throws {
    let bench = try MirrorBench()
    bench.fetcher.fail("0.3.1/sd_bl.zip", .notFound)
    let refresh = try await bench.refresh(Self.wish)
    #expect(!refresh.isGood)
    #expect(refresh.entries.map(\.word) == ["fetched", "failed", "fetched", "fetched", "fetched"])
    #expect(refresh.entries[1].problem == "0.2/6/bootloader/0.3.1/sd_bl.zip could not be fetched: nothing is there: check the address or path")
    bench.fetcher.fail("0.3.1/sd_bl.zip", nil)
    #expect(try await bench.refresh(Self.wish).entries.map(\.word) == ["mirrored", "fetched", "mirrored", "mirrored", "mirrored"])
  }

  @Test func aServerThatDoesNotAnswerIsLeftAloneAfterThree() async throws {
    let bench = try MirrorBench()
    bench.fetcher.fail(".zip", .timeout)
    let refresh = try await bench.refresh(Self.wish)
    #expect(refresh.entries.map(\.word) == ["failed", "failed", "failed", "left out", "left out"])
    #expect(bench.fetcher.asked.count == 4)
  }

  @Test func aStopKeepsWhatIsPinned() async throws {
    let bench = try MirrorBench()
    bench.fetcher.fail("0.3.2/bl.zip", .cancelled)
    await #expect(throws: CatalogueError.cancelled) { try await bench.refresh(Self.wish) }
    bench.fetcher.fail("0.3.2/bl.zip", nil)
    #expect(try await bench.refresh(Self.wish).entries.map(\.word) == ["mirrored", "mirrored", "fetched", "fetched", "fetched"])
  }

  @Test(
    "A bad catalogue leaves the mirror as it was",
    arguments: ["<html>Not found</html>", #"{"error": "maintenance"}"#, String(repeating: " ", count: 5 << 20)])
  func badCatalogue(text: String) async throws {
    let bench = try MirrorBench()
    _ = try await bench.refresh(Self.wish)
    let (pins, files) = (bench.station.read("catalog/m/pins.json"), try bench.station.files())
    try bench.server.write(text, to: "info2.json")
    await #expect(throws: CatalogueError.self) { try await bench.refresh(Self.wish) }
    #expect(bench.station.read("catalog/m/pins.json") == pins)
    #expect(try bench.station.files() == files)
    #expect(try bench.mirror.verify().entries.filter { !$0.isUsable && $0.pin != nil }.isEmpty)
  }

  @Test func traversalNamesWriteNothingOutside() async throws {
    let bench = try MirrorBench()
    let evil = ["../../evil.zip", "/tmp/evil.zip", "..", "a/../../evil.zip", "pins.json/../../../../evil"]
    let leaves = evil.enumerated().map { #""1.\#($0)": {"filename": "\#($1)"}"# }.joined(separator: ",")
    try bench.server.write(
      #"{"..": {"5": {"v": {"1": {"filename": "evil.zip"}}}}, "0.2": {"6": {"vanilla": {\#(leaves), "1.4.5": {"filename": "firmware.zip"}}}}}"#,
      to: "info2.json")
    let refresh = try await bench.refresh()
    #expect(refresh.catalogue.complaints.count == 6)
    #expect(try bench.station.files() == ["catalog/m/.lock", "catalog/m/" + Self.app, "catalog/m/catalogue.json", "catalog/m/pins.json"])
  }

  @Test func aChangedRequirementIsTold() async throws {
    let bench = try MirrorBench()
    #expect(try await bench.refresh(Self.wish).changes.isEmpty)
    try bench.server.write(
      Samples.catalogue.replacing(
        #""1.4.5": {"filename": "firmware.zip", "required-bootloader": "0.3.3"}}"#,
        with: #""1.4.5": {"filename": "firmware.zip", "required-bootloader": "0.3.2"}}"#), to: "info2.json")
    #expect(try await bench.refresh(Self.wish).changes.map(\.description) == ["\(Self.app): the catalogue now requires bootloader 0.3.2, before 0.3.3"])
  }

  @Test func theCatalogueAndThePinsAreGuardedToo() async throws {
    let bench = try MirrorBench()
    #expect(throws: CatalogueError.noMirror(folder: bench.mirror.path)) { try bench.mirror.catalogue() }
    _ = try await bench.refresh(Self.wish)
    try bench.station.write(Samples.catalogue.replacing("0.3.3", with: "0.3.1"), to: "catalog/m/catalogue.json")
    #expect(throws: CatalogueError.catalogueNotPinned(file: bench.mirror.path + "/catalogue.json")) { try bench.mirror.catalogue() }
    #expect(try await bench.refresh(Self.wish).isGood)
    _ = try bench.mirror.catalogue()
    let sound = String(decoding: try #require(bench.station.read("catalog/m/pins.json")), as: UTF8.self)
    for broken in [
      "", "{}", "[]", sound.replacing("\"size\" : 43", with: "\"size\" : -1"), sound.replacing(Self.app, with: "../" + Self.app),
      sound.replacing("\"format\" : 1", with: "\"format\" : 2"),
    ] {
      #expect(broken != sound)
      try bench.station.write(broken, to: "catalog/m/pins.json")
      let error = try #require(throws: CatalogueError.self) { try bench.mirror.catalogue() }
      guard case .pinsBroken = error else {
        Issue.record("\(error)")
        continue
      }
      // What cannot be trusted is not written over either.
      await #expect(throws: error) { try await bench.refresh(Self.wish) }
    }
  }

  @Test func powerMayFailBetweenPinsAndCatalogue() async throws {
    let bench = try MirrorBench()
    _ = try await bench.refresh(Self.wish)
    // As it lies on the disk after the first of the three steps: both are pinned, the old catalogue is there.
    let new = Samples.catalogue.replacing("1.4.5", with: "1.4.6")
    let pins = String(decoding: try #require(bench.station.read("catalog/m/pins.json")), as: UTF8.self)
    let (old, both) = (try Pin.hash(Array(Samples.catalogue.utf8)), try Pin.hash(Array(new.utf8)))
    try bench.station.write(pins.replacing("\"\(old)\"", with: "\"\(old)\", \"\(both)\""), to: "catalog/m/pins.json")
    #expect(try bench.mirror.catalogue() == Samples.read(Samples.catalogue))
    // After the second.
    try bench.station.write(new, to: "catalog/m/catalogue.json")
    #expect(try bench.mirror.catalogue() == Samples.read(new))
  }

  @Test func oneRefreshAtATime() async throws {
    let bench = try MirrorBench()
    let lock = try bench.mirror.folder.lock()
    await #expect(throws: CatalogueError.busy(folder: bench.mirror.path)) { try await bench.refresh(Self.wish) }
    lock.release()
    #expect(try await bench.refresh(Self.wish).isGood)
  }

  @Test func artefactsHaveLimits() async throws {
    let bench = try MirrorBench()
    var limits = CatalogueLimits()
    limits.artefactSize = 43
    bench.mirror = CatalogueMirror(folder: bench.mirror.path, limits: limits)
    try bench.server.write("content of 0.2/6/vanilla/1.4.5/firmware.zip!", to: Self.app)
    #expect(try await bench.refresh(Self.wish).entries.last?.state == .failed(.tooLarge(limit: 43)))
    limits = CatalogueLimits()
    limits.mirrorSize = 100
    bench.mirror = CatalogueMirror(folder: bench.station.path + "/catalog/n", limits: limits)
    await #expect(throws: CatalogueError.mirrorFull(limit: 100)) { try await bench.refresh(Self.wish) }
    #expect(try bench.station.files().filter { $0.hasPrefix("catalog/n/0.2") }.count == 2)
  }

  @Test func aMirrorThatCannotBeWrittenSaysSo() async throws {
    let bench = try MirrorBench()
    try bench.station.write("a file", to: "in-the-way")
    bench.mirror = CatalogueMirror(folder: bench.station.path + "/in-the-way/m")
    let error = await #expect(throws: CatalogueError.self) { try await bench.refresh(Self.wish) }
    guard case .disk? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.isStationFault == true)
  }

  @Test func aCatalogueThatCannotBeFetchedSaysWhy() async throws {
    let bench = try MirrorBench()
    try bench.server.remove("info2.json")
    await #expect(throws: CatalogueError.notFetched(.notFound)) { try await bench.refresh(Self.wish) }
  }
}
