import Flashing
import FoundationEssentials
import Records
import Station

/// The database of the station for commands beside the job: opened for reading, the filters of the command line, the lock that a job holds.
enum RecordsAccess {
  static func open(_ configuration: StationConfiguration) async throws(ProgramError) -> RecordReader {
    do throws(RecordError) {
      return try await RecordReader.open(configuration.database)
    } catch {
      throw ProgramError(error)
    }
  }

  /// The lock that a job holds, for a command that must not work beside one; nil when the database has no folder yet, and so no job either.
  static func jobLock(_ configuration: StationConfiguration) throws(ProgramError) -> StationLock? {
    let folder = URL(filePath: configuration.database).deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: folder) else { return nil }
    do throws(RecordError) {
      return try StationLock(database: configuration.database)
    } catch {
      throw ProgramError(error)
    }
  }

  /// Reads the times of a filter in the station's time zone.
  static func filter(_ request: FilterRequest, _ configuration: StationConfiguration) throws(ProgramError) -> Filter {
    guard let calendar = LocalCalendar(timeZone: configuration.timezone) else {
      throw .usage("this computer does not know the time zone \(configuration.timezone.shown)", "set [station] timezone in station.conf")
    }
    var filter = Filter()
    filter.since = try moment(request.since, "since", calendar)
    filter.until = try moment(request.until, "until", calendar)
    filter.after = request.after
    filter.lot = request.lot
    filter.profile = request.profile
    filter.job = request.job
    filter.batch = request.batch
    return filter
  }

  private static func moment(_ text: String?, _ option: String, _ calendar: LocalCalendar) throws(ProgramError) -> Int64? {
    guard let text else { return nil }
    guard let moment = calendar.moment(text) else {
      throw .usage("--\(option) \(text.shown) is no time", "write a date like 2026-11-30, or a time like 2026-11-30T14:00:00Z")
    }
    return moment
  }
}

extension ProgramError {
  /// Records that cannot be read or kept are the station's fault; the room's words say what to do.
  init(_ error: RecordError) {
    switch error {
    case .busy(let words): self.init(exit: ExitStatus.fault, text: "\(words) [\(FailureCode.stationBusy.rawValue)]", code: .stationBusy)
    case .notWritable(let words), .damaged(let words): self.init(exit: ExitStatus.fault, text: words, code: .diskFailed)
    }
  }
}
