import Bluetooth
import Locks
import Synchronization

/// A Bluetooth stack of which only one thing is known: a closure that connects to one board. For programs that have links, and nothing else of ours.
///
/// "Heard" is what could be connected to: where a session waits for the board to come back, the closure is called until it succeeds.
final class SuppliedLinks: Central {
  /// After a connection that did not come about, when nobody else counts the tries.
  static let pause = Duration.seconds(1)
  /// The only adapter there is.
  static let adapter = AdapterHandle(hciIndex: 0, address: BluetoothAddress(bits: 0))

  private let board: BluetoothAddress
  private let limit: Duration
  private let time: Timekeeper
  private let connect: @Sendable (Duration) async throws -> any GATTLink
  /// A link that was made by listening and not asked for yet.
  private let held = Locked<(any GATTLink)?>(nil)

  /// - Parameter limit: what the closure is allowed while the board is waited for.
  init(_ board: BluetoothAddress, limit: Duration, time: Timekeeper, connect: @escaping @Sendable (Duration) async throws -> any GATTLink) {
    self.board = board
    self.limit = limit
    self.time = time
    self.connect = connect
  }

  func connect(_ board: BluetoothAddress, on adapter: AdapterHandle, limit: Duration) async throws(CentralError) -> any GATTLink {
    let link = held.withLock { link in
      defer { link = nil }
      return link
    }
    if let link { return link }
    return try await make(limit)
  }

  func discover(on adapter: AdapterHandle) -> AsyncThrowingStream<Advertisement, any Error> {
    AsyncThrowingStream { [self] in try await hear() }
  }

  /// Waits until the board can be connected to; cancelled by whoever has waited long enough.
  private func hear() async throws -> Advertisement? {
    while true {
      do throws(CentralError) {
        let link = try await make(limit)
        held.withLock { $0 = link }
        return Advertisement(address: board, addressType: .random)
      } catch .adapterGone {
        throw CentralError.adapterGone
      } catch .stackGone(let words) {
        throw CentralError.stackGone(words)
      } catch {
        try await time.sleep(Self.pause)
      }
    }
  }

  private func make(_ limit: Duration) async throws(CentralError) -> any GATTLink {
    do {
      return try await connect(limit)
    } catch let error as CentralError {
      throw error
    } catch is CancellationError {
      throw .connectFailed("cancelled")
    } catch {
      throw .connectFailed("\(error)")
    }
  }

  func shutDown() async {
    let link = held.withLock { link in
      defer { link = nil }
      return link
    }
    await link?.disconnect()
  }

  // MARK: what there is nothing to do for

  func adapters() -> AsyncStream<[AdapterState]> {
    AsyncStream { feed in
      feed.yield([AdapterState(handle: Self.adapter, powered: true)])
      feed.finish()
    }
  }

  func prepare(_ adapter: AdapterHandle, radio: RadioParameters) async throws(CentralError) -> RadioStanding { RadioStanding() }
  func standing(of adapter: AdapterHandle, wishing radio: RadioParameters) async -> RadioStanding { RadioStanding() }
  func heal(_ adapter: AdapterHandle, by remedy: AdapterRemedy) async throws(CentralError) { throw .refused("these links are somebody else's") }
  /// A stack of somebody else's is not told what to forget: the closure connects, and sees to it that the services are those of the board now.
  func forget(_ board: BluetoothAddress, on adapter: AdapterHandle) async {}
}
