public import Flashing

/// Which results are wanted; what is nil does not restrict (contract §1, filters).
public struct Filter: Hashable, Sendable {
  /// `finished_at` in milliseconds since 1970 (UTC), inclusive.
  public var since: Int64?
  /// `finished_at` in milliseconds since 1970 (UTC), exclusive.
  public var until: Int64?
  /// Only records with a greater number: how an MES asks for what is new.
  public var after: Int64?
  public var lot: String?
  public var profile: String?
  public var job: JobKind?
  public var batch: Int64?
  /// The local day that was fixed at commit: what a daily report holds.
  public var reportDay: String?

  public init(
    since: Int64? = nil, until: Int64? = nil, after: Int64? = nil, lot: String? = nil, profile: String? = nil, job: JobKind? = nil,
    batch: Int64? = nil, reportDay: String? = nil
  ) {
    self.since = since
    self.until = until
    self.after = after
    self.lot = lot
    self.profile = profile
    self.job = job
    self.batch = batch
    self.reportDay = reportDay
  }

  /// A condition on `attempts` or `results` and the values of its parameters.
  var sql: (condition: String, values: [ResultCell]) {
    var parts: [String] = []
    var values: [ResultCell] = []
    func restrict(_ part: String, _ value: ResultCell?) {
      guard let value else { return }
      parts.append(part)
      values.append(value)
    }
    // The times are fixed-width text, which sorts as the times do.
    restrict("finished_at >= ?", since.map { .text(Timestamp.text($0)) })
    restrict("finished_at < ?", until.map { .text(Timestamp.text($0)) })
    restrict("record > ?", after.map { .integer($0) })
    restrict("lot = ?", lot.map { .text($0) })
    restrict("profile = ?", profile.map { .text($0) })
    restrict("job = ?", job.map { .text($0.rawValue) })
    restrict("batch_id = ?", batch.map { .integer($0) })
    restrict("report_day = ?", reportDay.map { .text($0) })
    return (parts.isEmpty ? "1" : parts.joined(separator: " AND "), values)
  }
}
