public import Bluetooth
import Locks

/// Makes a link to one board for somebody who has no job: hears the board, connects, pairs, and ends the link afterwards in every case.
///
/// The board is always heard first. A board that is connected to anything does not advertise (the kinds that Flashline knows), so that a link which somebody
/// else has is never taken over.
public struct LinkOpener: Sendable {
  /// Every wait on the way to a link.
  public struct Limits: Hashable, Sendable {
    /// For the board to be heard.
    public var hearing: Duration
    /// For one connection to come about, its services known.
    public var connect: Duration
    /// Connection attempts: BlueZ's aborts are usual (facts/nordic-dfu.md §6.1).
    public var tries = 3
    /// Between two of them, so that the board's old link has run out.
    public var pause = Duration.seconds(1)
    /// For pairing: the protocol's own limit (Bluetooth Core 5.4, Vol 3, Part H, 3.4).
    public var pairing = Duration.seconds(30)

    public init(hearing: Duration = .seconds(10), connect: Duration = .seconds(10)) {
      self.hearing = hearing
      self.connect = connect
    }
  }

  private let central: any Central
  private let adapters: [AdapterHandle]
  private let pairing: PairingMethod?
  private let limits: Limits
  private let time: Timekeeper

  /// - Parameters:
  ///   - adapters: the board is connected on the one that hears it first.
  ///   - pairing: how the board is paired; its bond does not outlive the link. Nil: not at all.
  public init(central: any Central, adapters: [AdapterHandle], pairing: PairingMethod? = nil, limits: Limits = Limits(), time: Timekeeper) {
    self.central = central
    self.adapters = adapters
    self.pairing = pairing
    self.limits = limits
    self.time = time
  }

  /// Runs `body` with a link to the board. Throws `SMPClientError`, `CancellationError`, and what `body` throws.
  public func withLink<Result: Sendable>(to board: BluetoothAddress, _ body: (any GATTLink) async throws -> Result) async throws -> Result {
    if pairing != nil { for adapter in adapters { await central.forget(board, on: adapter) } }
    let adapter = try await hear(board)
    let holder = LinkHolder()
    let outcome: Swift.Result<Result, any Error>
    do {
      let link = try await connect(board, on: adapter, holder)
      outcome = .success(try await body(link))
    } catch let error as CentralError {
      outcome = .failure(SMPClientError.link(error))
    } catch {
      outcome = .failure(error)
    }
    await holder.close()
    if pairing != nil { await shielded { await central.forget(board, on: adapter) } }
    // Under cancellation the stack gives up with errors of its own.
    try Task.checkCancellation()
    return try outcome.get()
  }

  /// The adapter that hears the board first.
  private func hear(_ board: BluetoothAddress) async throws -> AdapterHandle {
    try await withThrowingTaskGroup(of: Swift.Result<AdapterHandle, CentralError>?.self) { group in
      for adapter in adapters { group.addTask { try await listen(for: board, on: adapter) } }
      group.addTask {
        try await time.sleep(limits.hearing)
        return nil
      }
      defer { group.cancelAll() }
      var failures: [CentralError] = []
      while let outcome = try await group.next() {
        switch outcome {
        case .success(let adapter)?: return adapter
        case .failure(let error)?:
          failures.append(error)
          // One adapter that cannot listen does not silence the others.
          if failures.count == adapters.count { throw SMPClientError.link(error) }
        case nil: throw SMPClientError.notHeard(limits.hearing)
        }
      }
      throw SMPClientError.notHeard(limits.hearing)
    }
  }

  private func listen(for board: BluetoothAddress, on adapter: AdapterHandle) async throws -> Swift.Result<AdapterHandle, CentralError> {
    do {
      for try await heard in central.discover(on: adapter) where heard.address == board { return .success(adapter) }
    } catch let error as CentralError {
      return .failure(error)
    }
    try Task.checkCancellation()
    return .failure(.refused("listening ended by itself"))
  }

  private func connect(_ board: BluetoothAddress, on adapter: AdapterHandle, _ holder: LinkHolder) async throws -> any GATTLink {
    var tries = 0
    while true {
      tries += 1
      do throws(CentralError) {
        let link = try await central.connect(board, on: adapter, limit: limits.connect)
        holder.hold(link)
        if let pairing { try await link.pair(pairing, limit: limits.pairing) }
        return link
      } catch {
        try Task.checkCancellation()
        guard tries < limits.tries else { throw error }
        switch error {
        case .connectFailed, .linkLost: try await time.sleep(limits.pause)
        case .boardUnknown, .connectTimedOut, .pairingFailed:
          // What the stack remembers of the board may be stale.
          await holder.close()
          await central.forget(board, on: adapter)
          _ = try await hear(board)
        default: throw error
        }
      }
    }
  }
}
