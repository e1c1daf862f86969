import Catalogue
import Firmware
import Flashing
import Station

/// What `catalog` shows: one shelf for each catalogue.
struct CatalogReport {
  struct Shelf {
    let source: CatalogSource
    let folder: String
    let catalogue: Catalogue
    let entries: [MirrorEntry]
    let changes: [CatalogueComplaint]
  }

  let action: CatalogRequest.Action
  var shelves: [Shelf] = []

  /// Nothing that was to be there is missing, damaged or changed.
  var isGood: Bool { shelves.allSatisfy { $0.entries.allSatisfy { $0.problem == nil } } }

  /// Lines for stderr: what is wrong with artefacts, and what could not be used of the catalogue.
  var problems: [String] {
    shelves.flatMap { shelf in
      shelf.entries.compactMap(\.problem) + (action == .list ? [] : (shelf.catalogue.complaints + shelf.changes).map { "catalogue: \($0)" })
        + (action != .list && shelf.catalogue.uncounted > 0 ? ["catalogue: \(Figures.count(shelf.catalogue.uncounted, "further complaint"))"] : [])
    }
  }

  var lines: [String] {
    shelves.flatMap { shelf in
      var lines = ["\(shelf.source.location.description.escaped(limit: 1024)) in \(shelf.folder.escaped(limit: 1024))"]
      if action == .list { lines += Self.table(shelf).lines }
      return lines + [Self.summary(shelf)]
    }
  }

  private static func table(_ shelf: Shelf) -> TextTable {
    TextTable(
      heads: ["HARDWARE", "MODEL", "FLAVOR", "VERSION", "NEEDS", "FILE", "BYTES", "STATE"],
      rows: shelf.entries.map { entry in
        guard let build = entry.build else { return ["-", "-", "-", "-", "-", entry.path, size(entry), "\(entry.word), not in the catalogue"] }
        return [
          build.hardware, build.model, build.flavor, build.versionKey, build.requiredBootloader?.description ?? "-", build.filename, size(entry),
          entry.word + (isLatest(build, shelf.catalogue) ? ", latest" : ""),
        ]
      })
  }

  private static func size(_ entry: MirrorEntry) -> String { entry.pin.map { String($0.size) } ?? "-" }

  private static func isLatest(_ build: CatalogueBuild, _ catalogue: Catalogue) -> Bool {
    catalogue.latest(hardware: build.hardware, model: build.model, flavor: build.flavor) == build
  }

  /// `5 builds: 4 mirrored, 1 fetched`.
  private static func summary(_ shelf: Shelf) -> String {
    let words = Dictionary(grouping: shelf.entries, by: \.word).mapValues(\.count).sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return Figures.count(shelf.entries.count, "build") + (words.isEmpty ? "" : ": " + words.joined(separator: ", "))
  }

  var json: JSONText {
    .object([
      .init("action", .text(action.rawValue)), .init("ok", .bool(isGood)), .init("catalogues", .list(shelves.map(Self.json))),
    ])
  }

  private static func json(_ shelf: Shelf) -> JSONText {
    .object([
      .init("catalog", .text(shelf.source.location.description)), .init("profiles", .list(shelf.source.profiles.map { .text($0) })),
      .init("folder", .text(shelf.folder)), .init("builds", .list(shelf.entries.map { json($0, shelf.catalogue) })),
      .init("complaints", .list(shelf.catalogue.complaints.map { .text($0.description) })),
      .init("changes", .list(shelf.changes.map { .text($0.description) })),
    ])
  }

  private static func json(_ entry: MirrorEntry, _ catalogue: Catalogue) -> JSONText {
    let build = entry.build
    return .object([
      .init("path", .text(entry.path)), .init("hardware_revision", .of(build?.hardware)), .init("model_number", .of(build?.model)),
      .init("flavor", .of(build?.flavor)), .init("version", .of(build?.version.description)),
      .init("required_bootloader", .of(build?.requiredBootloader?.description)),
      .init("latest", .bool(build.map { isLatest($0, catalogue) } ?? false)), .init("state", .text(entry.word.replacing(" ", with: "_"))),
      .init("sha256", .of(entry.pin?.sha256)), .init("bytes", .of(entry.pin?.size)), .init("problem", .of(entry.problem)),
    ])
  }
}
