import SQLite
import Flashing

/// The reading side of the audit: walks the chain from its beginning and holds every row of `results` and every batch against it.
struct AuditCheck {
  let database: Database
  let expected: String?

  private struct Entry {
    var sequence: Int64
    var record: Int64?
    var batchID: Int64?
    var canonical: String
    var hash: String

    init(_ row: [ResultCell]) {
      sequence = row[0].integer ?? 0
      record = row[1].integer
      batchID = row[2].integer
      canonical = row[3].text ?? ""
      hash = row[4].text ?? ""
    }

    func fault(_ kind: AuditFault.Kind, _ message: String) -> AuditFault {
      AuditFault(kind: kind, sequence: sequence, record: record, batchID: batchID, message: message)
    }
  }

  func report() throws(RecordError) -> AuditReport {
    var report = AuditReport(entries: 0, results: 0, head: Canon.genesis)
    let expected = expected?.lowercased()
    var isExpectedMet = expected == nil || expected == Canon.genesis
    var lastRecord: Int64 = 0
    try database.rows("SELECT sequence, record, batch_id, canonical, hash FROM audit ORDER BY sequence") { row throws(RecordError) in
      let entry = Entry(row)
      report.fault = try check(entry, after: report, lastRecord: lastRecord)
      guard report.fault == nil else { return .stop }
      report.entries += 1
      report.head = entry.hash
      if let record = entry.record {
        report.results += 1
        lastRecord = record
      }
      isExpectedMet = isExpectedMet || entry.hash == expected
      return .goOn
    }
    if report.fault == nil { report.fault = try unknownRow() }
    if report.fault == nil { report.fault = try changedBatch() }
    if report.fault == nil && !isExpectedMet {
      report.fault = AuditFault(
        kind: .headMissing, sequence: nil, record: nil, batchID: nil,
        message: "the kept head does not occur in the chain: rows at its end were cut off, or the database was replaced")
    }
    return report
  }

  private func check(_ entry: Entry, after report: AuditReport, lastRecord: Int64) throws(RecordError) -> AuditFault? {
    guard entry.sequence == Int64(report.entries) + 1 else {
      return entry.fault(.entryMissing, "audit entry \(report.entries + 1) is missing: the next one is \(entry.sequence)")
    }
    guard try Canon.hash(report.head, entry.canonical).utf8.elementsEqual(entry.hash.utf8) else {
      return entry.fault(
        .entryChanged, "audit entry \(entry.sequence)\(named(entry)) does not continue the one before it: it was changed, moved, or others were removed")
    }
    guard let record = entry.record else { return nil }
    guard record > lastRecord else {
      return entry.fault(.entryChanged, "audit entry \(entry.sequence) holds record \(record) after record \(lastRecord): the order was changed")
    }
    return try checkRow(entry, record)
  }

  /// The row itself must still be what was hashed.
  private func checkRow(_ entry: Entry, _ record: Int64) throws(RecordError) -> AuditFault? {
    guard let version = Canon.version(of: entry.canonical), let columns = Canon.columns(version: version) else {
      return entry.fault(.entryChanged, "audit entry \(entry.sequence)\(named(entry)) is in a form that this version of Flashline does not know")
    }
    guard let row = try database.first("SELECT \(ResultWriter.names) FROM results WHERE record = ?", [.integer(record)]) else {
      return entry.fault(.rowRemoved, "record \(record) was removed: the audit keeps it as \(entry.canonical)")
    }
    // Bytes, not characters: Swift takes two spellings of an accent for the same text.
    guard let now = Canon.result(row, version: version), !now.utf8.elementsEqual(entry.canonical.utf8) else { return nil }
    let change = zip(columns, zip(Canon.elements(of: entry.canonical).dropFirst(), Canon.elements(of: now).dropFirst())).first { _, values in
      !values.0.utf8.elementsEqual(values.1.utf8)
    }
    let words = change.map { "\($0.0.rawValue) is \($0.1.1), the audit keeps \($0.1.0)" } ?? "the audit keeps it as \(entry.canonical)"
    return entry.fault(.rowChanged, "record \(record) was changed: \(words)")
  }

  /// A finished attempt that nobody chained.
  private func unknownRow() throws(RecordError) -> AuditFault? {
    let row = try database.first(
      "SELECT record, batch_id FROM attempts WHERE record IS NOT NULL AND record NOT IN (SELECT record FROM audit WHERE record IS NOT NULL) ORDER BY record LIMIT 1"
    )
    guard let row, let record = row[0].integer else { return nil }
    return AuditFault(
      kind: .rowAdded, sequence: nil, record: record, batchID: row[1].integer, message: "record \(record) is not in the audit: it was added by another program")
  }

  /// A batch must be what its newest event says: ended so, or going on again; without any event it has not ended yet.
  private func changedBatch() throws(RecordError) -> AuditFault? {
    var fault: AuditFault?
    try database.rows("SELECT \(Canon.batchColumns) FROM batches ORDER BY batch_id") { row throws(RecordError) in
      guard let id = row[0].integer else { return .goOn }
      let kept = try database.first(
        "SELECT sequence, canonical FROM audit WHERE batch_id = ? AND record IS NULL ORDER BY sequence DESC LIMIT 1", [.integer(id)])
      guard let canonical = kept?[1].text else {
        if row[Canon.batchEndColumn] == .absent { return .goOn }
        fault = AuditFault(kind: .rowAdded, sequence: nil, record: nil, batchID: id, message: "the end of batch \(id) is not in the audit")
        return .stop
      }
      if BatchEvent.allCases.contains(where: { Canon.batch($0, row).utf8.elementsEqual(canonical.utf8) }) { return .goOn }
      fault = AuditFault(
        kind: .rowChanged, sequence: kept?[0].integer, record: nil, batchID: id, message: "batch \(id) was changed: the audit keeps it as \(canonical)")
      return .stop
    }
    return fault
  }

  private func named(_ entry: Entry) -> String {
    entry.record.map { " (record \($0))" } ?? entry.batchID.map { " (batch \($0))" } ?? ""
  }
}
