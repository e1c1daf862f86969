import Firmware
import FoundationEssentials

extension CatalogueMirror {
  /// Brings the catalogue and the artefacts that are wished for. What went wrong with one artefact is in its entry; the others are brought all the same.
  ///
  /// - Parameters:
  ///   - wishes: builds that fit any of them; empty is all builds.
  ///   - told: hears of each artefact as it is settled.
  public func refresh(
    from location: CatalogueLocation, wishes: [MirrorWish], by fetcher: any Fetcher, told: (MirrorEntry) -> Void = { _ in }
  ) async throws(CatalogueError) -> MirrorRefresh {
    let lock = try folder.lock()
    defer { lock.release() }
    var pins = try pins() ?? PinBook(source: location.description)
    let json = try await fetchCatalogue(location, fetcher)
    let catalogue = try Catalogue(json: json, limits: limits)
    let before = try? self.catalogue(pins)
    var refresh = MirrorRefresh(catalogue: catalogue, entries: [], changes: before.map { Self.changes(from: $0, to: catalogue) } ?? [])

    let wanted = catalogue.builds.filter { build in wishes.isEmpty || wishes.contains { $0.includes(build) } }
    var failures = 0
    for build in wanted {
      guard !Task.isCancelled else { throw .cancelled }
      var entry = MirrorEntry(path: build.path, build: build, pin: pins.artefacts[build.path], state: .leftOut)
      if failures < limits.failuresInARow { try await bring(&entry, location.artefact(build), fetcher, &pins) }
      if case .failed(let error) = entry.state { failures += error.isLasting ? 1 : 0 } else if entry.state != .leftOut { failures = 0 }
      refresh.entries.append(entry)
      told(entry)
    }
    pins.source = location.description
    try replaceCatalogue(json, &pins)
    return refresh
  }

  private func fetchCatalogue(_ location: CatalogueLocation, _ fetcher: any Fetcher) async throws(CatalogueError) -> [UInt8] {
    let part = try folder.part(of: "catalogue.fetched")
    defer { folder.remove(part) }
    do throws(FetchError) {
      _ = try await fetcher.fetch(location.url, to: part, limit: limits.catalogueSize)
    } catch {
      throw error == .cancelled ? .cancelled : .notFetched(error)
    }
    guard let json = try MirrorFolder.read(part, limit: limits.catalogueSize) else { throw .disk(path: part, "it went away") }
    return json
  }

  /// Settles one artefact: what is there and fits its pin stays, everything else is fetched and compared.
  private func bring(_ entry: inout MirrorEntry, _ url: URL, _ fetcher: any Fetcher, _ pins: inout PinBook) async throws(CatalogueError) {
    // A file that cannot be read is one that is not there: the fetched one takes its place, or its folder tells what is wrong.
    if let pin = entry.pin, (try? holds(entry.path, pin)) == true {
      entry.state = .mirrored
      return
    }
    let part = try folder.part(of: entry.path)
    defer { folder.remove(part) }
    do throws(FetchError) {
      _ = try await fetcher.fetch(url, to: part, limit: limits.artefactSize)
    } catch {
      if error == .cancelled { throw .cancelled }
      entry.state = .failed(error)
      return
    }
    guard let content = try MirrorFolder.read(part, limit: limits.artefactSize) else { throw .disk(path: part, "it went away") }
    let offered = try Pin(of: content)
    if let pin = entry.pin {
      guard offered == pin else {
        entry.state = .changed(offered: offered)
        return
      }
      try folder.install(part, as: entry.path)
    } else {
      guard pins.artefacts.values.reduce(offered.size, { $0 + $1.size }) <= limits.mirrorSize else { throw .mirrorFull(limit: limits.mirrorSize) }
      try folder.install(part, as: entry.path)
      pins.pin(entry.path, offered)
      try folder.replace(MirrorFolder.pinsName, try pins.json())
      entry.pin = offered
    }
    entry.state = .fetched
  }

  /// First both catalogues are pinned, then the file is replaced, then the old pin goes: whenever the power fails, one that is pinned lies there.
  private func replaceCatalogue(_ json: [UInt8], _ pins: inout PinBook) throws(CatalogueError) {
    let hash = try Pin.hash(json)
    if !pins.catalogue.contains(hash) { pins.catalogue.append(hash) }
    try folder.replace(MirrorFolder.pinsName, try pins.json())
    try folder.replace(MirrorFolder.catalogueName, json)
    pins.catalogue = [hash]
    try folder.replace(MirrorFolder.pinsName, try pins.json())
  }

  /// Builds that are still there and ask for another bootloader than before: nobody notices that by looking at the files.
  private static func changes(from before: Catalogue, to now: Catalogue) -> [CatalogueComplaint] {
    let earlier = Dictionary(before.builds.map { ($0.path, $0) }) { first, _ in first }
    return now.builds.compactMap { build in
      guard let old = earlier[build.path], old.requiredBootloader != build.requiredBootloader else { return nil }
      let (was, now) = (old.requiredBootloader?.description ?? "none", build.requiredBootloader?.description ?? "none")
      return CatalogueComplaint(build.path.split(separator: "/").map(String.init), "the catalogue now requires bootloader \(now), before \(was)")
    }
  }
}
