import SQLite
import Flashing

/// Computes a `Summary` inside the database; memory does not grow with the number of results.
struct SummaryQuery {
  let database: Database
  let filter: Filter

  private static let judged = "outcome IN (" + Outcome.allCases.filter(\.isJudged).map { "'\($0.rawValue)'" }.joined(separator: ", ") + ")"
  /// What a board was to have: the image, or where no image hash is known (rescue) the package.
  private static let image = "coalesce(image_hash, package_sha256, '')"

  func summary() throws(RecordError) -> Summary {
    var sections: [Summary.Section] = []
    for job in JobKind.allCases where filter.job == nil || filter.job == job {
      if let section = try section(job) { sections.append(section) }
    }
    return Summary(sections: sections, auditHead: try AuditChain(database: database).head())
  }

  private func section(_ job: JobKind) throws(RecordError) -> Summary.Section? {
    let counts = try first("SELECT count(*), count(DISTINCT mac || address_type), coalesce(sum(upload_bytes), 0)", job)
    guard let attempts = counts[0].integer, attempts > 0 else { return nil }
    return Summary.Section(
      job: job, attempts: Int(attempts), boards: Int(counts[1].integer ?? 0), goodBoards: try goodBoards(job), outcomes: try outcomes(job),
      firstPass: try yield(job, by: "ASC"), final: try yield(job, by: "DESC"), adapters: try adapters(job), failures: try failures(job),
      duration: try spread(.duration, job), speed: try spread(.uploadSpeed, job), uploadBytes: counts[2].integer ?? 0)
  }

  private func outcomes(_ job: JobKind) throws(RecordError) -> Summary.Outcomes {
    var outcomes: Summary.Outcomes = [:]
    try rows("SELECT outcome, count(*)", job, "GROUP BY outcome") { row in
      if let outcome = row[0].text.flatMap(Outcome.init) { outcomes[outcome] = Int(row[1].integer ?? 0) }
    }
    return outcomes
  }

  private func goodBoards(_ job: JobKind) throws(RecordError) -> Int {
    let (condition, values) = scope(job)
    let row = try database.first(
      """
      SELECT count(*) FROM (SELECT max(record) AS newest FROM attempts WHERE \(condition) GROUP BY mac, address_type)
      JOIN attempts ON record = newest WHERE good = 1
      """, values)
    return Int(row?.first?.integer ?? 0)
  }

  /// - Parameter order: `ASC` judges each board by its first judged attempt in the whole database, `DESC` by its last.
  private func yield(_ job: JobKind, by order: String) throws(RecordError) -> Summary.Yield {
    let (condition, values) = scope(job)
    let row = try database.first(
      """
      WITH units AS (SELECT DISTINCT mac, address_type, job, \(Self.image) AS image FROM attempts WHERE \(condition) AND \(Self.judged))
      SELECT count(*), coalesce(sum((
        SELECT outcome = 'passed' FROM attempts
        WHERE attempts.mac = units.mac AND attempts.address_type = units.address_type AND attempts.job = units.job AND record IS NOT NULL
          AND \(Self.judged) AND \(Self.image) = units.image
        ORDER BY record \(order) LIMIT 1)), 0)
      FROM units
      """, values)
    return Summary.Yield(passed: Int(row?[1].integer ?? 0), judged: Int(row?[0].integer ?? 0))
  }

  private func adapters(_ job: JobKind) throws(RecordError) -> [Summary.AdapterLine] {
    var lines: [Summary.AdapterLine] = []
    try rows(
      "SELECT adapter_path, max(adapter_label), outcome, count(*)", job, "GROUP BY adapter_path, outcome ORDER BY adapter_path NULLS LAST"
    ) { row in
      if lines.last?.path != row[0].text || lines.isEmpty { lines.append(Summary.AdapterLine(path: row[0].text, label: nil, outcomes: [:])) }
      lines[lines.count - 1].label = lines[lines.count - 1].label ?? row[1].text
      if let outcome = row[2].text.flatMap(Outcome.init) { lines[lines.count - 1].outcomes[outcome] = Int(row[3].integer ?? 0) }
    }
    return lines
  }

  private func failures(_ job: JobKind) throws(RecordError) -> [Summary.CodeLine] {
    var lines: [Summary.CodeLine] = []
    try rows(
      "SELECT failure_code, outcome, count(*), count(DISTINCT mac || address_type)", job,
      "AND failure_code IS NOT NULL GROUP BY failure_code, outcome ORDER BY count(*) DESC, failure_code"
    ) { row in
      lines.append(
        Summary.CodeLine(
          code: row[0].text ?? "", outcome: row[1].text ?? "", attempts: Int(row[2].integer ?? 0), boards: Int(row[3].integer ?? 0)))
    }
    return lines
  }

  private func spread(_ column: ResultColumn, _ job: JobKind) throws(RecordError) -> Summary.Spread? {
    let present = "AND \(Self.judged) AND \(column.sql) IS NOT NULL"
    guard let count = try first("SELECT count(*)", job, present)[0].integer, count > 0 else { return nil }
    func value(rank: Int64) throws(RecordError) -> Double {
      try first("SELECT \(column.sql)", job, "\(present) ORDER BY \(column.sql) LIMIT 1 OFFSET \(rank - 1)")[0].real ?? 0
    }
    let median = (try value(rank: (count + 1) / 2) + value(rank: count / 2 + 1)) / 2
    return Summary.Spread(count: Int(count), median: median, p95: try value(rank: (count * 95 + 99) / 100))
  }

  private func scope(_ job: JobKind) -> (condition: String, values: [ResultCell]) {
    var own = filter
    own.job = job
    let (condition, values) = own.sql
    return ("record IS NOT NULL AND " + condition, values)
  }

  private func first(_ select: String, _ job: JobKind, _ rest: String = "") throws(RecordError) -> [ResultCell] {
    let (condition, values) = scope(job)
    return try database.first("\(select) FROM attempts WHERE \(condition) \(rest)", values) ?? [.absent]
  }

  private func rows(_ select: String, _ job: JobKind, _ rest: String, _ body: ([ResultCell]) -> Void) throws(RecordError) {
    let (condition, values) = scope(job)
    try database.rows("\(select) FROM attempts WHERE \(condition) \(rest)", values) { row in
      body(row)
      return .goOn
    }
  }
}
