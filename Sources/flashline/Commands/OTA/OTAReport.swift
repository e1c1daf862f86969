import Bluetooth
import Cloud
import Flashing
import Station

/// What `ota` found out, step by step: for people and for programs.
struct OTAReport {
  /// What the server said.
  enum Answer {
    case release(Release)
    /// 204.
    case nothing
  }

  let request: OTARequest
  /// The address that was asked.
  let server: String
  var values = ReleaseValues()
  /// The project key is the board's.
  var hasBoardKey = false
  var answer: Answer?
  /// The one that is meant.
  var artefact: ReleaseArtefact?
  /// Where it lies.
  var path: String?
  var output: String?
  var failure: ProgramError?

  init(_ request: OTARequest, server: String) {
    self.request = request
    self.server = server
  }

  /// 204 to somebody who said what the board runs.
  private var isUpToDate: Bool { if case .nothing = answer { values[.currentVersion] != nil } else { false } }

  var exit: Int32 {
    if let failure { return failure.exit }
    if case .release = answer { return ExitStatus.good }
    return isUpToDate ? ExitStatus.good : ExitStatus.notGood
  }

  /// The line for stderr.
  var problem: ProgramError? {
    if let failure { return failure }
    if case .nothing = answer, !isUpToDate { return ProgramError(OTAError.noRelease) }
    return nil
  }

  private var word: String {
    if failure != nil { return "failed" }
    switch answer {
    case .release: return path == nil ? "release" : "fetched"
    case .nothing: return isUpToDate ? "up_to_date" : "none"
    case nil: return "failed"
    }
  }

  // MARK: people

  var lines: [String] {
    var lines = valueLines
    switch answer {
    case .release(let release):
      let notes = release.mustPassThrough ? ", which must not be left out" : ""
      lines.append("release \(release.version.escaped())\(release.isDelta ? " (differences only)" : "")\(notes)")
      lines += Self.table(release, artefact).lines
    case .nothing: if isUpToDate { lines.append(upToDate) }
    case nil: break
    }
    if let path { lines.append("fetched: \(path.escaped(limit: 1024))") }
    if let output { lines.append("copied to: \(output.escaped(limit: 1024))") }
    return lines
  }

  private var upToDate: String { "up to date: the board has the latest release (\(values[.currentVersion]?.text.escaped() ?? ""))" }

  private var valueLines: [String] {
    let known = ReleaseValues.Field.allCases.compactMap { field in values[field].map { (field, $0) } }
    guard !known.isEmpty else { return [] }
    return TextTable(heads: ["VALUE", "IS", "FROM"], rows: known.map { [$0.words, $1.text.escaped(), $1.origin.words] }).lines
      + (hasBoardKey ? ["the project key is the board's"] : [])
  }

  private static func table(_ release: Release, _ meant: ReleaseArtefact?) -> TextTable {
    TextTable(
      heads: ["ARTIFACT", "TYPE", "HARDWARE", "BYTES", "SHA-256", ""],
      rows: release.artefacts.map { artefact in
        [
          artefact.shownName, artefact.type?.escaped(limit: 32) ?? "-", artefact.hardwareVersion?.escaped(limit: 32) ?? "any",
          artefact.size.map(String.init) ?? "-", artefact.sha256 ?? "none", artefact == meant ? "this one" : "",
        ]
      })
  }

  // MARK: programs

  var json: JSONText {
    .object([
      .init("action", .text(request.action.rawValue)), .init("result", .text(word)), .init("mac", .of(request.address?.description)),
      .init("server", .text(server)),
      .init("values", .object(ReleaseValues.Field.allCases.map { .init($0.rawValue, Self.json(values[$0])) })),
      .init("board_key", .bool(hasBoardKey)), .init("release", releaseJSON), .init("artifact", artefact.map(Self.json) ?? .null),
      .init("path", .of(path)), .init("output", .of(output)), .init("message", .of(isUpToDate ? upToDate : problem?.text.oneLine)),
    ])
  }

  private var releaseJSON: JSONText {
    guard case .release(let release) = answer else { return .null }
    return .object([
      .init("version", .text(release.version)), .init("notes", .of(release.notes)), .init("must_pass_through", .bool(release.mustPassThrough)),
      .init("delta", .bool(release.isDelta)), .init("artifacts", .list(release.artefacts.map(Self.json))),
    ])
  }

  private static func json(_ value: ReleaseValues.Value?) -> JSONText {
    guard let value else { return .null }
    return .object([.init("value", .text(value.text)), .init("from", .text(value.origin.rawValue))])
  }

  private static func json(_ artefact: ReleaseArtefact) -> JSONText {
    .object([
      .init("name", .text(artefact.shownName)), .init("type", .of(artefact.type)), .init("hardware_version", .of(artefact.hardwareVersion)),
      .init("bytes", .of(artefact.size)), .init("sha256", .of(artefact.sha256)),
    ])
  }
}

extension ReleaseValues.Origin {
  /// For people.
  fileprivate var words: String {
    switch self {
    case .option: "option"
    case .smp: "board, SMP group 128"
    case .mds: "board, diagnostic service"
    case .dis: "board, device information"
    case .profile: "profile"
    case .station: "[station] id"
    }
  }
}
