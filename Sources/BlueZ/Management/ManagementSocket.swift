import CLinux
import Glibc
import Reactor

/// The kernel's Bluetooth management socket, for one caller and one command at a time.
///
/// Opened for a few commands and closed again: a socket of a process with CAP_NET_ADMIN is told of every advertisement on every adapter, and would cost
/// a wake-up each (Linux net/bluetooth/mgmt.c, HCI_SOCK_TRUSTED).
actor ManagementSocket {
  /// Longer than every answer of this room's commands; a longer event is cut, does not fit its length any more, and is ignored.
  private static let packetLimit = 1024
  /// Events read before other work on the reactor has its turn.
  private static let readsPerTurn = 64

  private nonisolated let reactor: Reactor
  private let descriptor: OwnedDescriptor
  private var watch: ReactorWatch?
  private var exchange = ManagementExchange()
  private var waiter: Latch?
  private var answer: Result<[UInt8], ManagementFailure>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  /// Opens the socket; `unavailable` where the kernel has none, or none for us.
  init(on reactor: Reactor) throws(ManagementFailure) {
    self.reactor = reactor
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = OwnedDescriptor(socket(Int32(flashline_af_bluetooth), type, Int32(flashline_btproto_hci)))
    guard descriptor.isOpen else { throw .unavailable(String(cString: strerror(errno))) }
    var address = flashline_sockaddr_hci(
      hci_family: UInt16(flashline_af_bluetooth), hci_dev: UInt16(flashline_hci_dev_none),
      hci_channel: UInt16(flashline_hci_channel_control))
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor.number, $0, socklen_t(MemoryLayout<flashline_sockaddr_hci>.size)) }
    }
    guard bound == 0 else { throw .unavailable(String(cString: strerror(errno))) }
  }

  deinit {
    watch?.cancel()
  }

  /// Sends a command and returns the parameters of its answer.
  func send(_ command: ManagementCommand, limit: Duration) async throws(ManagementFailure) -> [UInt8] {
    try listen()
    guard let packet = exchange.begin(command) else { throw .refused(0x0A) }
    let latch = Latch()
    waiter = latch
    answer = nil
    guard Glibc.send(descriptor.number, packet, packet.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == packet.count else {
      exchange.giveUp()
      throw errno == EPERM || errno == EACCES ? .notPermitted : .unavailable(String(cString: strerror(errno)))
    }
    let timer = reactor.after(limit) { latch.open() }
    await latch.wait()
    timer.cancel()
    waiter = nil
    guard let answer else {
      exchange.giveUp()
      throw .noAnswer
    }
    return try answer.get()
  }

  func close() {
    watch?.cancel()
    watch = nil
    descriptor.close()
  }

  private func listen() throws(ManagementFailure) {
    guard watch == nil else { return }
    do throws(ReactorError) {
      watch = try reactor.watch(descriptor.number, for: .readable) { [weak self] _ in self?.assumeIsolated { $0.receive() } }
    } catch {
      throw .unavailable("\(error)")
    }
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: Self.packetLimit)
    for _ in 0..<Self.readsPerTurn {
      let count = recv(descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 || errno != EAGAIN else { return }
      guard count > 0 else { return end(.unavailable("the socket ended")) }
      if case .answer(let result) = exchange.receive(Array(buffer.prefix(count))) {
        answer = result
        waiter?.open()
      }
    }
  }

  private func end(_ failure: ManagementFailure) {
    watch?.cancel()
    watch = nil
    answer = answer ?? .failure(failure)
    waiter?.open()
  }
}
