import Bluetooth
import Flashing

/// One row of `attempts` on its way back into an `AttemptRecord`.
struct AttemptRow {
  /// What to select, in the order that `record(_:)` reads.
  static let columns = (ResultColumn.allCases.map(\.sql) + ["is_final"]).joined(separator: ", ")

  private let cells: [ResultColumn: ResultCell]
  private let isFinal: Bool
  private let path: String

  /// - Parameter path: the database, for messages.
  init(_ row: [ResultCell], path: String) {
    cells = Dictionary(zip(ResultColumn.allCases, row), uniquingKeysWith: { first, _ in first })
    isFinal = row.last == .integer(1)
    self.path = path
  }

  /// Fails with the column's name when a word is not of this version's vocabulary.
  func record() throws(RecordError) -> AttemptRecord {
    var attempt = AttemptRecord(
      batchID: try integer(.batchID), stationID: try text(.stationID), profile: try text(.profile), job: try word(.job), mac: try address(.mac),
      addressType: try word(.addressType), attempt: Int(try integer(.attempt)), startedAt: try time(.startedAt), toolVersion: try text(.toolVersion))
    attempt.record = cells[.record]?.integer
    attempt.attemptID = try integer(.attemptID)
    attempt.reportDay = cells[.reportDay]?.text
    attempt.isFinal = isFinal
    try readBoard(into: &attempt)
    try readImage(into: &attempt)
    try readOutcome(into: &attempt)
    return attempt
  }

  private func readBoard(into attempt: inout AttemptRecord) throws(RecordError) {
    attempt.workOrder = cells[.workOrder]?.text
    attempt.lot = cells[.lot]?.text
    attempt.operator = cells[.operator]?.text
    attempt.unitID = cells[.unitID]?.text
    attempt.dfuMAC = try optional(.dfuMAC, address)
    attempt.serialNumber = cells[.serialNumber]?.text
    attempt.modelNumber = cells[.modelNumber]?.text
    attempt.hardwareRevision = cells[.hardwareRevision]?.text
    attempt.adapterLabel = cells[.adapterLabel]?.text
    attempt.adapterPath = cells[.adapterPath]?.text
    attempt.adapterMAC = try optional(.adapterMAC, address)
    attempt.rssi = cells[.rssi]?.integer.map(Int.init)
  }

  private func readImage(into attempt: inout AttemptRecord) throws(RecordError) {
    attempt.upgradeMode = try optional(.upgradeMode, word)
    attempt.firmwareBefore = cells[.firmwareBefore]?.text
    attempt.firmwareAfter = cells[.firmwareAfter]?.text
    attempt.bootloaderBefore = cells[.bootloaderBefore]?.text
    attempt.bootloaderAfter = cells[.bootloaderAfter]?.text
    attempt.package = cells[.package]?.text
    attempt.packageSHA256 = cells[.packageSHA256]?.text
    attempt.imageHash = cells[.imageHash]?.text
    attempt.imageHashBefore = cells[.imageHashBefore]?.text
    attempt.imageHashAfter = cells[.imageHashAfter]?.text
    attempt.imageState = try optional(.imageState, word)
    attempt.verifiedBy = try optional(.verifiedBy, word)
    attempt.settingsErased = try optional(.settingsErased, word)
    attempt.leftAs = try word(.leftAs)
  }

  private func readOutcome(into attempt: inout AttemptRecord) throws(RecordError) {
    attempt.outcome = try optional(.outcome, word)
    attempt.good = cells[.good] == .integer(1)
    attempt.failureCode = try optional(.failureCode, word)
    attempt.failurePhase = try optional(.failurePhase, word)
    attempt.failureMessage = cells[.failureMessage]?.text
    attempt.retries = Int(try integer(.retries))
    attempt.finishedAt = try optional(.finishedAt, time)
    attempt.duration = cells[.duration]?.real
    attempt.uploadBytes = cells[.uploadBytes]?.integer.map(Int.init)
    attempt.uploadSeconds = cells[.uploadSeconds]?.real
    attempt.uploadSpeed = cells[.uploadSpeed]?.real
    attempt.resumedFrom = cells[.resumedFrom]?.integer.map(Int.init)
  }

  private func optional<Value>(_ column: ResultColumn, _ read: (ResultColumn) throws(RecordError) -> Value) throws(RecordError) -> Value? {
    guard let cell = cells[column], cell != .absent else { return nil }
    return try read(column)
  }

  private func text(_ column: ResultColumn) throws(RecordError) -> String {
    guard let text = cells[column]?.text else { throw unreadable(column) }
    return text
  }

  private func integer(_ column: ResultColumn) throws(RecordError) -> Int64 {
    guard let number = cells[column]?.integer else { throw unreadable(column) }
    return number
  }

  private func word<Word: RawRepresentable<String>>(_ column: ResultColumn) throws(RecordError) -> Word {
    guard let word = Word(rawValue: try text(column)) else { throw unreadable(column) }
    return word
  }

  private func address(_ column: ResultColumn) throws(RecordError) -> BluetoothAddress {
    guard let address = BluetoothAddress(try text(column)) else { throw unreadable(column) }
    return address
  }

  private func time(_ column: ResultColumn) throws(RecordError) -> Int64 {
    guard let time = Timestamp.milliseconds(try text(column)) else { throw unreadable(column) }
    return time
  }

  private func unreadable(_ column: ResultColumn) -> RecordError {
    let attempt = cells[.attemptID]?.integer.map(String.init) ?? "?"
    return .damaged("\(path): attempt \(attempt): \(column.rawValue) holds what this version cannot read: check it with `flashline audit`")
  }
}
