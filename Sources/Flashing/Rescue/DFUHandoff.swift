import Bluetooth
import NordicDFU

/// Brings a board from its application into its bootloader: performs what a `BootloaderEntry` asks for and tells it what happens.
struct DFUHandoff: DFUPerformer {
  /// Why it did not leave, nil when it did; and whether its bootloader advertises under the name that was asked for.
  typealias End = (failure: DFUFailure?, isNamed: Bool)

  let session: BoardSession
  let links: LinkHolder
  let link: any GATTLink
  let events: DFUEvents
  private let path: EntryPath
  private var machine: BootloaderEntry

  init(session: BoardSession, links: LinkHolder, link: any GATTLink, path: EntryPath, name: String?) {
    self.session = session
    self.links = links
    self.link = link
    self.path = path
    events = DFUEvents(time: session.boardTime)
    machine = BootloaderEntry(path, name: name)
  }

  mutating func run() async throws -> End {
    let (events, link) = (events, link)
    return try await run { helpers in helpers.addTask { await events.watch(link) } }
  }

  mutating func start() -> [EntryAction] { machine.start() }
  mutating func silent() -> [EntryAction] { machine.silent() }

  mutating func handle(_ event: DFUEvent) -> [EntryAction] {
    switch event {
    case .written, .handedOver: machine.written()
    case .refused: machine.failed()
    case .received(let bytes): machine.received(bytes)
    case .paused: machine.paused()
    case .linkLost: machine.linkLost()
    case .tick, .broken: []
    }
  }

  mutating func perform(_ action: EntryAction, _ helpers: inout Helpers) async throws -> DFUStep<EntryAction, End> {
    switch action {
    case .subscribe: return .then(try await subscribe(&helpers) ? machine.subscribed() : machine.failed())
    case .write(let bytes, let withResponse):
      guard let (characteristic, service) = Self.place(of: path) else { return .done }
      // From here on the board may leave at any moment.
      session.journal.touch(leaving: .unknown)
      let (events, link, limit) = (events, link, session.limits.command)
      helpers.addTask { await events.write(bytes, to: characteristic, of: service, withResponse: withResponse, over: link, limit: limit) }
      return .done
    case .expect(_, let limit): return .wait(limit)
    case .disconnect:
      await links.close()
      return .rest
    case .pause(let length):
      let events = events
      helpers.addTask { await events.pause(length) }
      return .rest
    case .finished: return .end((nil, machine.isNamed))
    case .failed(let failure): return .end((failure, machine.isNamed))
    }
  }

  private func subscribe(_ helpers: inout Helpers) async throws -> Bool {
    guard let (characteristic, service) = Self.place(of: path) else { return false }
    do throws(CentralError) {
      let channel = try await link.openChannel(notifying: characteristic, writing: nil, of: service, limit: session.limits.command)
      links.hold(channel)
      let events = events
      helpers.addTask { for await bytes in channel.packets() { events.tell(bytes) } }
      return true
    } catch .refused, .applicationError, .attributeMissing, .noAnswer {
      return false
    } catch {
      // Among them a board that demands pairing: the profile's matter, and no trouble of its bootloader.
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
