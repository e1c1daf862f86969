import Bluetooth
import SMP

/// The links of one attempt to a board with an SMP server, one after the other: connect, or wait until it is back; see who it is; open the channel.
struct BoardVisits: Sendable {
  let session: BoardSession
  let rule: IdentityRule
  let links: LinkHolder
  private var first: BoardIdentity?
  private var awaitsReturn = false

  init(session: BoardSession, rule: IdentityRule, links: LinkHolder) {
    self.session = session
    self.rule = rule
    self.links = links
  }

  private var connector: BoardConnector { BoardConnector(session: session, links: links) }

  /// From here on the board may be gone at any moment: the next link is made when it is heard again, and shows the services of other firmware.
  mutating func expectRestart() { awaitsReturn = true }

  /// Whether this link is the first one.
  var isFirst: Bool { first == nil }

  mutating func connect() async throws -> any GATTLink {
    guard awaitsReturn else {
      try await session.enter(.connect, links)
      return isFirst ? try await connector.connectUnbonded() : try await connector.connect()
    }
    try await session.enter(.reconnect, links)
    // New firmware may have another GATT database at the same address (facts/nordic-dfu.md §6.3).
    await session.central.forget(session.board, on: session.adapter)
    try await connector.awaitReturn()
    let link = try await connector.connect()
    awaitsReturn = false
    return link
  }

  /// Reads what the board says of itself; the first time that decides whether it may be touched, later whether it is the same board.
  mutating func identify(_ link: any GATTLink) async throws {
    try await session.enter(isFirst ? .identify : .verify, links)
    let identity = try await connector.identity(over: link)
    if let first {
      if let serial = first.serial, let now = identity.serial, serial != now {
        throw BoardFailure(.verifyOtherBoard, in: .verify, "serial number \(serial) was flashed and \(now) came back")
      }
      return
    }
    session.journal.update {
      $0.serialNumber = identity.serial
      $0.modelNumber = identity.model
      $0.hardwareRevision = identity.hardware
    }
    if let objection = rule.objection(to: identity) { throw objection }
    try await session.examine(identity)
    first = identity
  }

  /// Opens SMP's channel; on another link where the stack shows the services of earlier firmware. Returns the link it is on.
  ///
  /// - Parameter time: by which the board's answers are waited for.
  func open(_ link: any GATTLink, time: Timekeeper) async throws -> (any GATTLink, SMPSession) {
    var present = link
    let channel: any PacketChannel
    do {
      channel = try await makeChannel(over: present)
    } catch CentralError.attributeMissing {
      present = try await connector.reconnectAfresh()
      do { channel = try await makeChannel(over: present) } catch { throw SessionError.of(error, in: links.phase) }
    }
    links.hold(channel)
    return (present, SMPSession(channel: channel, time: time))
  }

  private func makeChannel(over link: any GATTLink) async throws -> any PacketChannel {
    guard let characteristic = SMPAttachment.characteristic else { throw CentralError.refused("no SMP") }
    return try await link.openChannel(notifying: characteristic, writing: characteristic, of: .simpleManagement, limit: session.limits.command)
  }
}
