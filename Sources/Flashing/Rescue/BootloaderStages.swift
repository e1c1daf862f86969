import Bluetooth
import Firmware
import NordicDFU

/// The stages of one board in its bootloader: which comes next, whether the last one had its effect, and the transfer of one.
struct BootloaderStages: Sendable {
  /// What the last activated image makes of the board.
  enum Expectation: Hashable, Sendable {
    /// Nothing was activated yet.
    case nothing
    /// Another bootloader than this one (nil: it tells no version).
    case bootloader(before: FirmwareVersion?)
    case application
  }

  /// How one link in the bootloader ended.
  enum End: Hashable, Sendable {
    case activated
    /// The link is closed and the stage begun again.
    case again
  }

  let session: BoardSession
  let order: RescueOrder
  let links: LinkHolder
  /// The DFU version of the bootloader, read on this link.
  var version: DFUVersion?
  private(set) var expectation = Expectation.nothing
  private var flashed = 0
  /// Parts of a build's package that were activated in this attempt.
  private var partsDone: [String: Int] = [:]
  private var tries = DFUTries()
  /// What made the stage begin again, when that was more than what a bootloader remembers of it: the reason that counts when nothing helps.
  private var trouble: DFUFailure?
  /// A stage was begun as often as it may be in this attempt.
  private(set) var isExhausted = false
  private var legacy: LegacySettings
  /// Nil before the first transfer, which knows the MTU.
  private var secure: SecureSettings?

  init(session: BoardSession, order: RescueOrder, links: LinkHolder) {
    self.session = session
    self.order = order
    self.links = links
    legacy = Self.legacySettings(order)
  }

  private static func legacySettings(_ order: RescueOrder) -> LegacySettings {
    LegacySettings(receiptInterval: order.receiptInterval, packetSize: order.packetSize ?? LegacySettings.usualPacketSize)
  }

  /// Everything that is wrong about the packages for a board that still runs its application.
  func check(_ board: BoardIdentity) async throws {
    let offer = try await offer(for: board)
    try check(try await package(of: offer.application), .application, target(board, nil))
  }

  /// One stage: looks at what the last one made of the board, plans, and transfers the next part.
  mutating func advance(_ link: any GATTLink, _ found: DFUOffer, _ board: BoardIdentity) async throws -> End {
    let installed = board.firmware.flatMap { FirmwareVersion($0) }
    session.journal.update {
      if $0.bootloaderBefore == nil { $0.bootloaderBefore = board.firmware }
      $0.bootloaderAfter = board.firmware
      if $0.leftAs != .untouched { $0.leftAs = .bootloader }
    }
    try verify(installed)
    try await session.enter(.prepare, links)
    guard flashed < RescueOrder.stageLimit else {
      throw BoardFailure(.verifyNoEnd, in: links.phase, "\(flashed) images were flashed, and the board still needs another")
    }
    let stages = try await plan(board, installed)
    let (build, package) = stages[0]
    let target = target(board, found)
    for (_, package) in stages { try check(package, .all, package == stages[0].package ? target : self.target(board, nil)) }
    let part = package.parts[place(in: package, of: build)]
    try checkProtocol(found)
    note(build, package, isLast: stages.count == 1)
    note(part, of: build, among: stages)
    return try await transfer(part, of: build, in: package, link, found, installed)
  }

  /// Which part of a build's package comes next.
  private func place(in package: NordicPackage, of build: Interlock.Build) -> Int {
    min(partsDone[build.id] ?? 0, package.parts.count - 1)
  }

  /// Whether the last image did what it is for.
  private mutating func verify(_ installed: FirmwareVersion?) throws(BoardFailure) {
    switch expectation {
    case .nothing: break
    case .application:
      throw BoardFailure(.verifyStillBootloader, in: .verify, "the application was flashed completely, and the board is in its bootloader again")
    case .bootloader(let before):
      if let before, installed == before {
        throw BoardFailure(.verifyBootloaderUnchanged, in: .verify, "a bootloader was flashed, and the board still has bootloader \(before)")
      }
    }
    expectation = .nothing
  }

