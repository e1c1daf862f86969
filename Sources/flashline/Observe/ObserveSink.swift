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

  /// A board whose chunks are lost one after the other is told of in plain lines this often; every one is counted.
  private static let lossPause: Int64 = 10_000

  private struct State {
    var tally = ObserveTally()
    var toldLoss: [BluetoothAddress: Int64] = [:]
    var toldFull: [BluetoothAddress: Int64] = [:]
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
    let (tally, told, isRepeated) = state.withLock { state in
      state.tally.apply(event, at: now)
      return (state.tally, Self.limited(event, now, &state), Self.isRepeated(event, now, &state))
    }
    let line = isRepeated ? nil : ObserveText.line(event, tally)
    if let screen {
      screen.change { $0.apply(tally, line, at: now) }
    } else if let line, line.weight >= least {
      console.people.write("\(Figures.clock(now)) \(line.text)")
    }
    guard console.isJSON, let told, let json = told.json(tally, at: now) else { return }
    console.out.write(json.line, isDroppable: told.isFrequent)
  }

  /// Whether people have just been told the same.
  private static func isRepeated(_ event: ObserveEvent, _ now: Int64, _ state: inout State) -> Bool {
    guard case .full(let mac, _, true) = event else { return false }
    if let told = state.toldLoss[mac], now - told < lossPause { return true }
    state.toldLoss[mac] = now
    return false
  }

  /// The event as it is told to programs now; nil when one of its kind was told just before.
  private static func limited(_ event: ObserveEvent, _ now: Int64, _ state: inout State) -> ObserveEvent? {
    switch event {
    case .chunk(let mac, _, _, _):
      if let told = state.toldChunk[mac], now - told < pause { return nil }
      state.toldChunk[mac] = now
    case .full(let mac, _, true):
      if let told = state.toldFull[mac], now - told < pause { return nil }
      state.toldFull[mac] = now
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
