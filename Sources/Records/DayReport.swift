import SQLite
import Flashing
import FoundationEssentials
import Glibc

/// The daily CSV files of a job: which days are not on disk yet, and when it is time to write them.
///
/// A day's file is always written whole. Writing it after each attempt would cost the square of the day's attempts, so writings keep a distance:
/// at least `interval`, and at least `rest` times what the last one took, so that a long day never keeps the thread from committing. What came
/// in between is written when that time is over, and at the latest when the batch or the store ends.
struct DayReport {
  /// The shortest time between two writings.
  static let interval = Duration.seconds(1)
  /// Time between two writings, as a multiple of what the last one took.
  static let rest = 10

  let folder: String
  private var dirty: Set<String> = []
  /// When the last writing ended, and how long it took.
  private var written: (end: Duration, cost: Duration)?

  init(folder: String) {
    self.folder = folder
  }

  var isDirty: Bool { !dirty.isEmpty }

  mutating func mark(_ day: String) { dirty.insert(day) }

  /// How long the next writing has to wait; zero when it is due.
  func pause(now: Duration) -> Duration {
    guard let written else { return .zero }
    return max(.zero, max(Self.interval, written.cost * Self.rest) - (now - written.end))
  }

  /// Writes every day that is not on disk. A day whose writing fails stays marked.
  mutating func write(from database: Database, now: () -> Duration) throws(RecordError) {
    guard isDirty else { return }
    let start = now()
    defer { written = (now(), now() - start) }
    for day in dirty.sorted() {
      try DayReport.write(day, folder: folder, from: database)
      dirty.remove(day)
    }
  }

  /// Makes the folder if it is missing and proves that it can be written to, before a board is touched.
  func prove() throws(RecordError) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .notWritable("\(folder): the report folder cannot be made: correct `reports` in station.conf or the permissions")
    }
    guard access(folder, W_OK | X_OK) == 0 else { throw .system(folder, errno, doing: "the report folder cannot be written to") }
  }

  /// Writes one day's file from the database.
  static func write(_ day: String, folder: String, from database: Database) throws(RecordError) {
    try ReplacedFile.write(folder + "/" + day + ".csv") { sink throws(RecordError) in
      try ResultWriter(form: .csv(.standard)).write(Filter(reportDay: day), of: database, to: sink)
    }
  }
}
