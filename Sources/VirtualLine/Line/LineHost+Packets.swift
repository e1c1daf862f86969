import Bluetooth
import CLinux
import DBus
import Glibc
import Reactor

extension LineHost {
  /// The longest value that bluetoothd takes from a socket at once (bluez.md §1, "AcquireWrite").
  private static let datagramLimit = 512
  /// Values taken from one socket before others have their turn.
  private static let datagramsPerTurn = 256
  /// Most write requests of one link without their response.
  private static let requestLimit = 64

  // MARK: Sockets

  func acquireWrite(_ board: Int, _ item: BoardAttributes.Characteristic) -> DBusReply {
    guard let link = links[board] else { return .notConnected }
    guard link.writers[item.handle] == nil else { return .notPermitted }
    guard let (ours, theirs) = Self.socketPair() else { return .failed("Too many open files") }
    do throws(ReactorError) {
      let watch = try reactor.watch(ours.number, for: .readable) { [weak self] _ in self?.assumeIsolated { $0.takeWrites(board, link.ticket, item) } }
      links[board]?.writers[item.handle] = HostedLink.Socket(descriptor: ours, watch: watch)
    } catch {
      return .failed(error.description)
    }
    return .values([.descriptor(theirs), .uint16(UInt16(clamping: link.mtu))])
  }

  func acquireNotify(_ board: Int, _ item: BoardAttributes.Characteristic) async -> DBusReply {
    guard let link = links[board] else { return .notConnected }
    guard link.notifying[item.uuid] == nil, link.readers[item.uuid] == nil else { return .notPermitted }
    guard let (ours, theirs) = Self.socketPair() else { return .failed("Too many open files") }
    if let refusal = await subscribe(board, link.ticket, item.uuid, .socket) { return refusal }
    do throws(ReactorError) {
      let watch = try reactor.watch(ours.number, for: .readable) { [weak self] _ in
        self?.assumeIsolated { $0.readerClosed(board, link.ticket, item.uuid) }
      }
      links[board]?.readers[item.uuid] = HostedLink.Socket(descriptor: ours, watch: watch)
    } catch {
      links[board]?.notifying[item.uuid] = nil
      _ = boards[board].subscribe(false, to: item.uuid)
      return .failed(error.description)
    }
    return .values([.descriptor(theirs), .uint16(UInt16(clamping: link.mtu))])
  }

  /// The write to the CCCD and its answer take two connection events. Nil when notifications are on, else the answer to the client.
  func subscribe(_ board: Int, _ ticket: Int, _ characteristic: BluetoothUUID, _ how: HostedLink.Notifying) async -> DBusReply? {
    await reactor.sleep(radio.interval * 2)
    guard let link = links[board], link.ticket == ticket, !link.severed, link.notifying[characteristic] == nil else { return .failed("Not connected") }
    isChanged = true
    if let error = boards[board].subscribe(true, to: characteristic) { return .attributeError(error) }
    links[board]?.notifying[characteristic] = how
    return nil
  }

  func stopNotify(_ board: Int, _ characteristic: BluetoothUUID) -> DBusReply {
    guard links[board]?.notifying[characteristic] == .signals else { return .failed("No notify session started") }
    links[board]?.notifying[characteristic] = nil
    _ = boards[board].subscribe(false, to: characteristic)
    return .nothing
  }

  /// The client has closed its end (it sends nothing there).
  private func readerClosed(_ board: Int, _ ticket: Int, _ characteristic: BluetoothUUID) {
    guard let link = links[board], link.ticket == ticket, let reader = link.readers[characteristic] else { return }
    close(reader)
    links[board]?.readers[characteristic] = nil
    links[board]?.notifying[characteristic] = nil
    if !link.severed { _ = boards[board].subscribe(false, to: characteristic) }
  }

  private func takeWrites(_ board: Int, _ ticket: Int, _ item: BoardAttributes.Characteristic) {
    guard let link = links[board], link.ticket == ticket, let socket = link.writers[item.handle] else { return }
    var buffer = [UInt8](repeating: 0, count: Self.datagramLimit)
    for _ in 0..<Self.datagramsPerTurn {
      let count = recv(socket.descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        queue(Array(buffer.prefix(count)), for: board, .command(item.uuid))
        continue
      }
      if count < 0, errno == EAGAIN || errno == EINTR { break }
      close(socket)
      links[board]?.writers[item.handle] = nil
      return
    }
  }

  private static func socketPair() -> (ours: OwnedDescriptor, theirs: OwnedDescriptor)? {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
  }

  // MARK: The air

  /// A write command waits for its connection event; a severed link swallows it.
  func queue(_ packet: [UInt8], for board: Int, _ tag: LinkTag) {
    guard let link = links[board], !link.severed else { return }
    // Longer than the link allows: bluetoothd's ATT layer refuses it, and nobody is told.
    guard packet.count <= link.mtu - 3 else {
      conduct.oversizedWrites += 1
      return
    }
    links[board]?.schedule.skip(until: now)
    links[board]?.schedule.write(packet, tag)
    arm(board)
  }

