@testable import BlueZ
import Bluetooth
import DBus
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectTests {
  /// `Connect`'s errors as BlueZ 5.66 words them (src/error.c; facts/nordic-dfu.md §6.1) and what the station is told.
  static let refusals: [(name: String, message: String, error: CentralError)] = [
    ("org.bluez.Error.Failed", "le-connection-abort-by-local", .connectFailed("le-connection-abort-by-local")),
    ("org.bluez.Error.Failed", "Software caused connection abort", .connectFailed("Software caused connection abort")),
    ("org.bluez.Error.Failed", "something new", .connectFailed("something new")),
    ("org.bluez.Error.InProgress", "Operation already in progress", .connectFailed("another connection attempt is under way")),
    ("org.bluez.Error.NotReady", "Resource Not Ready", .adapterGone),
    ("org.freedesktop.DBus.Error.UnknownObject", "Method \"Connect\" with signature \"\" … doesn't exist", .boardUnknown),
    ("org.freedesktop.DBus.Error.UnknownMethod", "Method \"Connect\" with signature \"\" … doesn't exist", .boardUnknown),
    ("org.bluez.Error.AuthenticationFailed", "Authentication Failed", .notPermitted("Authentication Failed")),
  ]

  @Test("what bluetoothd says becomes the port's error, without a second try", arguments: refusals)
  func refused(_ row: (name: String, message: String, error: CentralError)) async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    await station.bluez.plan(FakeBlueZ.board, .fails(name: row.name, message: row.message))
    await #expect(throws: row.error) { _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit) }
    #expect(await station.bluez.log.count { $0.hasSuffix(" Connect") } == 1)
  }

  @Test("the kernel still has the last link: tried again after the gap, and no more than the limit says")
  func gap() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    let busy = FakeBlueZ.Behaviour.fails(name: "org.bluez.Error.Failed", message: "Input/output error")
    await station.bluez.plan(FakeBlueZ.board, busy, busy, .connects)
    _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(await station.bluez.log.count { $0.hasSuffix(" Connect") } == 3)

    try await station.remember(FakeBlueZ.second)
    await station.bluez.plan(FakeBlueZ.second, busy, busy, busy, .connects)
    await #expect(throws: CentralError.self) { _ = try await station.central.connect(Station.second, on: Station.first, limit: Station.limit) }
    #expect(await station.bluez.log.count { $0.hasSuffix(" Connect") } == 6)
  }

  @Test(
    "an attempt that does not end in time is cancelled by Disconnect",
    arguments: [FakeBlueZ.Behaviour.silent, .unresolved])
  func tooLate(_ behaviour: FakeBlueZ.Behaviour) async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    await station.bluez.plan(FakeBlueZ.board, behaviour)
    await #expect(throws: CentralError.connectTimedOut) {
      _ = try await station.central.connect(Station.board, on: Station.first, limit: .milliseconds(100))
    }
    #expect(await station.bluez.log.last == FakeBlueZ.board + " Disconnect")
    _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
  }

  @Test("a link is there only with its services, also when bluetoothd says that they are resolved before it tells them")
  func servicesBehind() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    await station.bluez.plan(FakeBlueZ.board, .resolvesAhead)
    let link = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(await link.characteristics().count == 2)
  }

  @Test("a link that ends while the services are read is a failed connection")
  func dropped() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    await station.bluez.plan(FakeBlueZ.board, .dropsWhileResolving)
    let error = await #expect(throws: CentralError.self) {
      _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    }
    guard case .connectFailed = error else { Issue.record("\(String(describing: error))"); return }
  }

  @Test("a cancelled attempt is ended on the adapter too, and leaves it free")
  func cancelled() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    try await station.remember(FakeBlueZ.second)
    await station.bluez.plan(FakeBlueZ.board, .silent)
    let attempt = Task { try await station.central.connect(Station.board, on: Station.first, limit: Station.limit) }
    while await !station.bluez.log.contains(FakeBlueZ.board + " Connect") { await Task.yield() }
    attempt.cancel()
    await #expect(throws: CentralError.connectFailed("given up")) { _ = try await attempt.value }
    #expect(await station.bluez.log.contains(FakeBlueZ.board + " Disconnect"))
    _ = try await station.central.connect(Station.second, on: Station.first, limit: Station.limit)
  }

  @Test("one attempt at a time per adapter")
  func turns() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    try await station.remember(FakeBlueZ.second)
    await station.bluez.plan(FakeBlueZ.board, .silent)
    let first = Task { try await station.central.connect(Station.board, on: Station.first, limit: .milliseconds(200)) }
    while await !station.bluez.log.contains(FakeBlueZ.board + " Connect") { await Task.yield() }
    let second = Task { try await station.central.connect(Station.second, on: Station.first, limit: Station.limit) }
    _ = try await second.value
    await #expect(throws: CentralError.connectTimedOut) { _ = try await first.value }
    let log = await station.bluez.log
    let cancelled = try #require(log.firstIndex(of: FakeBlueZ.board + " Disconnect"))
    let begun = try #require(log.firstIndex(of: FakeBlueZ.second + " Connect"))
    #expect(cancelled < begun)
  }

  @Test("an unknown board, a handle of an earlier numbering, an adapter that is off")
  func notThere() async throws {
    let station = try await Station()
    await #expect(throws: CentralError.boardUnknown) { _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit) }
    let renumbered = AdapterHandle(hciIndex: 1, address: Station.first.address)
    await #expect(throws: CentralError.adapterGone) { _ = try await station.central.connect(Station.board, on: renumbered, limit: Station.limit) }
    try await station.bluez.set(FakeBlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(false)])
    await station.until { $0.first?.powered == false }
    await #expect(throws: CentralError.adapterGone) { _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit) }
  }

  @Test("a link that somebody else left is ended before ours begins")
  func leftOver() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board, ["Connected": .bool(true), "ServicesResolved": .bool(true)])
    _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(await station.bluez.log.filter { $0.hasPrefix(FakeBlueZ.board + " ") } == [FakeBlueZ.board + " Disconnect", FakeBlueZ.board + " Connect"])
  }
}
