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
    for (number, recorded) in images(record.version) {
      // Compared as numbers: both sides may write the build number in their own way.
      let real = state(number, board).version
      let (left, right) = (recorded.flatMap { ImageVersion($0) }, real.flatMap { ImageVersion($0) })
      // A sequence number is no version, and compared as it stands.
      if left != right || left == nil { compare(name("version", of: number), recorded, real) }
    }
    let hashes = images(record.hash)
    for (number, recorded) in hashes where !isUnread(recorded, number, board) {
      compare(name("image hash", of: number), recorded, state(number, board).hash)
    }
    if record.hash?.contains(":") == true {
      for image in board.images ?? [] where image.readable && !hashes.contains(where: { $0.number == image.image }) {
        found.append("image \(image.image) is not recorded")
      }
    }
    compare("serial number", record.serial, board.serial)
    compare("hardware revision", record.hardware, board.hardware)
    if !board.confirmed { found.append("recorded as good, but its image is not confirmed") }
    for image in board.images ?? [] where image.image > 0 && !image.confirmed {
      found.append("recorded as good, but its image \(image.image) is not confirmed")
    }
    if board.loader != nil { found.append("recorded as good, but its firmware loader runs") }
    return found
  }

  private static func name(_ what: String, of image: Int) -> String { image == 0 ? what : "\(what) of image \(image)" }

  /// What a column says by image number: `0:hex 1:hex` for several, else of image 0 alone.
  private static func images(_ text: String?) -> [(number: Int, value: String?)] {
    guard let text, text.contains(":") else { return [(0, text)] }
    return text.split(separator: " ").map { entry in
      guard let colon = entry.firstIndex(of: ":"), let number = Int(entry[..<colon]) else { return (0, text) }
      return (number, String(entry[entry.index(after: colon)...]))
    }
  }

  private static func state(_ number: Int, _ board: LineTruth.Board) -> (version: String?, hash: String?) {
    guard number > 0 else { return (board.version, board.hash) }
    guard let image = board.images?.first(where: { $0.image == number }) else { return (nil, nil) }
    return (image.version, image.hash)
  }

  /// The record says by a word that nobody could read this image back, and nobody can.
  private static func isUnread(_ recorded: String?, _ number: Int, _ board: LineTruth.Board) -> Bool {
    guard let image = board.images?.first(where: { $0.image == number }), !image.readable else { return false }
    return recorded.map { !$0.allSatisfy(\.isHexDigit) } ?? true
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