  // MARK: plan

  func offer(for board: BoardIdentity) async throws -> FirmwareOffer {
    do throws(ShelfError) { return try await order.shelf.offer(for: board) } catch { throw SessionError.of(error, in: links.phase) }
  }

  private func package(of build: Interlock.Build) async throws -> NordicPackage {
    do throws(ShelfError) { return try await order.shelf.package(of: build) } catch { throw SessionError.of(error, in: links.phase) }
  }

  /// What is left to flash, the next one first. All packages are at hand before the first byte is written.
  private func plan(_ board: BoardIdentity, _ installed: FirmwareVersion?) async throws -> [(build: Interlock.Build, package: NordicPackage)] {
    let offer = try await offer(for: board)
    var builds = [offer.application]
    if let installed {
      do throws(InterlockRefusal) {
        builds = try offer.interlock.plan(offer.application, installed: installed).stages
      } catch {
        throw BoardFailure(error.code, in: links.phase, error.description)
      }
    } else if offer.application.required != nil {
      throw BoardFailure(.dfuUnidentified, in: links.phase, "the firmware needs a certain bootloader, and the board's does not tell its version")
    }
    var stages: [(build: Interlock.Build, package: NordicPackage)] = []
    for build in builds { stages.append((build, try await package(of: build))) }
    return stages
  }

  private func target(_ board: BoardIdentity, _ found: DFUOffer?) -> NordicTarget {
    var target = order.known
    if order.family == .metaWear, let model = board.model, let hardware = board.hardware,
      let told = NordicTarget(metaWearModel: model, hardwareRevision: hardware)
    {
      (target.dfuProtocol, target.dfuVersion) = (told.dfuProtocol, told.dfuVersion)
      (target.deviceType, target.deviceRevision) = (told.deviceType, told.deviceRevision)
    }
    switch found {
    case .legacyBootloader?:
      target.dfuProtocol = .legacy
      target.dfuVersion = version.map { .version(UInt16($0.major) << 8 | UInt16($0.minor)) } ?? .absent
    case .secureBootloader?:
      target.dfuProtocol = .secure
      target.dfuVersion = nil
    default: break
    }
    return target
  }

  private func check(_ package: NordicPackage, _ scope: NordicPackage.Scope, _ target: NordicTarget) throws {
    guard let complaint = package.complaints(for: target, scope: scope).first(where: { $0.severity == .error }) else { return }
    throw BoardFailure(isUntouched ? .policyWrongPackage : .dfuRejected, in: links.phase, complaint.message)
  }

  private func checkProtocol(_ found: DFUOffer) throws(BoardFailure) {
    let offered = found == .secureBootloader ? NordicProtocol.secure : .legacy
    guard order.wish == nil || order.wish == offered else {
      throw BoardFailure(
        isUntouched ? .policyWrongPackage : .dfuRejected, in: links.phase, "the bootloader speaks \(offered.title), and the profile asks for another protocol")
    }
  }

  private var isUntouched: Bool { session.journal.record.leftAs == .untouched }

  private func note(_ build: Interlock.Build, _ package: NordicPackage, isLast: Bool) {
    guard isLast else { return }
    session.journal.update {
      $0.package = package.fileName
      $0.packageSHA256 = package.sha256.hex
      $0.imageHash = package.parts.last { !$0.kind.isSystem }?.sha256.hex
    }
  }

  /// Says which image of how many comes now: five of them, each from 0 to 100 %, would look like one that never ends.
  private func note(_ part: NordicPart, of build: Interlock.Build, among stages: [(build: Interlock.Build, package: NordicPackage)]) {
    let left = stages.map(\.package.parts.count).reduce(0, +) - place(in: stages[0].package, of: build)
    let isApplicationBuild = stages.count == 1
    session.journal.update {
      $0.stage = RescueStage(
        number: flashed + 1, count: flashed + left, part: part.kind.words,
        version: isApplicationBuild && part.kind.isSystem ? nil : build.version.description)
    }
  }

  // MARK: transfer

