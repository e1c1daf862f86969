import Catalogue
import Cloud
import Flashing
import FoundationEssentials
import Station

/// `catalog`: the firmware catalogues of the profiles and their pinned local mirrors.
struct CatalogCommand {
  let request: CatalogRequest
  let invocation: Invocation
  let loop: CommandLoop

  /// The folder of all mirrors: beside the database.
  static func folder(_ configuration: StationConfiguration) -> String {
    URL(filePath: configuration.database).deletingLastPathComponent().appending(path: "catalog").path(percentEncoded: false)
  }

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    let sources = try CatalogSource.all(request.profiles, configuration)
    let (request, console, folder) = (request, loop.console, Self.folder(configuration))
    return loop.run { stop in
      var report = CatalogReport(action: request.action)
      var failure: ProgramError?
      for source in sources {
        do throws(CatalogueError) {
          report.shelves.append(try await Self.visit(source, in: folder, request, console))
        } catch {
          if error == .cancelled, stop.isStopping { return ExitStatus.stopped }
          let words = ProgramError(error, source)
          console.problem(words)
          failure = failure.map { $0.exit >= words.exit ? $0 : words } ?? words
        }
      }
      for problem in report.problems { console.problem(problem) }
      if console.isJSON { console.document(report.json) } else if !console.isQuiet { console.say(report.lines) }
      return failure?.exit ?? (report.isGood ? ExitStatus.good : ExitStatus.notGood)
    }
  }

  private static func visit(
    _ source: CatalogSource, in folder: String, _ request: CatalogRequest, _ console: Console
  ) async throws(CatalogueError) -> CatalogReport.Shelf {
    let mirror = try CatalogueMirror(of: source.location, in: folder)
    let (catalogue, entries, changes): (Catalogue, [MirrorEntry], [CatalogueComplaint])
    switch request.action {
    case .refresh:
      let fetcher: any Fetcher = source.location.isFile ? FileFetcher() : HTTPFetcher()
      let refresh = try await mirror.refresh(from: source.location, wishes: request.isWhole ? [] : source.wishes, by: fetcher) { entry in
        if entry.state == .fetched, !console.isQuiet { console.people.write("fetched \(entry.path) (\(entry.pin?.size ?? 0) bytes)") }
      }
      (catalogue, entries, changes) = (refresh.catalogue, refresh.entries, refresh.changes)
    case .list: (catalogue, entries, changes) = Self.unchanged(try mirror.list())
    case .verify: (catalogue, entries, changes) = Self.unchanged(try mirror.verify())
    }
    return CatalogReport.Shelf(source: source, folder: mirror.path, catalogue: catalogue, entries: entries, changes: changes)
  }

  private static func unchanged(_ found: (catalogue: Catalogue, entries: [MirrorEntry])) -> (Catalogue, [MirrorEntry], [CatalogueComplaint]) {
    (found.catalogue, found.entries, [])
  }
}

extension ProgramError {
  /// What somebody wrote is exit 2, what the disk or the network refused is exit 3.
  fileprivate init(_ error: CatalogueError, _ source: CatalogSource) {
    let text = "\(source.location.description.escaped(limit: 1024)): \(error.description)"
    self.init(exit: error.isStationFault ? ExitStatus.fault : ExitStatus.usage, text: text)
  }
}
