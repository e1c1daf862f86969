import Bluetooth
import Flashing
import Locks
import Station
import Synchronization

/// Remembers what the last lines of a job will tell: boards that are not good, faults, and the batch's end.
struct BatchTally {
  /// Most boards and faults that are told one by one; the report has them all.
  static let listLimit = 20

  private(set) var end: StationEvent.BatchEnd?
  private(set) var start: StationEvent.BatchStart?
  /// Final results that are not good, in the order in which they came.
  private(set) var bad: [AttemptRecord] = []
  private(set) var badCount = 0
  /// Local days of the results: each has its daily report.
  private(set) var days: Set<String> = []

  mutating func apply(_ event: StationEvent) {
    switch event {
    case .batchStarted(let start): self.start = start
    case .batchFinished(let end): self.end = end
    case .boardFinished(let record): if let day = record.reportDay { days.insert(day) }
    case .boardDone(let record) where !record.good:
      badCount += 1
      if bad.count < Self.listLimit { bad.append(record) }
    default: break
    }
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
