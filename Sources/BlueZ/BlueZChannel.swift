import Bluetooth
import CLinux
import Glibc
import Reactor

/// The packet sockets of one service: each datagram is one value. Indications have no socket, they are delivered.
///
/// One sender at a time. A packet that was taken by the socket is with bluetoothd, not on the air (facts/bluez.md §4).
actor BlueZChannel: PacketChannel {
  /// Op code and handle of a write command or notification (Core 5.4 Vol 3 Part F, 3.4.5.3).
  static let headerSize = 3
  /// Of every link (Core 5.4 Vol 3 Part G, 5.2.1), where the stack names none.
  static let leastMTU = 23
  /// Longer datagrams are cut by bluetoothd (bluez/bluez#1466).
  static let datagramLimit = 512
  /// Datagrams read before other work on the reactor has its turn.
  private static let readsPerTurn = 256

  nonisolated let mtu: Int
  private nonisolated let reactor: Reactor
  /// Nil on a channel of indications.
  private let reading: OwnedDescriptor?
  /// Nil on a channel that only reads.
  private let writing: OwnedDescriptor?
  private let sendLimit: Duration
  private nonisolated let stream: AsyncStream<[UInt8]>
  private let notifications: AsyncStream<[UInt8]>.Continuation
  private var watches: [ReactorWatch] = []
  private var writable: Latch?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  init(reading: OwnedDescriptor?, writing: OwnedDescriptor?, mtu: Int, reactor: Reactor, sendLimit: Duration, notificationsKept: Int) {
    self.reading = reading
    self.writing = writing
    self.mtu = mtu
    self.reactor = reactor
    self.sendLimit = sendLimit
    (stream, notifications) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(notificationsKept))
  }

  deinit {
    for watch in watches { watch.cancel() }
    notifications.finish()
  }

  func start() throws(CentralError) {
    do throws(ReactorError) {
      for descriptor in [reading, writing].compactMap({ $0 }) {
        let flags = flashline_fcntl(descriptor.number, F_GETFL, 0)
        guard flags >= 0, flashline_fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) == 0 else { throw ReactorError(call: "fcntl", number: errno) }
      }
      if let reading {
        watches.append(
          try reactor.watch(reading.number, for: [.readable, .changesOnly]) { [weak self] ready in
            self?.assumeIsolated { $0.receive(hangUp: ready.contains(.hangUp)) }
          })
      }
      guard let writing else { return }
      watches.append(
        try reactor.watch(writing.number, for: [.writable, .changesOnly]) { [weak self] ready in
          self?.assumeIsolated { $0.mayWrite(hangUp: ready.contains(.hangUp)) }
        })
    } catch {
      shut()
      throw .refused("the packet sockets cannot be watched: \(error)")
    }
  }

  // MARK: PacketChannel

  nonisolated func packets() -> AsyncStream<[UInt8]> { stream }

  func send(_ packet: [UInt8]) async throws(CentralError) {
    guard let writing else { throw .refused("the channel was opened for reading only") }
    guard (1...min(mtu - Self.headerSize, Self.datagramLimit)).contains(packet.count) else {
      throw .refused("a packet of \(packet.count) bytes does not fit an MTU of \(mtu)")
    }
    let deadline = ContinuousClock.now + sendLimit
    while !isClosed {
      let sent = Glibc.send(writing.number, packet, packet.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      if sent == packet.count { return }
      let number = errno
      switch number {
      case EINTR: continue
      case EAGAIN: try await waitUntilWritable(deadline)
      case EPIPE, ECONNRESET, ENOTCONN: shut()
      default: throw .refused("the packet socket: \(String(cString: strerror(number)))")
      }
    }
    throw .linkLost
  }

  /// On the reactor's thread from the first packet to the last: changing threads costs more than sending.
  func send(all packets: [[UInt8]]) async throws(CentralError) {
    for packet in packets { try await send(packet) }
  }

  func close() {
    shut()
  }

  /// The link has ended; to be called on the reactor's thread.
  nonisolated func linkDown() {
    assumeIsolated { $0.drainAndShut() }
  }

  /// An indication; to be called on the reactor's thread.
  nonisolated func deliver(_ value: [UInt8]) {
    assumeIsolated { channel in
      if case .dropped = channel.notifications.yield(value) { channel.shut() }
    }
  }

  // MARK: Sockets

  private func waitUntilWritable(_ deadline: ContinuousClock.Instant) async throws(CentralError) {
    let left = deadline - ContinuousClock.now
    guard left > .zero else { throw .noAnswer("the packet socket stayed full") }
    guard !Task.isCancelled else { throw .refused("given up") }
    let latch = writable ?? Latch()
    writable = latch
    let timer = reactor.after(left) { latch.open() }
    await latch.wait()
    timer.cancel()
  }

  private func mayWrite(hangUp: Bool) {
    writable?.open()
    writable = nil
    if hangUp { drainAndShut() }
  }

  private func receive(hangUp: Bool) {
    guard let reading else { return }
    var buffer = [UInt8](repeating: 0, count: Self.datagramLimit)
    for _ in 0..<Self.readsPerTurn {
      guard !isClosed else { return }
      let count = recv(reading.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 || (count == 0 && !hangUp && !isHungUp) {
        if case .dropped = notifications.yield(Array(buffer.prefix(count))) { return shut() }
      } else if count < 0, errno == EINTR {
        continue
      } else {
        if count == 0 || errno != EAGAIN || hangUp { shut() }
        return
      }
    }
    // Reported once per change only: what is left must be asked for.
    reactor.perform { [weak self] in self?.assumeIsolated { $0.receive(hangUp: hangUp) } }
  }

  /// Tells an empty datagram (a notification without a value) from the end.
  private var isHungUp: Bool {
    guard let reading else { return false }
    var entry = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1 && Int32(entry.revents) & (POLLHUP | POLLERR) != 0
  }

  /// What the board said before the end counts.
  private func drainAndShut() {
    receive(hangUp: false)
    shut()
  }

  private func shut() {
    guard !isClosed else { return }
    isClosed = true
    for watch in watches { watch.cancel() }
    watches = []
    reading?.close()
    writing?.close()
    notifications.finish()
    writable?.open()
    writable = nil
  }
}
