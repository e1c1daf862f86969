import Bluetooth
import Locks
import Synchronization

/// A link to a board with the diagnostic service that does what a test wrote down, and notes what is asked of it.
final class ScriptedLink: GATTLink {
  struct Script: Sendable {
    var values: [BluetoothUUID: Result<[UInt8], CentralError>] = [
      .diagnosticFeatures: .success([0]), .diagnosticDeviceID: .success(Array("SN-1".utf8)),
      .diagnosticDataURI: .success(Array("https://chunks.example/api/v0/chunks/SN-1".utf8)),
      .diagnosticAuthorization: .success(Array("Memfault-Project-Key:0123".utf8)),
    ]
    var lacksService = false
    var openError: CentralError?
    /// For the first writes, in order.
    var writeErrors: [CentralError?] = []
    /// Sent as soon as the board is switched on, as far as it stays so.
    var notifications: [[UInt8]] = []
    /// Under way when the board is asked to stop.
    var afterStop: [[UInt8]] = []
    /// The link is lost behind the last notification.
    var endsAfterwards = false
    /// The stack closes the channel behind the last notification, and the link lives on.
    var closesAfterwards = false
  }

  private struct State {
    var script: Script
    var log: [String] = []
    var isOn = false
    var feed: AsyncStream<[UInt8]>.Continuation?
    var isUp = true
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  let board = BluetoothAddress(bits: 0xC0DE_0000_0001)
  private let state: Locked<State>

  init(_ script: Script = Script()) {
    state = Locked(State(script: script))
  }

  /// What was asked, in order: `read 1`, `open`, `01`, `00`, `close`.
  var log: [String] { state.withLock { $0.log } }

  func pair(_ method: PairingMethod, limit: Duration) async throws(CentralError) {}

  func characteristics() async -> [GATTCharacteristic] {
    state.withLock { $0.script.lacksService } ? [] : [GATTCharacteristic(service: .diagnostics, uuid: .diagnosticExport, flags: ["notify", "write"])]
  }

  func read(_ characteristic: BluetoothUUID, of service: BluetoothUUID, limit: Duration) async throws(CentralError) -> [UInt8] {
    let value = state.withLock { state in
      state.log.append("read \(characteristic.description.prefix(8).last ?? "?")")
      return state.script.values[characteristic]
    }
    guard service == .diagnostics, let value else { throw .attributeMissing(characteristic) }
    return try value.get()
  }

  func write(_ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, limit: Duration) async throws(CentralError) {
    guard withResponse, service == .diagnostics, characteristic == .diagnosticExport, value == [0] || value == [1] else { throw .refused("not so") }
    let error: CentralError? = state.withLock { state in
      state.log.append(value == [1] ? "01" : "00")
      guard state.isUp else { return .linkLost }
      if !state.script.writeErrors.isEmpty, let error = state.script.writeErrors.removeFirst() { return error }
      state.isOn = value == [1]
      if value == [0] {
        for notification in state.script.afterStop { state.feed?.yield(notification) }
        state.script.afterStop = []
      }
      return nil
    }
    if let error { throw error }
    if value == [1] { Task { await send() } }
  }

  private func send() async {
    while true {
      let isMore = state.withLock { state in
        guard state.isOn, !state.script.notifications.isEmpty else { return false }
        state.feed?.yield(state.script.notifications.removeFirst())
        return true
      }
      guard isMore else { break }
      await Task.yield()
    }
    let (isEmpty, ends, closes) = state.withLock { ($0.script.notifications.isEmpty && $0.isOn, $0.script.endsAfterwards, $0.script.closesAfterwards) }
    if isEmpty, ends { await disconnect() }
    if isEmpty, closes { state.withLock { $0.feed }?.finish() }
  }

  func openChannel(
    notifying: BluetoothUUID, writing: BluetoothUUID?, of service: BluetoothUUID, limit: Duration
  ) async throws(CentralError) -> any PacketChannel {
    let (stream, feed) = AsyncStream.makeStream(of: [UInt8].self)
    let error: CentralError? = state.withLock { state in
      state.log.append("open")
      guard notifying == .diagnosticExport, writing == nil, service == .diagnostics else { return .attributeMissing(notifying) }
      state.feed = feed
      return state.script.openError
    }
    if let error { throw error }
    return Channel(stream: stream, feed: feed, note: { self.state.withLock { $0.log.append("close") } })
  }

  func ended() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isUp || Task.isCancelled { return true }
          state.waiters.append(continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      release()
    }
  }

  private func release() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func disconnect() async {
    let feed = state.withLock { state in
      state.isUp = false
      return state.feed
    }
    feed?.finish()
    release()
  }

  private struct Channel: PacketChannel {
    let mtu = 247
    let stream: AsyncStream<[UInt8]>
    let feed: AsyncStream<[UInt8]>.Continuation
    let note: @Sendable () -> Void

    func send(_ packet: [UInt8]) async throws(CentralError) { throw .refused("reads only") }
    func packets() -> AsyncStream<[UInt8]> { stream }
    func close() async {
      note()
      feed.finish()
    }
  }
}
