import Bluetooth
import Cloud
import Flashing
import Locks
import Station
import Synchronization

/// Hands what `observe` tells to the screen, to plain lines and to programs; keeps the tally. Never blocks, never fails.
final class ObserveSink: Sendable {
  /// Chunks and uploads of one board are told at most three times a second, so that the last one makes the fourth at most (contract §3).
  private static let pause: Int64 = 334

  private struct State {
    var tally = ObserveTally()
    var toldChunk: [BluetoothAddress: Int64] = [:]
    var toldUpload: [BluetoothAddress: (time: Int64, chunks: Int)] = [:]
  }

  private let console: Console
  private let screen: LiveScreen<ObserveTable>?
  private let least: EventText.Weight
  private let state = Locked(State())

  init(_ console: Console, _ log: LogRules) {
    self.console = console
    least = console.isQuiet ? max(EventText.Weight.problem, log.level.weight) : log.level.weight
    screen = console.openScreen(ObserveTable())
  }

  var tally: ObserveTally { state.withLock { $0.tally } }

  func emit(_ event: ObserveEvent) {
    let now = WallClock.now
    let (tally, told) = state.withLock { state in
      state.tally.apply(event, at: now)
      return (state.tally, Self.limited(event, now, &state))
    }
    let line = ObserveText.line(event, tally)
    if let screen {
      screen.change { $0.apply(tally, line, at: now) }
    } else if let line, line.weight >= least {
      console.people.write("\(Figures.clock(now)) \(line.text)")
    }
    guard console.isJSON, let told, let json = told.json(tally, at: now) else { return }
    console.out.write(json.line, isDroppable: told.isFrequent)
  }

  /// The event as it is told to programs now; nil when one of its kind was told just before.
  private static func limited(_ event: ObserveEvent, _ now: Int64, _ state: inout State) -> ObserveEvent? {
    switch event {
    case .chunk(let mac, _, _, _):
      if let told = state.toldChunk[mac], now - told < pause { return nil }
      state.toldChunk[mac] = now
    case .upload(.uploaded(let lane, let chunks)):
      guard let mac = state.tally.board(of: lane)?.mac else { return event }
      let waiting = (state.toldUpload[mac]?.chunks ?? 0) + chunks
      if let told = state.toldUpload[mac], now - told.time < pause {
        state.toldUpload[mac] = (told.time, waiting)
        return nil
      }
      state.toldUpload[mac] = (now, 0)
      return .upload(.uploaded(lane, chunks: waiting))
    default: break
    }
    return event
  }
}

extension ObserveEvent {
  /// Thrown away first when a reader is slow: a later one says the same and more.
  fileprivate var isFrequent: Bool {
    switch self {
    case .chunk, .upload(.uploaded): true
    default: false
    }
  }
}
