import Bluetooth

/// Brings a link to the board about: hears it where that is needed, connects with a limited number of tries.
struct BoardConnector: Sendable {
  let session: BoardSession
  let links: LinkHolder
  /// Where the board is now: its bootloader may have another address than its application.
  let board: BluetoothAddress
  /// What the stack remembers of the board is never dropped: its bootloader only lets in who has its application's bond.
  let keepsBond: Bool
  /// Nil for a bootloader or a firmware loader, also of boards that are paired: they refuse it, know nothing of the bond, or need none.
  private let pairing: PairingMethod?

  init(session: BoardSession, links: LinkHolder, board: BluetoothAddress? = nil, keepsBond: Bool = false, pairs: Bool = true) {
    self.session = session
    self.links = links
    self.board = board ?? session.board
    self.keepsBond = keepsBond
    pairing = pairs ? session.order.pairing : nil
  }

  private var limits: SessionLimits { session.limits }

  private func forget() async {
    if !keepsBond { await session.central.forget(board, on: session.adapter) }
  }

  /// Connects; retries what BlueZ is known to fail at now and then (facts/nordic-dfu.md §6.1, facts/bluez.md §4).
  func connect() async throws -> any GATTLink {
    var failures = 0
    while true {
      do {
        let link = try await session.central.connect(board, on: session.adapter, limit: limits.connect)
        links.hold(link)
        if let method = pairing { try await link.pair(method, limit: limits.pairing) }
        return link
      } catch .boardUnknown {
        try await hearAgain()
      } catch .pairingFailed where failures + 1 < limits.pairingTries {
        // With USB adapters the board's keys may overtake the news that the link is encrypted, and the kernel gives up (seen on the rig).
        await links.close()
        await forget()
        try await hearAgain()
      } catch .connectFailed(let words) where failures + 1 < limits.connectTries {
        _ = words
        try await session.time.sleep(limits.connectPause)
      } catch .connectTimedOut where failures + 1 < limits.connectTries {
        // The stack's entry may be stale; a fresh one costs one advertisement.
        await forget()
        try await hearAgain()
      } catch {
        throw SessionError.of(error, in: links.phase)
      }
      failures += 1
      guard failures < limits.connectTries else {
        throw BoardFailure(.linkConnect, in: links.phase, "no connection came about in \(failures) tries")
      }
      try Task.checkCancellation()
      session.journal.update { $0.retries += 1 }
    }
  }

  /// Waits after a reset until the board advertises again; its link must be down by then, so that what is heard is new.
  func awaitReturn() async throws {
    guard try await hear(within: limits.swap) else {
      session.journal.update { $0.leftAs = .unknown }
      throw BoardFailure(.verifyNeverReturned, in: links.phase, "the board was not heard for \(limits.swap.words) after the restart")
    }
  }

  /// Ends the link, has the stack forget the board with its cached services, and connects again.
  func reconnectAfresh() async throws -> any GATTLink {
    await links.close()
    await forget()
    session.journal.update { $0.retries += 1 }
    try await hearAgain()
    return try await connect()
  }

  /// Opens SMP's channel. The stack may show the services of an earlier firmware (facts/nordic-dfu.md §6.3): they are forgotten once, and looked at again on a
  /// new link. Returns the link that the channel is on.
  ///
  /// - Parameter time: by which the board's answers are waited for.
  func openSMP(over link: any GATTLink, time: Timekeeper) async throws -> (any GATTLink, SMPSession) {
    var present = link
    let channel: any PacketChannel
    do {
      channel = try await openChannel(over: present)
    } catch CentralError.attributeMissing {
      present = try await reconnectAfresh()
      do { channel = try await openChannel(over: present) } catch { throw SessionError.of(error, in: links.phase) }
    }
    links.hold(channel)
    return (present, SMPSession(channel: channel, time: time))
  }

  private func openChannel(over link: any GATTLink) async throws -> any PacketChannel {
    guard let characteristic = SMPAttachment.characteristic else { throw CentralError.refused("no SMP") }
    return try await link.openChannel(notifying: characteristic, writing: characteristic, of: .simpleManagement, limit: limits.command)
  }

  /// Pairs a board that is connected already; once more on a new link where that did not work.
  func pair(_ link: any GATTLink, _ method: PairingMethod) async throws -> any GATTLink {
    do throws(CentralError) {
      try await link.pair(method, limit: limits.pairing)
      return link
    } catch .pairingFailed {
      let afresh = try await reconnectAfresh()
      if pairing == nil { try await afresh.pair(method, limit: limits.pairing) }
      return afresh
    } catch {
      throw SessionError.of(error, in: links.phase)
    }
  }

  /// The first connection of a board that is paired: a bond that an earlier program left is not trusted, because the board may have lost its half.
  func connectUnbonded() async throws -> any GATTLink {
    if session.order.pairing != nil {
      await session.central.forget(board, on: session.adapter)
      try await hearAgain()
    }
    return try await connect()
  }

  private func hearAgain() async throws {
    guard try await hear(within: limits.rediscover) else {
      throw BoardFailure(.boardAbsent, in: links.phase, "the board was not heard for \(limits.rediscover.words)")
    }
  }

  private func hear(within limit: Duration) async throws -> Bool {
    try await hear(within: limit) { $0.address == board } != nil
  }

  /// Listens until an advertisement is the awaited one; nil when none came within the limit.
  func hear(within limit: Duration, where isAwaited: @escaping @Sendable (Advertisement) -> Bool) async throws -> Advertisement? {
    try await withThrowingTaskGroup(of: Advertisement?.self) { group in
      group.addTask {
        do {
          for try await heard in session.central.discover(on: session.adapter) where isAwaited(heard) { return heard }
        } catch let error as CentralError {
          throw SessionError.ofListening(error, in: links.phase)
        }
        if Task.isCancelled { return nil }
        throw SessionError.station(.adapterFailed, links.phase, "listening ended by itself")
      }
      group.addTask {
        try await session.time.sleep(limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Reads the Device Information Service; what the board does not have stays nil.
  func identity(over link: any GATTLink) async throws -> BoardIdentity {
    let offered = Set(await link.characteristics().filter { $0.service == .deviceInformation }.map(\.uuid))
    func value(_ uuid: BluetoothUUID) async throws -> String? {
      guard offered.contains(uuid) else { return nil }
      do throws(CentralError) {
        return BoardIdentity.text(try await read(uuid, over: link))
      } catch .attributeMissing, .refused, .applicationError {
        return nil
      } catch {
        throw SessionError.of(error, in: links.phase)
      }
    }
    return BoardIdentity(
      model: try await value(.modelNumber), serial: try await value(.serialNumber), firmware: try await value(.firmwareRevision),
      hardware: try await value(.hardwareRevision), manufacturer: try await value(.manufacturerName))
  }

  /// Reads a value; once more when it is refused, for a hiccup of the stack must not make a board look like another.
  private func read(_ uuid: BluetoothUUID, over link: any GATTLink) async throws(CentralError) -> [UInt8] {
    do throws(CentralError) {
      return try await link.read(uuid, of: .deviceInformation, limit: limits.command)
    } catch .refused, .applicationError {
      session.journal.update { $0.retries += 1 }
      return try await link.read(uuid, of: .deviceInformation, limit: limits.command)
    }
  }
}
