import BlueZ
import Bluetooth
import BusFixture
import DBus
import Reactor
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CentralTests {
  @Test("adapters are told with their state, and again when it changes")
  func adapters() async throws {
    let station = try await Station()
    let states = [AdapterState(handle: Station.first, powered: true), AdapterState(handle: Station.other, powered: true)]
    await station.until { $0 == states }
    try await station.bluez.set(FakeBlueZ.hci1, "org.bluez.Adapter1", ["Powered": .bool(false)])
    await station.until { $0.map(\.powered) == [true, false] }
    try await station.bluez.remove(FakeBlueZ.hci0)
    await station.until { $0.map(\.handle) == [Station.other] }
  }

  @Test("prepare switches on and forgets what earlier programs left; bonds stay")
  func prepare() async throws {
    let station = try await Station()
    try await station.bluez.set(FakeBlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(false)])
    try await station.remember(FakeBlueZ.board, ["Connected": .bool(true)])
    try await station.remember(FakeBlueZ.second, ["Paired": .bool(true), "Connected": .bool(true)])
    await station.until { $0.first?.powered == false }
    try await station.central.prepare(Station.first, radio: .kernel)
    await station.until { $0.first?.powered == true }
    await #expect(throws: CentralError.boardUnknown) { _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit) }
    let log = await station.bluez.log
    #expect(log.count { $0.hasSuffix(" RemoveDevice") } == 1)
    #expect(log.contains(FakeBlueZ.second + " Disconnect"))
  }

  @Test("a failing adapter: its discovery is ended, or it is switched off and on; its reader is told")
  func heal() async throws {
    let station = try await Station()
    for remedy in [AdapterRemedy.stopDiscovery, .powerCycle] {
      let reader = Task { for try await _ in station.central.discover(on: Station.first) {} }
      while await !station.bluez.log.contains(FakeBlueZ.hci0 + " StartDiscovery") { await Task.yield() }
      try await station.central.heal(Station.first, by: remedy)
      _ = try? await reader.value
    }
    let log = await station.bluez.log
    #expect(log.contains(FakeBlueZ.hci0 + " StopDiscovery"))
    #expect(log.count { $0 == FakeBlueZ.hci0 + " Set" } == 2)
    await station.until { $0.first?.powered == true }
    await #expect(throws: CentralError.self) { try await station.central.heal(Station.first, by: .reauthorise) }
  }

  @Test("forget is at peace with what is not there")
  func forget() async throws {
    let station = try await Station()
    await station.central.forget(Station.board, on: Station.first)
    try await station.remember(FakeBlueZ.board)
    let link = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    await station.central.forget(Station.board, on: Station.first)
    await link.ended()
    await #expect(throws: CentralError.boardUnknown) { _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit) }
  }

  @Test("shutDown ends discovery, links and attempts, and nothing begins after it")
  func shutDown() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    try await station.remember(FakeBlueZ.second)
    let link = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    let reading = Task { await station.central.discover(on: Station.other).end() }
    while await !station.bluez.log.contains(FakeBlueZ.hci1 + " StartDiscovery") { await Task.yield() }
    await station.bluez.plan(FakeBlueZ.second, .silent)
    let attempt = Task { try await station.central.connect(Station.second, on: Station.first, limit: Station.limit) }
    while await !station.bluez.log.contains(FakeBlueZ.second + " Connect") { await Task.yield() }
    await station.central.shutDown()
    await link.ended()
    _ = await reading.value
    await #expect(throws: CentralError.self) { _ = try await attempt.value }
    let log = await station.bluez.log
    #expect(log.contains(FakeBlueZ.board + " Disconnect") && log.contains(FakeBlueZ.second + " Disconnect"))
    #expect(log.contains(FakeBlueZ.hci1 + " StopDiscovery"))
    await #expect(throws: CentralError.self) { try await station.central.prepare(Station.first, radio: .kernel) }
  }

  @Test("the bus dies and another comes at the same address: found again")
  func busDies() async throws {
    let station = try await Station()
    station.bus.stop()
    await station.until(\.isEmpty)
    let error = await #expect(throws: CentralError.self) { try await station.central.prepare(Station.first, radio: .kernel) }
    guard case .stackGone = error else { Issue.record("\(String(describing: error))"); return }
    try station.bus.restart()
    let revived = try await FakeBlueZ(bus: station.bus, reactor: station.reactor)
    try await revived.start()
    await station.until { $0.count == 2 }
  }
}
