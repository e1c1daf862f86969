/// Where a job keeps its records.
public struct RecordPlace: Sendable {
  /// The SQLite file.
  public var database: String
  /// The folder of the daily reports; made when it is missing.
  public var reports: String
  /// The station's local days.
  public var calendar: LocalCalendar

  public init(database: String, reports: String, calendar: LocalCalendar) {
    self.database = database
    self.reports = reports
    self.calendar = calendar
  }
}