  /// A write that waits for its response, or for the link's end.
  func writeRequest(_ value: [UInt8], _ board: Int, _ item: BoardAttributes.Characteristic) async -> DBusReply {
    guard let link = links[board], !link.ending else { return .notConnected }
    // bluetoothd would prepare a long write, which the boards refuse.
    guard value.count <= link.mtu - 3 else { return .failed("Operation failed with ATT error: 0x0d") }
    guard link.requests.count < Self.requestLimit else { return .inProgress }
    let request = HostedLink.WriteRequest(number: makeTicket())
    links[board]?.requests.append(request)
    queue(value, for: board, .request(item.uuid, request.number))
    await request.answered.wait()
    switch responses.removeValue(forKey: request.number) {
    case .some(.none): return .nothing
    case .some(.some(let code)): return .attributeError(code)
    case .none: return .failed("Not connected")
    }
  }

  private func respond(_ error: UInt8?, _ number: Int, _ board: Int) {
    guard let index = links[board]?.requests.firstIndex(where: { $0.number == number }) else { return }
    responses[number] = .some(error)
    links[board]?.requests.remove(at: index).answered.open()
  }

  private func arm(_ board: Int) {
    guard let link = links[board], link.timer == nil, let at = link.schedule.nextEvent(after: now) else { return }
    let ticket = link.ticket
    links[board]?.timer = later(at - now) { $0.connectionEvent(board, ticket) }
  }

  private func connectionEvent(_ board: Int, _ ticket: Int) {
    guard let link = links[board], link.ticket == ticket else { return }
    links[board]?.timer = nil
    guard !link.severed, let arrivals = links[board]?.schedule.run(until: now) else { return }
    for (packet, tag) in zip(arrivals.atBoard, arrivals.tagsAtBoard) {
      arrive(packet, tag, board)
      guard let link = links[board], link.ticket == ticket, !link.severed else { return }
    }
    for (value, tag) in zip(arrivals.atCentral, arrivals.tagsAtCentral) {
      if case .response(let error, let number) = tag {
        respond(error, number, board)
        continue
      }
      guard case .notification(let characteristic) = tag else { continue }
      let kept = deliver(value, of: characteristic, board)
      perform(boards[board].delivered(from: characteristic, kept: kept), board)
      guard let link = links[board], link.ticket == ticket, !link.severed else { return }
    }
    if !arrivals.atBoard.isEmpty || !arrivals.atCentral.isEmpty {
      isChanged = true
      checkFaults(board)
    }
    if links[board]?.ticket == ticket { arm(board) }
  }

  private func arrive(_ packet: [UInt8], _ tag: LinkTag, _ board: Int) {
    switch tag {
    case .command(let characteristic):
      perform(boards[board].receive(packet, at: characteristic, wantsResponse: false), board)
    case .request(let characteristic, let number):
      perform(boards[board].receive(packet, at: characteristic, wantsResponse: true), board, request: number)
    case .value, .notification, .response: break
    }
  }

  /// A notification reaches the client. False when it is lost.
  private func deliver(_ value: [UInt8], of characteristic: BluetoothUUID, _ board: Int) -> Bool {
    guard let link = links[board] else { return false }
    switch link.notifying[characteristic] {
    case .socket:
      guard let reader = link.readers[characteristic] else { return false }
      // A reader that does not read loses what the socket cannot hold, as with bluetoothd.
      let isTaken = send(reader.descriptor.number, value, value.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == value.count
      if !isTaken { conduct.lostNotifications = (conduct.lostNotifications ?? 0) + 1 }
      return isTaken
    case .signals:
      guard let hci = adapters[link.adapter].hci, let (service, handle) = link.place(of: characteristic) else { return false }
      let object = StackObject.characteristic(hci: hci, link.address, service: service, handle: handle)
      changed(object, StackFaces.characteristic, ["Value": .bytes(value)])
      return true
    case nil: return false
    }
  }

  // MARK: What boards want

  /// - Parameter request: the number of the write request that the actions come from.
  func perform(_ actions: [BoardAction], _ board: Int, request: Int? = nil) {
    for action in actions {
      switch action {
      case .notify(let value, let characteristic):
        links[board]?.schedule.skip(until: now)
        links[board]?.schedule.notify(value, .notification(characteristic))
        arm(board)
      case .wake(let delay, let alarm):
        later(alarm.waitsForAir ? max(timing.scaled(delay), radio.interval * 4) : timing.scaled(delay)) { host in
          host.perform(host.boards[board].alarm(alarm), board)
          host.isChanged = true
          host.checkFaults(board)
        }
      case .endLink(let end): sever(board, end)
      case .respond(let error):
        guard let request else { break }
        links[board]?.schedule.skip(until: now)
        links[board]?.schedule.notify([], .response(error, request))
        arm(board)
      case .servicesChanged: resolveAgain(board)
      case .imageStored(let image): boards[board].share(images.shared(image))
      }
    }
  }

  /// The board has ended the link: the central learns it at the next event, or by its supervision timeout.
  func sever(_ board: Int, _ end: LinkEnd) {
    guard let link = links[board], !link.severed else { return }
    isChanged = true
    links[board]?.severed = true
    links[board]?.timer?.cancel()
    links[board]?.timer = nil
    let ticket = link.ticket
    later(end == .lost ? radio.supervision : radio.interval) { host in
      if host.links[board]?.ticket == ticket { host.linkDown(board) }
    }
  }
}
