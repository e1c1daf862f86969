import BlueZ
import Bluetooth
import DBus
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiscoveryTests {
  private func started(_ station: Station, _ adapter: String = FakeBlueZ.hci0, times: Int = 1) async {
    while await station.bluez.log.count(where: { $0 == adapter + " StartDiscovery" }) < times { await Task.yield() }
  }

  @Test("only what is heard now counts: remembered boards do not, new and repeated ones do")
  func fresh() async throws {
    let station = try await Station()
    try await station.bluez.remember(FakeBlueZ.second)
    var heard = station.central.discover(on: Station.first).makeAsyncIterator()
    await started(station)
    let filter = await station.bluez.filter
    #expect(filter == ["Transport": .string("le"), "DuplicateData": .bool(true)])
    try await station.bluez.setBoard(FakeBlueZ.second, ["Name": .string("still not heard")])
    let advertised: [String: DBusValue] = [
      "RSSI": .int16(-61), "Name": .string("a\u{1B}[2Jb"), "UUIDs": .strings(["8d53dc1d-1db7-4cd3-868b-8a527460aa84", "nonsense"]),
      "ManufacturerData": .dictionary([.init(.uint16(0x0059), .variant(.bytes([1, 2])))], key: "q", value: "v"),
    ]
    try await station.bluez.remember(FakeBlueZ.board, advertised)
    let first = try #require(try await heard.next())
    #expect(first.address == Station.board && first.addressType == .random && first.rssi == -61 && first.name == "a\u{1B}[2Jb")
    #expect(first.services == [try #require(BluetoothUUID("8D53DC1D-1DB7-4CD3-868B-8A527460AA84"))])
    #expect(first.manufacturerData == [0x59: [1, 2]])
    try await station.bluez.setBoard(FakeBlueZ.board, ["RSSI": .int16(-61)])
    try await station.bluez.setBoard(FakeBlueZ.second, ["RSSI": .int16(-80)])
    #expect(try await heard.next()?.address == Station.board)
    #expect(try await heard.next()?.rssi == -80)
  }

  @Test("what another adapter hears is not ours")
  func otherAdapter() async throws {
    let station = try await Station()
    var heard = station.central.discover(on: Station.first).makeAsyncIterator()
    await started(station)
    try await station.bluez.remember(FakeBlueZ.hci1 + "/dev_C0_DE_00_00_00_02", ["RSSI": .int16(-40)])
    try await station.bluez.remember(FakeBlueZ.board, ["RSSI": .int16(-61)])
    #expect(try await heard.next()?.address == Station.board)
  }

  @Test("discovery is stopped when the reader leaves")
  func readerLeaves() async throws {
    let station = try await Station()
    let reading = Task { await station.central.discover(on: Station.first).end() }
    await started(station)
    reading.cancel()
    _ = await reading.value
    while await station.bluez.log.last != FakeBlueZ.hci0 + " StopDiscovery" { await Task.yield() }
  }

  @Test("a new reader ends the earlier one, a connection ends the newest; discovery does not come back by itself")
  func superseded() async throws {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    let earlier = Task { await station.central.discover(on: Station.first).end() }
    await started(station)
    let later = Task { await station.central.discover(on: Station.first).end() }
    #expect(await earlier.value == nil)
    await started(station, times: 2)
    let link = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(await later.value == nil)
    await link.disconnect()
    let calls = await station.bluez.log.filter { $0.hasSuffix("Discovery") || $0.hasSuffix(" Connect") }.compactMap { $0.split(separator: " ").last }
    #expect(calls == ["StartDiscovery", "StopDiscovery", "StartDiscovery", "StopDiscovery", "Connect"])
  }

  @Test("the adapter is unplugged, switched off, or the stack dies: the reader is told which")
  func ends() async throws {
    let station = try await Station()
    let unplugged = Task { await station.central.discover(on: Station.first).end() }
    await started(station)
    try await station.bluez.remove(FakeBlueZ.hci0)
    #expect(await unplugged.value == .adapterGone)
    #expect(await station.central.discover(on: Station.first).end() == .adapterGone)

    let off = Task { await station.central.discover(on: Station.other).end() }
    await started(station, FakeBlueZ.hci1)
    try await station.bluez.set(FakeBlueZ.hci1, "org.bluez.Adapter1", ["Powered": .bool(false)])
    #expect(await off.value == .adapterGone)
    try await station.central.prepare(Station.other, radio: .kernel)

    let dying = Task { await station.central.discover(on: Station.other).end() }
    await started(station, FakeBlueZ.hci1, times: 2)
    await station.bluez.die()
    guard case .stackGone = await dying.value else { Issue.record("not stackGone"); return }
  }
}
