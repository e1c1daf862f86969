import Bluetooth
import Firmware
import NordicDFU

/// Drives one board over Nordic DFU until its application tells the wanted version: one stage a link, looked at and planned anew after every restart.
///
/// What the board is found in decides what is done: an application is compared, and sent to its bootloader; a bootloader is identified and gets the next
/// stage of the plan. So a chain that broke off at any point is finished by the next attempt.
struct RescueDriver: SessionDriver {
  /// Why the board is waited for, and what its silence means.
  private enum Awaited {
    /// It was asked to start its bootloader.
    case bootloader
    /// An image was activated.
    case image
    /// The link was closed to begin a stage again.
    case retry
  }

  /// What a board advertised before it was connected.
  private enum Shown {
    case bootloader
    /// Something, and no bootloader's service.
    case other
    case nothing

    init(_ heard: Advertisement) {
      let isSilent = heard.services.isEmpty && heard.name == nil && heard.manufacturerData.isEmpty
      self = heard.showsBootloader ? .bootloader : isSilent ? .nothing : .other
    }
  }

  /// Times an application is asked to start its bootloader in one attempt.
  static let entryTries = 2
  /// Times a board's services are looked at again on a new link when they contradict what it advertised.
  static let lookTries = 2

  let session: BoardSession
  let order: RescueOrder
  let links: LinkHolder

  /// Where the board may be met: under its application's address and its bootloader's.
  private var whereabouts: Whereabouts
  /// The name under which the bootloader was asked to advertise: nobody else has it.
  private var agreedName: String?
  private var awaited: Awaited?
  /// What the board said of itself first.
  private var identity: BoardIdentity?
  private var bootloader: BootloaderStages
  private var entries = 0
  /// The bootloader lets the station in by its application's bond, which the stack must not forget (facts/nordic-dfu.md §3.2).
  private var keepsBond: Bool

  init(session: BoardSession, order: RescueOrder, links: LinkHolder) {
    self.session = session
    self.order = order
    self.links = links
    // An earlier attempt may have left it in its bootloader, which may have the other address.
    awaited = session.wasWrittenBefore ? .retry : nil
    keepsBond = order.pairing != nil && (session.wasWrittenBefore || !order.entersBootloader)
    whereabouts = Whereabouts(session.board, family: order.family, isInBootloader: !order.entersBootloader, mayReturnBelow: session.mayReturnBelow)
    bootloader = BootloaderStages(session: session, order: order, links: links)
  }

  private var limits: SessionLimits { session.limits }

  /// Only what the bootloader's tries do not cover is tried here again.
  var mayRecover: Bool { !bootloader.isExhausted }

  /// Not where the board would not wait: just sent to its bootloader, or between two parts of a package, it would go back to its application.
  var mayPause: Bool { awaited != .bootloader && !bootloader.isBetweenParts }

  private func connector(_ board: BluetoothAddress) -> BoardConnector {
    BoardConnector(session: session, links: links, board: board, keepsBond: keepsBond, pairs: false)
  }

  mutating func advance() async throws -> SessionResult? {
    let (link, shows) = try await connect()
    var (present, offer) = (link, try await look(link, shows))
    for _ in 0..<Self.lookTries where isStale(offer, shows) {
      // The stack may show the services of the other mode (facts/nordic-dfu.md §6.3): forget them, look again.
      present = try await connector(link.board).reconnectAfresh()
      offer = try await look(present, shows)
    }
    if offer.entryPath != nil, let method = order.pairing { present = try await connector(present.board).pair(present, method) }
    try await session.enter(identity == nil ? .identify : .verify, links)
    let read = try await connector(present.board).identity(over: present)
    guard try await isOurs(present, read, isApplication: offer.entryPath != nil) else { return nil }
    if let path = offer.entryPath { return try await application(present, path, read) }
    guard offer.isBootloader else { throw BoardFailure(.dfuNoService, in: links.phase, "the board offers no way to flash it") }
    note(bootloaderAt: present.board)
    note(read)
    try checkIdentified(read)
    try await admit(read)
    awaited = try await bootloader.advance(present, offer, read) == .activated ? .image : .retry
    await links.close()
    await forget()
    return nil
  }

  // MARK: connecting

