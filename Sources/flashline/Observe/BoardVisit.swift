import Bluetooth
import Cloud
import Flashing
import FoundationEssentials
import Locks
import Reactor
import Station

/// One link to one board, from the connection to its end: its chunks go into the queue, each committed before the next is taken.
struct BoardVisit: Sendable {
  /// For pairing: the protocol's own limit (Bluetooth Core 5.4, Vol 3, Part H, 3.4).
  private static let pairingLimit = Duration.seconds(30)

  let board: BluetoothAddress
  let adapter: LineAdapter
  let handle: AdapterHandle
  let pairing: PairingMethod?
  /// False when a bond of an earlier program may be there: it is dropped first, because the board may have lost its half.
  let isFresh: Bool
  /// All adapters that may hold such a bond.
  let others: [AdapterHandle]
  let connectLimit: Duration
  let ports: VisitPorts
  /// The queue cannot be written any more: why.
  let fail: @Sendable (String) async -> Void

  /// - Parameter connected: opened when the adapter may listen again.
  func run(_ connected: Latch) async -> ObserveBook.Ending {
    guard isFresh else {
      for other in others { await ports.central.forget(board, on: other) }
      return .forgotten
    }
    let link: any GATTLink
    do throws(CentralError) {
      link = try await ports.central.connect(board, on: handle, limit: connectLimit)
    } catch {
      // Under cancellation the stack gives up with errors of its own.
      if error == .connectTimedOut { await ports.central.forget(board, on: handle) }
      return Task.isCancelled ? .broken : .failed(DiagnosticFailure(error))
    }
    let ending = await observe(link, connected)
    await shielded {
      await link.disconnect()
      // Bonds do not outlive their link; and what the stack remembers of a board without the service may be an earlier firmware's.
      if pairing != nil || ending.isMissingService { await ports.central.forget(board, on: handle) }
    }
    return ending
  }

  private func observe(_ link: any GATTLink, _ connected: Latch) async -> ObserveBook.Ending {
    do {
      if let pairing {
        do throws(CentralError) { try await link.pair(pairing, limit: Self.pairingLimit) } catch { throw DiagnosticFailure(error) }
      }
      connected.open()
      let stream = DiagnosticStream(over: link)
      let identity = try await stream.identity()
      let destination = try ChunkDestination(uri: identity.uri, authorization: identity.authorization, hosts: ports.hosts)
      // Before the board sends anything: what it has sent it does not send again.
      let keeper = try await ChunkKeeper(board: board, adapter: adapter.label, deviceID: identity.deviceID, destination: destination, ports)
      try Task.checkCancellation()
      let event = ObserveEvent.connected(
        board, adapter: adapter.label, deviceID: identity.deviceID, host: destination.url.host(percentEncoded: false) ?? "?")
      let began = ports.time.now()
      let end = try await stream.run(begun: { ports.tell(event) }) { await keeper.keep($0) }
      let account = await keeper.close()
      if let failure = account.failure { await fail(failure) }
      if account.isFull { return .full }
      return account.failure != nil ? .broken : .observed(end, lasted: ports.time.now() - began, chunks: account.kept)
    } catch let failure as DiagnosticFailure {
      return Task.isCancelled ? .broken : .failed(failure)
    } catch let refusal as DestinationRefusal {
      return .refused(refusal.description)
    } catch let error as ChunkQueueError {
      if case .refused(let words) = error { return .refused(words) }
      await fail(error.description)
      return .broken
    } catch {
      return .broken
    }
  }
}

extension ObserveBook.Ending {
  fileprivate var isMissingService: Bool { if case .failed(.notOffered) = self { true } else { false } }
}
