import Bluetooth
import Flashing
import Station
import VirtualLine

/// One command line, understood: what is to be done, and how the outside wants to hear of it.
struct Invocation: Hashable, Sendable {
  enum Command: Hashable, Sendable {
    /// The list of commands, or one command's page.
    case help(CommandName?)
    case version
    case adapters
    case scan(seconds: Int, mode: BoardMode)
    case inspect(package: String, profile: String?)
    case run(JobRequest)
    case recover(JobRequest)
    case flash(BluetoothAddress, unit: String?, JobRequest)
    case smp(BluetoothAddress, SMPOrder)
    case observe(ObserveRequest)
    case report(ReportRequest)
    case summary(FilterRequest)
    case catalog(CatalogRequest)
    case ota(OTARequest)
    case audit(expect: String?)
    case line(LineRequest)
    case demo(LineRequest, keep: String?)
  }

  var command: Command
  /// `--config`.
  var config: String?
  var isJSON = false
  var isQuiet = false
}

/// The profiles and job options of `run` and `flash`, as written.
struct JobRequest: Hashable, Sendable {
  var profiles: [String]
  var package: String?
  var count: Int?
  var until: UntilTime?
  var idle: Duration?
  /// The file of `--boards`.
  var boards: String?
  var lot: String?
  var workOrder: String?
  var `operator`: String?
  var startsNew = false
  /// `recover --wait`.
  var waits = false
}

/// The filters of `report` and `summary`; the times are read later, for a bare date needs the station's time zone.
struct FilterRequest: Hashable, Sendable {
  var since: String?
  var until: String?
  var after: Int64?
  var lot: String?
  var profile: String?
  var job: JobKind?
  var batch: Int64?
}

struct ReportRequest: Hashable, Sendable {
  enum Format: String, CaseIterable, Sendable {
    case csv, json
  }

  var filter: FilterRequest
  /// Nil: CSV, or JSON with `--json`.
  var format: Format?
  var isForExcel = false
  var output: String?
}

/// How a virtual line is made up.
struct LineRequest: Hashable, Sendable {
  var adapters = 4
  var boards = 24
  var kind = SMPKind.swap
  var stranded = 0
  var faults: String?
  var state: String?
  var timeScale = 1.0
  var seed: UInt64 = 1
  var places: Int?
}
