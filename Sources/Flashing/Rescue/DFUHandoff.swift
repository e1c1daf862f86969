import Bluetooth
import NordicDFU

/// Brings a board from its application into its bootloader: performs what a `BootloaderEntry` asks for and tells it what happens.
struct DFUHandoff: Sendable {
  let session: BoardSession
  let links: LinkHolder
  let link: any GATTLink

  /// - Returns: why it did not leave, nil when it did; and whether its bootloader advertises under `name`.
  func run(_ path: EntryPath, name: String?) async throws -> (failure: DFUFailure?, isNamed: Bool) {
    var machine = BootloaderEntry(path, name: name)
    let events = DFUEvents(time: session.boardTime)
    return try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { await events.watch(link) }
      group.addTask { await events.keepTime() }
      var deadline: Duration?
      var actions = machine.start()
      var stream = events.stream.makeAsyncIterator()
      while true {
        var next = 0
        while next < actions.count {
          switch actions[next] {
          case .subscribe: actions += try await subscribe(path, events, &group) ? machine.subscribed() : machine.failed()
          case .write(let bytes, let withResponse):
            guard let (characteristic, service) = Self.place(of: path) else { break }
            group.addTask {
              await events.write(
                bytes, to: characteristic, of: service, withResponse: withResponse, over: link, limit: session.limits.command)
            }
          case .expect(_, let limit): deadline = session.boardTime.now() + limit
          case .disconnect:
            deadline = nil
            await links.close()
          case .pause(let length):
            deadline = nil
            group.addTask { await events.pause(length) }
          case .finished: return (nil, machine.isNamed)
          case .failed(let failure): return (failure, machine.isNamed)
          }
          next += 1
        }
        guard let event = await stream.next() else { throw CancellationError() }
        switch event {
        case .written, .handedOver: actions = machine.written()
        case .refused: actions = machine.failed()
        case .received(let bytes): actions = machine.received(bytes)
        case .paused: actions = machine.paused()
        case .linkLost: actions = machine.linkLost()
        case .broken(let error): throw error
        case .tick:
          actions = []
          if let due = deadline, session.boardTime.now() >= due {
            deadline = nil
            actions = machine.silent()
          }
        }
      }
    }
  }

  private func subscribe(_ path: EntryPath, _ events: DFUEvents, _ group: inout ThrowingDiscardingTaskGroup<any Error>) async throws -> Bool {
    guard let (characteristic, service) = Self.place(of: path) else { return false }
    do throws(CentralError) {
      let channel = try await link.openChannel(notifying: characteristic, writing: nil, of: service, limit: session.limits.command)
      links.hold(channel)
      group.addTask { for await bytes in channel.packets() { events.tell(bytes) } }
      return true
    } catch .refused, .attributeMissing, .notPermitted, .noAnswer {
      return false
    } catch {
      throw SessionError.of(error, in: links.phase)
    }
  }

  /// Where a request to leave goes.
  private static func place(of path: EntryPath) -> (BluetoothUUID, BluetoothUUID)? {
    switch path {
    case .legacyApplication: (.legacyDFUControlPoint, .legacyDFU)
    case .secureApplication(let bonded): (bonded ? .buttonlessDFUBonded : .buttonlessDFU, .secureDFU)
    case .experimentalApplication: (.experimentalButtonlessDFU, .experimentalButtonlessDFU)
    case .metaWear: (.metaWearCommand, .metaWear)
    case .unknown: nil
    }
  }
}
