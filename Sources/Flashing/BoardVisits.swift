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
      try identity.check(isSameAs: first)
      return
    }
    try await session.admit(identity, by: rule)
    first = identity
  }

  /// Opens SMP's channel; the link that it is on may be a new one.
  func open(_ link: any GATTLink, time: Timekeeper) async throws -> (any GATTLink, SMPSession) {
    try await connector.openSMP(over: link, time: time)
  }
}