  private mutating func transfer(
    _ part: NordicPart, of build: Interlock.Build, in package: NordicPackage, _ link: any GATTLink, _ found: DFUOffer, _ installed: FirmwareVersion?
  ) async throws -> End {
    try await session.enter(.rescue, links)
    let isSecure = found == .secureBootloader
    let service: BluetoothUUID = isSecure ? .secureDFU : .legacyDFU
    let control: BluetoothUUID = isSecure ? .secureDFUControlPoint : .legacyDFUControlPoint
    let packets: BluetoothUUID = isSecure ? .secureDFUPacket : .legacyDFUPacket
    let channel = try await link.openChannel(notifying: control, writing: packets, of: service, limit: session.limits.command)
    links.hold(channel)
    let route = DFURoute(link: link, channel: channel, controlPoint: control, service: service)
    try await session.enter(.upload, links)
    let end: DFUUploadEnd
    if isSecure {
      let settings = secure ?? SecureSettings(mtu: channel.mtu)
      secure = settings
      let transfer = SecureTransfer(SecurePart(initPacket: part.initPacket, image: part.image), settings: settings)
      var upload = DFUUpload(transfer, of: part, over: route, session: session, links: links)
      end = try await upload.run()
    } else {
      let transfer = LegacyTransfer(try Self.legacy(part, links.phase), version: version, settings: legacy)
      var upload = DFUUpload(transfer, of: part, over: route, session: session, links: links)
      end = try await upload.run()
    }
    switch end {
    case .activated:
      links.acknowledged = 0
      activated(part, of: build, in: package, installed)
      return .activated
    case .again(let failure):
      try again(failure)
      return .again
    case .failed(let failure):
      // An update that was cut between its parts: what is installed already is not refused for being wrong.
      guard failure.suggestsPartIsPresent, part.kind.isSystem, (partsDone[build.id] ?? 0) + 1 < package.parts.count else {
        throw BoardFailure(dfu: failure, in: links.phase, isUntouched: isUntouched)
      }
      partsDone[build.id, default: 0] += 1
      return .again
    }
  }

  /// From here on the board may be gone at any moment; what was read until now says nothing about what runs afterwards.
  private mutating func activated(_ part: NordicPart, of build: Interlock.Build, in package: NordicPackage, _ installed: FirmwareVersion?) {
    session.journal.update {
      $0.leftAs = .unknown
      if !part.kind.isSystem { $0.firmwareAfter = nil }
    }
    flashed += 1
    tries = DFUTries()
    trouble = nil
    // What was too fast for the board in one stage is too fast in the next: `legacy` stays. The MTU may be another.
    secure = nil
    partsDone[build.id, default: 0] += 1
    expectation = part.kind.isSystem ? .bootloader(before: part.kind.bringsBootloader ? installed : nil) : .application
  }

  private mutating func again(_ failure: DFUFailure) throws {
    // A bootloader that refuses the start, or a write, only tells of what happened before: the way to a reset goes over the same bad link.
    if failure.recovery != .again { trouble = failure }
    guard tries.allows(failure) else {
      isExhausted = true
      throw BoardFailure(dfu: trouble ?? failure, in: links.phase, isUntouched: isUntouched)
    }
    session.journal.update { $0.retries += 1 }
    legacy = legacy.next(after: failure)
    secure = secure?.next(after: failure)
  }

  private static func legacy(_ part: NordicPart, _ phase: Phase) throws(BoardFailure) -> LegacyPart {
    let type: DFUImageType
    switch part.kind {
    case .softDevice: type = .softDevice
    case .bootloader: type = .bootloader
    case .softDeviceBootloader: type = .softDeviceAndBootloader
    case .application: type = .application
    case .bootloaderApplication, .softDeviceApplication, .softDeviceBootloaderApplication:
      throw BoardFailure(.policyWrongPackage, in: phase, "Legacy DFU takes no part that holds an application and something else")
    }
    let sizes = LegacyPart.Sizes(softDevice: part.sizes.softDevice, bootloader: part.sizes.bootloader, application: part.sizes.application)
    return LegacyPart(type, sizes: sizes, initPacket: part.initPacket, image: part.image)
  }
}
