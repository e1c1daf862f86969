import SQLite
public import Flashing

/// Figures over the results of a filter, one section a job: results of different jobs are never mixed (contract §4, Yield).
public struct Summary: Hashable, Sendable {
  /// How many attempts ended in which outcome, every outcome named.
  public typealias Outcomes = [Outcome: Int]

  /// A share of boards.
  public struct Yield: Hashable, Sendable {
    public var passed: Int
    /// Boards judged in the filter, each counted once for each image that it was to have.
    public var judged: Int
    /// 0…1; nil when no board was judged.
    public var ratio: Double? { judged == 0 ? nil : Double(passed) / Double(judged) }
  }

  /// Where the values of a measurement lie; absent ones do not count.
  public struct Spread: Hashable, Sendable {
    public var count: Int
    /// The middle value; of an even number of values the mean of the two in the middle.
    public var median: Double
    /// The smallest value that at least 95 % of the values do not exceed (nearest rank).
    public var p95: Double
  }

  /// What one adapter did.
  public struct AdapterLine: Hashable, Sendable {
    /// USB path; nil where no adapter was given yet.
    public var path: String?
    public var label: String?
    public var outcomes: Outcomes
  }

  public struct CodeLine: Hashable, Sendable {
    /// A `failure_code`.
    public var code: String
    public var outcome: String
    public var attempts: Int
    public var boards: Int
  }

  public struct Section: Hashable, Sendable {
    public var job: JobKind
    /// Attempts.
    public var attempts: Int
    /// Distinct boards.
    public var boards: Int
    /// Boards whose last attempt in the filter is good.
    public var goodBoards: Int
    public var outcomes: Outcomes
    /// By each board's first judged attempt in the whole database for this job and image.
    public var firstPass: Yield
    /// By its last one.
    public var final: Yield
    public var adapters: [AdapterLine]
    /// Most frequent first.
    public var failures: [CodeLine]
    /// `duration_s` of judged attempts.
    public var duration: Spread?
    /// `upload_kB_per_s` of judged attempts.
    public var speed: Spread?
    /// `upload_bytes` of all attempts together.
    public var uploadBytes: Int64
  }

  /// Sections of jobs that occur in the filter.
  public var sections: [Section]
  /// Head of the audit chain of the whole database.
  public var auditHead: String
}