  /// Connects to the board, whichever of its addresses it shows, and tells what it advertised.
  private mutating func connect() async throws -> (link: any GATTLink, shows: Shown) {
    guard let awaited else {
      try await session.enter(.connect, links)
      let connector = connector(session.board)
      return order.entersBootloader ? (try await connector.connectUnbonded(), .other) : (try await connector.connect(), .bootloader)
    }
    try await session.enter(.reconnect, links)
    let (whereabouts, name, canTell) = (whereabouts, awaited == .bootloader ? agreedName : nil, identity?.serial != nil)
    let (time, began) = (session.time, session.time.now())
    let heard = try await connector(session.board).hear(within: limits.swap) {
      whereabouts.takes($0, after: time.now() - began, agreedName: name, canTell: canTell)
    }
    guard let heard else { throw silence(awaited) }
    let link = try await connector(heard.address).connect()
    return (link, Shown(heard))
  }

  private func silence(_ awaited: Awaited) -> BoardFailure {
    let words = "the board was not heard for \(limits.swap.words)"
    switch awaited {
    case .bootloader, .image:
      session.journal.update { $0.leftAs = .unknown }
      return BoardFailure(.verifyNeverReturned, in: links.phase, words + (awaited == .image ? " after the restart" : " after it was sent to its bootloader"))
    case .retry: return BoardFailure(.boardAbsent, in: links.phase, words)
    }
  }

  /// The same address will have another GATT database: nothing that the stack remembers is of use.
  private func forget() async {
    guard !keepsBond else { return }
    for address in whereabouts.all { await session.central.forget(address, on: session.adapter) }
  }

  /// Whether the services found are those of the board's other life. bluetoothd before 5.87 keeps them for an address even when it is told to forget the
  /// board: one that runs its application again would seem to be in its bootloader. What was advertised since outranks them.
  private func isStale(_ offer: DFUOffer, _ shows: Shown) -> Bool {
    guard let awaited, offer != .none else { return offer == .none }
    if offer.isBootloader {
      // A bootloader to which an application hands over its peer advertises to nobody else, and says nothing more (§2.8).
      return shows == .other || shows == .nothing && awaited != .bootloader
    }
    return offer == .metaWearApplication && shows == .bootloader
  }

  private mutating func look(_ link: any GATTLink, _ shows: Shown) async throws -> DFUOffer {
    let found = await link.characteristics()
    var version: DFUVersion?
    if found.contains(where: { $0.uuid == .legacyDFUVersion }) {
      do throws(CentralError) {
        version = DFUVersion(try await link.read(.legacyDFUVersion, of: .legacyDFU, limit: limits.command))
      } catch .attributeMissing, .refused, .applicationError {
        version = nil
      } catch {
        throw SessionError.of(error, in: links.phase)
      }
    }
    let offer = DFUOffer(
      services: Set(found.map(\.service.description)), characteristics: Set(found.map(\.uuid.description)), version: version,
      isStranded: shows == .bootloader)
    bootloader.version = version
    return offer
  }

  // MARK: identity

  /// Whether the board that answered is the one in hand: another that has the neighbouring address is left alone and not asked again.
  private mutating func isOurs(_ link: any GATTLink, _ read: BoardIdentity, isApplication: Bool) async throws -> Bool {
    let isOurs: Bool
    if let serial = identity?.serial, let now = read.serial {
      isOurs = now == serial
      guard isOurs || link.board != session.board else {
        throw BoardFailure(.verifyOtherBoard, in: .verify, "serial number \(serial) was flashed and \(now) came back")
      }
    } else {
      // A neighbour that runs the wanted version must not stand in for a board that is dead.
      isOurs = !isApplication || whereabouts.mayBeApplication(at: link.board)
    }
    guard !isOurs else {
      whereabouts.met(at: link.board)
      return true
    }
    whereabouts.remove(link.board)
    await links.close()
    return false
  }

  private func note(_ read: BoardIdentity) {
    session.journal.update {
      $0.serialNumber = $0.serialNumber ?? read.serial
      $0.modelNumber = $0.modelNumber ?? read.model
      $0.hardwareRevision = $0.hardwareRevision ?? read.hardware
    }
  }

  /// Asks once whether the board may be touched at all.
  private mutating func admit(_ read: BoardIdentity) async throws {
    guard identity == nil else { return }
    if let objection = order.identity.objection(to: read) { throw objection }
    try await session.examine(read)
    identity = read
  }

