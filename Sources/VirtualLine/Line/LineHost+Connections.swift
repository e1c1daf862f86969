import Bluetooth
import DBus
import Reactor

extension LineHost {
  /// How often a Connect looks whether its board can be heard.
  private static let connectPoll: Duration = .milliseconds(20)

  func makeTicket() -> Int {
    lastTicket += 1
    return lastTicket
  }

  // MARK: Connect and Disconnect

  func connect(_ board: Int, on adapter: Int, client: String) async -> DBusReply {
    guard adapters[adapter].powered else { return .notReady }
    if links[board]?.adapter == adapter { return .alreadyConnected }
    guard adapters[adapter].attempt == nil else {
      conduct.overlappingConnects += 1
      return .inProgress
    }
    if adapters[adapter].isDiscovering { conduct.connectsWhileDiscovering += 1 }
    if let until = gaps[board], until > now { return .failed("Input/output error") }
    let attempt = StackAdapter.Attempt(board: board, ticket: makeTicket())
    adapters[adapter].attempt = attempt
    let reply = await reach(board, on: adapter, attempt, client: client)
    if adapters[adapter].attempt == attempt { adapters[adapter].attempt = nil }
    return reply
  }

  /// Waits for the board's advertisement and makes the link. Every wait may find that the attempt was cancelled.
  private func reach(_ board: Int, on adapter: Int, _ attempt: StackAdapter.Attempt, client: String) async -> DBusReply {
    let deadline = now + timing.connectLimit
    boards[board].approached()
    let address = adapters[adapter].boards[board]?.face.address
    while !isInAir(board) || boards[board].face.address != address {
      guard now < deadline else { return .failed("le-connection-abort-by-local") }
      await reactor.sleep(Self.connectPoll)
      guard adapters[adapter].attempt == attempt, !isStopped else { return .failed("Operation aborted") }
    }
    await reactor.sleep(timing.connect)
    guard adapters[adapter].attempt == attempt, !isStopped else { return .failed("Operation aborted") }
    isChanged = true
    guard isInAir(board), let (mtu, actions) = boards[board].linked() else { return .failed("le-connection-abort-by-local") }
    guard let known = adapters[adapter].boards[board], known.face.address == address else {
      // The object went while the link came up: nobody could use it.
      perform(actions + boards[board].linkEnded(), board)
      return .doesNotExist
    }
    let ticket = makeTicket()
    let schedule = LinkSchedule(radio: radio, start: now)
    links[board] = HostedLink(adapter: adapter, client: client, mtu: mtu, schedule: schedule, ticket: ticket, address: known.face.address)
    tray.linked(board)
    if known.isBonded { boards[board].encrypted() }
    perform(actions, board)
    adapters[adapter].boards[board]?.link = .connected
    if let object = object(board, on: adapter) { changed(object, StackFaces.board, ["Connected": .bool(true)]) }
    later(timing.resolve) { $0.resolve(board, ticket: ticket) }
    checkFaults(board)
    return links[board] == nil ? .failed("le-connection-abort-by-local") : .nothing
  }

  /// The services are known: their objects appear, then `ServicesResolved` turns true.
  private func resolve(_ board: Int, ticket: Int) {
    guard var link = links[board], link.ticket == ticket, !link.severed, let hci = adapters[link.adapter].hci else { return }
    let address = link.address
    link.services = boards[board].services
    links[board]?.services = link.services
    adapters[link.adapter].boards[board]?.link = .resolved
    for service in link.services {
      let parent = StackObject.service(hci: hci, address, handle: service.handle)
      appeared(parent, StackFaces.service, StackFaces.properties(of: service, board: StackObject.board(hci: hci, address).path))
      for item in service.characteristics {
        let object = StackObject.characteristic(hci: hci, address, service: service.handle, handle: item.handle)
        appeared(object, StackFaces.characteristic, StackFaces.properties(of: item, service: parent.path, link: link))
      }
    }
    changed(.board(hci: hci, address), StackFaces.board, ["UUIDs": .strings(link.services.map(\.uuid.description)), "ServicesResolved": .bool(true)])
  }

