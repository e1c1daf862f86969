import Bluetooth
import Firmware
import Flashing
import VirtualLine

/// Compares what the records say with what the virtual boards know of themselves.
struct TruthCheck {
  /// One board of the records: its last result.
  struct Recorded: Hashable, Sendable {
    var mac: String
    var isGood: Bool
    var version: String?
    var hash: String?
    var serial: String?
    var hardware: String?
  }

  /// How many good boards were found as recorded.
  private(set) var agreeing = 0
  /// One line for each that was not.
  private(set) var differences: [String] = []

  /// - Parameter recorded: the last result of each board.
  init(truth: LineTruth, recorded: [Recorded]) {
    let boards = Dictionary(truth.boards.map { ($0.address, $0) }) { first, _ in first }
    for record in recorded {
      guard let board = boards[record.mac] else {
        differences.append("\(record.mac) is recorded, but the line has no such board")
        continue
      }
      // Only a good result promises what runs; a board that failed may have changed after the station saw it last.
      guard record.isGood else { continue }
      let found = Self.differences(record, board)
      if found.isEmpty { agreeing += 1 } else { differences.append("\(record.mac): " + found.joined(separator: ", ")) }
    }
  }

  private static func differences(_ record: Recorded, _ board: LineTruth.Board) -> [String] {
    var found: [String] = []
    func compare(_ what: String, _ recorded: String?, _ real: String?) {
      if recorded != real { found.append("\(what) recorded \(recorded ?? "none"), on the board \(real ?? "none")") }
    }
    // Compared as numbers: both sides may write the build number in their own way.
    let (recorded, real) = (record.version.flatMap { ImageVersion($0) }, board.version.flatMap { ImageVersion($0) })
    if recorded != real { compare("version", record.version, board.version) }
    compare("image hash", record.hash, board.hash)
    compare("serial number", record.serial, board.serial)
    compare("hardware revision", record.hardware, board.hardware)
    if !board.confirmed { found.append("recorded as good, but its image is not confirmed") }
    return found
  }
}

extension TruthCheck.Recorded {
  /// - Parameter row: the cells of one result, in the order of the columns.
  init(_ row: [ResultCell]) {
    func text(_ column: ResultColumn) -> String? {
      guard let index = ResultColumn.allCases.firstIndex(of: column), row.indices.contains(index), case .text(let text) = row[index] else { return nil }
      return text
    }
    mac = text(.mac) ?? ""
    let good = ResultColumn.allCases.firstIndex(of: .good).flatMap { row.indices.contains($0) ? row[$0] : nil }
    isGood = good == .integer(1)
    version = text(.firmwareAfter)
    hash = text(.imageHashAfter)
    serial = text(.serialNumber)
    hardware = text(.hardwareRevision)
  }
}