  /// Which firmware a MetaWear board gets is only known from what its bootloader says: a guess would make it a brick (facts/metaboot.md §10.7).
  private func checkIdentified(_ read: BoardIdentity) throws(BoardFailure) {
    guard order.family == .metaWear else { return }
    let missing = [("hardware revision", read.hardware), ("model number", read.model), ("version", read.firmware)].filter { $0.1 == nil }.map(\.0)
    guard missing.isEmpty else {
      throw BoardFailure(.dfuUnidentified, in: links.phase, "the bootloader does not tell its \(missing.joined(separator: ", "))")
    }
  }

  private mutating func note(bootloaderAt address: BluetoothAddress) {
    session.journal.update { if address != $0.mac { $0.dfuMAC = address } }
  }

  // MARK: application mode

  /// Compares what runs with what is wanted, and sends the board to its bootloader where they differ.
  private mutating func application(_ link: any GATTLink, _ path: EntryPath, _ read: BoardIdentity) async throws -> SessionResult? {
    note(read)
    try await admit(read)
    note(applicationAt: link.board, read)
    let wanted = try await bootloader.offer(for: read).application
    let version = read.firmware.flatMap { FirmwareVersion($0) }
    switch bootloader.expectation {
    case .application:
      guard version == wanted.version else {
        throw BoardFailure(.verifyOtherFirmware, in: .verify, "the board runs \(read.firmware ?? "firmware without a version"); \(wanted.version) was flashed")
      }
      return .rescue(.passed)
    case .nothing where version == wanted.version: return .rescue(session.wasWrittenBefore ? .passed : .skipped)
    case .nothing: try checkMayEnter(version, wanted)
    case .bootloader: break
    }
    try await enterBootloader(link, path, read)
    return nil
  }

  private func note(applicationAt address: BluetoothAddress, _ read: BoardIdentity) {
    session.journal.update { record in
      // Until now the board was only known by its bootloader's address.
      if address != record.mac {
        record.dfuMAC = record.dfuMAC ?? record.mac
        record.mac = address
      }
      if record.firmwareBefore == nil, bootloader.expectation == .nothing { record.firmwareBefore = read.firmware }
      // Whatever was tried, this is what it runs now.
      if record.leftAs != .untouched { record.leftAs = .application }
      record.firmwareAfter = read.firmware
    }
  }

  private func checkMayEnter(_ version: FirmwareVersion?, _ wanted: Interlock.Build) throws(BoardFailure) {
    guard order.entersBootloader else {
      let words = version.map { "version \($0)" } ?? "an application"
      throw BoardFailure(.policyNotStranded, in: links.phase, "the board runs \(words) by now; nothing was written")
    }
    if let version, version > wanted.version, !order.allowsDowngrade {
      throw BoardFailure(.policyDowngrade, in: links.phase, "the board runs \(version), the package has \(wanted.version)")
    }
  }

  private mutating func enterBootloader(_ link: any GATTLink, _ path: EntryPath, _ read: BoardIdentity) async throws {
    guard entries < Self.entryTries else {
      throw BoardFailure(.dfuNotEntered, in: links.phase, "the board came back in its application \(entries) times instead of its bootloader")
    }
    entries += 1
    // Everything that can be known to be wrong is, before the board leaves its application.
    try await bootloader.check(read)
    try await session.enter(.detach, links)
    let name = path == .secureApplication(bonded: false) ? Self.name(of: session.board) : nil
    keepsBond = order.pairing != nil && path == .secureApplication(bonded: true)
    var handoff = DFUHandoff(session: session, links: links, link: link, path: path, name: name)
    let (failure, isNamed) = try await handoff.run()
    agreedName = isNamed ? name : nil
    if let failure {
      session.journal.update { if $0.leftAs != .untouched { $0.leftAs = .application } }
      throw BoardFailure(dfu: failure, in: links.phase, isUntouched: true)
    }
    awaited = .bootloader
    await links.close()
    await forget()
  }

  /// Unlike every other board's that this station sends away: its address is in it.
  private static func name(of board: BluetoothAddress) -> String {
    "FL" + board.description.split(separator: ":").joined()
  }
}
