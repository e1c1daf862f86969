import Bluetooth
import Flashing
import Locks
import Station
import Synchronization

/// One plain line for every notable event: for pipes, logs and `--quiet`. No colour, no cursor control.
final class PlainLines: EventSink {
  private let writer: LineWriter
  private let least: EventText.Weight
  private let steps = Locked(ProgressSteps())

  /// - Parameter least: what weighs less is left out.
  init(_ writer: LineWriter, least: EventText.Weight) {
    self.writer = writer
    self.least = least
  }

  func emit(_ event: StationEvent, at time: Int64) {
    if case .boardProgress(let record, let bytes, let total, let speed) = event {
      guard least <= .news, let step = steps.withLock({ $0.step(record.mac, bytes, of: total) }) else { return }
      writer.write("\(Figures.clock(time)) \(record.mac) \(step) %, \(Figures.speed(speed))", isDroppable: true)
      return
    }
    switch event {
    // The next image of a rescue is told from its beginning again.
    case .boardFinished(let record), .boardPhase(let record, .upload): steps.withLock { $0.forget(record.mac) }
    default: break
    }
    guard let line = EventText.line(event), max(line.weight, floor(event)) >= least else { return }
    writer.write("\(Figures.clock(time)) \(line.text)")
  }

  /// Assignments, and which image of a rescue comes now, are news in a log, where no row shows them.
  private func floor(_ event: StationEvent) -> EventText.Weight {
    switch event {
    case .boardAssigned: .news
    case .boardPhase(let record, .upload) where record.stage != nil: .news
    default: .detail
    }
  }
}

/// Which quarters of each upload were told already.
struct ProgressSteps {
  private var told: [BluetoothAddress: Int] = [:]

  /// 25, 50, 75 or 100 when this quarter is reached for the first time; an upload that begins again is told again.
  mutating func step(_ board: BluetoothAddress, _ bytes: Int, of total: Int) -> Int? {
    let quarter = Figures.percent(bytes, of: total) / 25
    let last = told[board] ?? 0
    told[board] = quarter
    return quarter > last ? quarter * 25 : nil
  }

  mutating func forget(_ board: BluetoothAddress) {
    told[board] = nil
  }
}