  /// Service Changed: what was shown goes and is discovered again (nordic-dfu.md §6.3).
  func resolveAgain(_ board: Int) {
    guard let link = links[board], !link.severed, let hci = adapters[link.adapter].hci, adapters[link.adapter].boards[board]?.link == .resolved else {
      return
    }
    adapters[link.adapter].boards[board]?.link = .connected
    changed(.board(hci: hci, link.address), StackFaces.board, ["ServicesResolved": .bool(false)])
    hideServices(of: link, hci)
    closeSockets(board)
    later(timing.resolve) { $0.resolve(board, ticket: link.ticket) }
  }

  private func hideServices(of link: HostedLink, _ hci: Int) {
    for service in link.services {
      for item in service.characteristics {
        vanished(.characteristic(hci: hci, link.address, service: service.handle, handle: item.handle), StackFaces.characteristic)
      }
      vanished(.service(hci: hci, link.address, handle: service.handle), StackFaces.service)
    }
  }

  private func closeSockets(_ board: Int) {
    guard let link = links[board] else { return }
    for socket in Array(link.writers.values) + Array(link.readers.values) { close(socket) }
    links[board]?.writers = [:]
    links[board]?.readers = [:]
    for characteristic in link.notifying.keys { _ = boards[board].subscribe(false, to: characteristic) }
    links[board]?.notifying = [:]
  }

  func disconnect(_ board: Int, on adapter: Int) async -> DBusReply {
    if adapters[adapter].attempt?.board == board {
      adapters[adapter].attempt = nil
      return .nothing
    }
    guard let link = links[board], link.adapter == adapter else { return .notConnected }
    links[board]?.ending = true
    await reactor.sleep(timing.disconnect)
    if links[board]?.ticket == link.ticket { linkDown(board) }
    return .nothing
  }

  /// The central knows that a link has ended: sockets close, objects and properties say so.
  ///
  /// - Parameter tell: false when bluetoothd itself goes and says nothing.
  func linkDown(_ board: Int, tell: Bool = true) {
    guard let link = links.removeValue(forKey: board) else { return }
    isChanged = true
    tray.left(board, isGood: boards[board].isUpdated, at: now)
    link.timer?.cancel()
    for socket in Array(link.writers.values) + Array(link.readers.values) { close(socket) }
    for request in link.requests { request.answered.open() }
    if !link.severed {
      // The board notices up to one interval later; until then it does not advertise, and a Connect fails.
      gaps[board] = now + timing.gap
      later(timing.gap) { $0.boardNotices(board) }
    }
    guard adapters[link.adapter].boards[board] != nil else { return }
    let wasResolved = adapters[link.adapter].boards[board]?.link == .resolved
    adapters[link.adapter].boards[board]?.link = .none
    adapters[link.adapter].boards[board]?.expires = now + timing.temporary
    guard tell, let hci = adapters[link.adapter].hci else { return }
    let address = link.address
    if wasResolved { changed(.board(hci: hci, address), StackFaces.board, ["ServicesResolved": .bool(false)]) }
    changed(.board(hci: hci, address), StackFaces.board, ["Connected": .bool(false)])
    if wasResolved { hideServices(of: link, hci) }
  }

  private func boardNotices(_ board: Int) {
    // No new link can have come up before this.
    if links[board] == nil { perform(boards[board].linkEnded(), board) }
  }

  func close(_ socket: HostedLink.Socket) {
    socket.watch.cancel()
    socket.descriptor.close()
  }

  func removeBoard(_ board: Int, on adapter: Int) async -> DBusReply {
    if adapters[adapter].attempt?.board == board { adapters[adapter].attempt = nil }
    if let link = links[board], link.adapter == adapter {
      await reactor.sleep(timing.disconnect)
      if links[board]?.ticket == link.ticket { linkDown(board) }
    }
    forget(board, on: adapter)
    return .nothing
  }
}
