import Bluetooth
import Flashing
import Station

/// What was heard during a scan, as a value: advertisements in, boards out.
struct ScanLog {
  /// Most boards that are kept; the air may hold more names than boards.
  static let boardLimit = 10_000
  /// Most strengths that are kept of a board and adapter.
  static let sampleLimit = 200
  /// A board that was silent for so long is not in range any more: several times what the slowest advertisers leave between two advertisements (10 s).
  static let silenceLimit = Duration.seconds(30)

  struct Board {
    var advertisement: Advertisement
    /// When it was heard last, since the scan began.
    var lastHeard = Duration.zero
    /// Strengths in dBm by adapter.
    var samples: [String: [Int]] = [:]

    /// The adapter that hears it best, and its median there.
    var best: (adapter: String, rssi: Int)? {
      samples.compactMapValues(Self.median).max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
    }

    private static func median(_ values: [Int]) -> Int? {
      values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
  }

  private struct Key: Hashable {
    var address: BluetoothAddress
    var type: AddressType
  }

  private var known: [Key: Board] = [:]

  /// The boards that are in range at a time, since the scan began.
  func boards(at now: Duration) -> [Board] { known.values.filter { now - $0.lastHeard <= Self.silenceLimit } }

  mutating func note(_ advertisement: Advertisement, on adapter: String, at now: Duration = .zero) {
    let key = Key(address: advertisement.address, type: advertisement.addressType)
    guard known[key] != nil || known.count < Self.boardLimit else { return }
    var board = known[key] ?? Board(advertisement: advertisement)
    // It has changed between its application and its bootloader: what was heard before belongs to the other mode.
    if !advertisement.services.isEmpty, !board.advertisement.services.isEmpty,
      advertisement.showsBootloader != board.advertisement.showsBootloader
    {
      board = Board(advertisement: advertisement)
    }
    // A scan response may bring the name or services that the advertisement left out.
    board.lastHeard = now
    board.advertisement.name = advertisement.name ?? board.advertisement.name
    board.advertisement.services.formUnion(advertisement.services)
    board.advertisement.manufacturerData.merge(advertisement.manufacturerData) { $1 }
    if let rssi = advertisement.rssi, board.samples[adapter, default: []].count < Self.sampleLimit { board.samples[adapter, default: []].append(rssi) }
    known[key] = board
  }
}

/// The boards of a scan for people and for programs: admitted ones first, the strongest first.
struct ScanReport {
  struct Row {
    var board: ScanLog.Board
    /// Names of the profiles that match.
    var profiles: [String]
    /// Why a job would not take it; nil when it would.
    var reason: String?
  }

  let rows: [Row]
  let mode: BoardMode

  /// - Parameters:
  ///   - mode: boards in the other one are not listed.
  ///   - now: since the scan began.
  init(log: ScanLog, admission: Admission, mode: BoardMode = .application, at now: Duration = .zero) {
    self.mode = mode
    rows = log.boards(at: now).filter { Self.isListed($0.advertisement, admission, mode) }
      .map { Self.row($0, admission) }
      .sorted { left, right in
        if left.profiles.isEmpty != right.profiles.isEmpty { return right.profiles.isEmpty }
        let (one, other) = (left.board.best?.rssi ?? Int.min, right.board.best?.rssi ?? Int.min)
        return one != other ? one > other : left.board.advertisement.address < right.board.advertisement.address
      }
  }

  private static func isListed(_ advertisement: Advertisement, _ admission: Admission, _ mode: BoardMode) -> Bool {
    let isBootloader = advertisement.showsBootloader || admission.profiles.contains { $0.face(of: advertisement) == .shows(.bootloader) }
    return isBootloader == (mode == .bootloader)
  }

  private static func row(_ board: ScanLog.Board, _ admission: Admission) -> Row {
    let verdict = admission.verdict(board.advertisement)
    let names = { (indices: [Int]) in indices.map { admission.profiles[$0].name } }
    switch verdict {
    case .application(let profile), .bootloader(let profile):
      var reason: String?
      if let least = admission.minRSSI(verdict), let rssi = board.best?.rssi, rssi < least { reason = "weaker than min_rssi \(least)" }
      return Row(board: board, profiles: names([profile]), reason: reason)
    case .ambiguous(let several): return Row(board: board, profiles: names(several), reason: "two profiles match")
    case .privateAddress(let profile): return Row(board: board, profiles: names([profile]), reason: "changes its address")
    case .contradictory: return Row(board: board, profiles: [], reason: "shows application and bootloader at once")
    case .neither: return Row(board: board, profiles: [], reason: "no profile")
    }
  }

  var lines: [String] {
    guard !rows.isEmpty else { return ["no board was heard"] }
    let table = TextTable(
      heads: ["ADDRESS", "TYPE", "RSSI", "ADAPTER", "PROFILE", "NAME"],
      rows: rows.map { row in
        let advertisement = row.board.advertisement
        return [
          advertisement.address.description, advertisement.addressType.rawValue, row.board.best.map { "\($0.rssi)" } ?? "-",
          row.board.best?.adapter.escaped(limit: 32) ?? "-", Self.profileText(row), advertisement.name?.escaped(limit: 40) ?? "-",
        ]
      })
    let admitted = rows.count { $0.reason == nil }
    return table.lines + [
      "\(Figures.count(rows.count, "board")) in \(mode == .application ? "application mode" : "the bootloader"), \(admitted) of them admitted by a profile"
    ]
  }

  private static func profileText(_ row: Row) -> String {
    let names = row.profiles.map { $0.escaped(limit: 40) }.joined(separator: "+")
    guard let reason = row.reason, !names.isEmpty else { return names.isEmpty ? "-" : names }
    return "\(names) (\(reason))"
  }

  var json: JSONText {
    .object([
      .init("mode", .text(mode.rawValue)),
      .init(
        "boards",
        .list(
          rows.map { row in
            let advertisement = row.board.advertisement
            return .object([
              .init("mac", .text(advertisement.address.description)), .init("address_type", .text(advertisement.addressType.rawValue)),
              .init("name", .of(advertisement.name)), .init("rssi_dbm", .of(row.board.best?.rssi)), .init("adapter", .of(row.board.best?.adapter)),
              .init("profiles", .list(row.profiles.map(JSONText.text))), .init("admitted", .bool(row.reason == nil)), .init("reason", .of(row.reason)),
              .init("services", .list(advertisement.services.map(\.description).sorted().map(JSONText.text))),
            ])
          })),
    ])
  }
}
