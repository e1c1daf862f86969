import Bluetooth
import Flashing
import Locks
import Station
import Synchronization

/// Remembers what the last lines of a job will tell: boards that are not good, faults, and the batch's end.
struct BatchTally {
  /// Most boards and faults that are told one by one; the report has them all.
  static let listLimit = 20
  /// Of a rescue each is told: somebody must fetch them in the morning, and knows them only by what is said here.
  static let rescueListLimit = 1000
  /// Boards whose names are remembered; of more a night does not tell the name.
  static let heardLimit = 4096

  private(set) var end: StationEvent.BatchEnd?
  private(set) var start: StationEvent.BatchStart?
  /// Final results that are not good, in the order in which they came.
  private(set) var bad: [AttemptRecord] = []
  private(set) var badCount = 0
  /// Local days of the results: each has its daily report.
  private(set) var days: Set<String> = []
  /// Boards of a rescue that were heard, with the names that they advertised.
  private(set) var heard: [BluetoothAddress: String] = [:]
  /// Boards of a rescue that were heard and never taken in hand.
  private(set) var untaken: Set<BluetoothAddress> = []

  var isRescue: Bool { start?.job == .rescue }
  var badLimit: Int { isRescue ? Self.rescueListLimit : Self.listLimit }

  mutating func apply(_ event: StationEvent) {
    switch event {
    case .batchStarted(let start): self.start = start
    case .batchFinished(let end): self.end = end
    case .boardFinished(let record): if let day = record.reportDay { days.insert(day) }
    case .boardDone(let record) where !record.good:
      badCount += 1
      if bad.count < badLimit { bad.append(record) }
    case .boardSeen(let mac, let name, _, _, _) where isRescue:
      guard heard.count < Self.heardLimit else { break }
      heard[mac] = name ?? ""
      untaken.insert(mac)
    case .boardAssigned(let record): untaken.remove(record.mac)
    default: break
    }
  }
}

extension BatchTally {
  /// The name under which a board of a rescue advertised.
  func name(of record: AttemptRecord) -> String? {
    [record.admittedAs, record.mac].lazy.compactMap { heard[$0] }.first { !$0.isEmpty }
  }
}

/// Listens for the summary.
final class TallySink: EventSink {
  private let state = Locked(BatchTally())

  var tally: BatchTally { state.withLock { $0 } }

  func emit(_ event: StationEvent, at time: Int64) {
    state.withLock { $0.apply(event) }
  }
}
