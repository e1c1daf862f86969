import SMP

/// What `smp` asks of a board.
enum SMPAction: Hashable, Sendable {
  case echo(String)
  case consoleEcho(Bool)
  case tasks
  case memory
  case clock
  case setClock(String)
  case reset(force: Bool, ResetRequest.BootMode?)
  case parameters
  case application
  case bootloader

  case images
  case testImage([UInt8])
  /// Nil is the running one.
  case confirmImage([UInt8]?)
  /// Nil is the one that does not run.
  case eraseImage(Int?)
  case slots

  case statisticsList
  case statistics(String)

  case setting(String, largest: Int?)
  case setSetting(String, [UInt8])
  case deleteSetting(String)
  case commitSettings
  case loadSettings
  case saveSettings

  case upload(file: String, path: String)
  case download(path: String, file: String)
  case fileStatus(String)
  case fileHash(String, FileHashKind?, offset: Int?, length: Int?)
  case fileHashKinds
  case closeFile

  case shell([String])

  /// Nil is all logs.
  case log(String?, index: Int)
  case clearLogs
  case appendLog(String, String)
  case logModules
  case logLevels
  case logs

  case crash(CrashRequest.Kind)
  case runTest(String?, token: String?)
  case tests

  case groupCount
  case groups
  case groupAt(Int)
  case groupDetails([SMPGroup])

  case eraseStorage
  case diagnosticIdentity
  case projectKey
}

/// `smp`, understood.
struct SMPOrder: Hashable, Sendable {
  var group: String
  var command: String
  var action: SMPAction
  /// Label, USB path, address or hciN of the adapter; nil: whichever hears the board first.
  var adapter: String?
  /// How long the board may take to be heard, and to answer; nil: what is usual.
  var seconds: Int?
  /// The profile that says how the board is paired.
  var profile: String?
}
