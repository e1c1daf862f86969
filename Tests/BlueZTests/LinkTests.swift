import BlueZ
import Bluetooth
import DBus
import Glibc
import Reactor
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LinkTests {
  let station: Station
  let link: any GATTLink
  let service: BluetoothUUID
  let characteristic: BluetoothUUID

  init() async throws {
    station = try await Station()
    try await station.remember(FakeBlueZ.board)
    link = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    service = try #require(BluetoothUUID("8d53dc1d-1db7-4cd3-868b-8a527460aa84"))
    characteristic = try #require(BluetoothUUID("da2e7828-fbce-4e01-ae9e-261174997c48"))
  }

  private func open() async throws -> any PacketChannel {
    try await link.openChannel(notifying: characteristic, writing: characteristic, of: service, limit: Station.limit)
  }

  @Test("characteristics are looked up anew each time")
  func characteristics() async throws {
    #expect(await link.characteristics().map(\.uuid) == [characteristic, .modelNumber])
    #expect(await link.characteristics().first?.flags == ["write-without-response", "notify"])
    try await station.bluez.remove(FakeBlueZ.board + "/service0020")
    while await link.characteristics().count == 2 { await Task.yield() }
    await #expect(throws: CentralError.attributeMissing(.modelNumber)) { _ = try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit) }
  }

  @Test("a value is read; the board's refusals are told apart (Core 5.4 Vol 3 Part F, table 3.4)")
  func read() async throws {
    #expect(try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit) == Array("nrf52840dk".utf8))
    for code in ["0x02", "0x05", "0x0f"] {
      let words = "Operation failed with ATT error: \(code)"
      await station.bluez.answerReads(with: .error(name: "org.bluez.Error.Failed", message: words))
      await #expect(throws: CentralError.notPermitted(words)) { _ = try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit) }
    }
    await station.bluez.answerReads(with: .error(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x0e"))
    await #expect(throws: CentralError.refused("Operation failed with ATT error: 0x0e")) {
      _ = try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit)
    }
    await station.bluez.answerReads(with: .values([.string("not bytes")]))
    await #expect(throws: CentralError.self) { _ = try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit) }
  }

  @Test("a write always names its type")
  func write() async throws {
    try await link.write([1, 2], to: characteristic, of: service, withResponse: true, limit: Station.limit)
    try await link.write([], to: characteristic, of: service, withResponse: false, limit: Station.limit)
    #expect(await station.bluez.writes.map(\.type) == ["request", "command"])
    #expect(await station.bluez.writes.map(\.value) == [[1, 2], []])
  }

  @Test("packets go both ways, one a datagram; the MTU is the smallest that was named")
  func channel() async throws {
    let channel = try await open()
    #expect(channel.mtu == 200)
    let acquired = await station.bluez.log.filter { $0.contains("Acquire") }.compactMap { $0.split(separator: " ").last }
    #expect(acquired == ["AcquireNotify", "AcquireWrite"])
    try await channel.send([1, 2, 3])
    try await channel.send([UInt8](repeating: 9, count: 197))
    let writing = try #require(await station.bluez.writeSocket)
    var buffer = [UInt8](repeating: 0, count: 600)
    #expect(recv(writing.number, &buffer, 600, 0) == 3 && buffer.prefix(3) == [1, 2, 3])
    #expect(recv(writing.number, &buffer, 600, 0) == 197)
    await #expect(throws: CentralError.self) { try await channel.send([UInt8](repeating: 9, count: 198)) }
    await #expect(throws: CentralError.self) { try await channel.send([]) }
    let notifying = try #require(await station.bluez.notifySocket)
    for packet in [[7], [], [8, 9]] as [[UInt8]] { #expect(Glibc.send(notifying.number, packet, packet.count, 0) == packet.count) }
    var packets = channel.packets().makeAsyncIterator()
    #expect(await packets.next() == [7])
    #expect(await packets.next() == [])
    #expect(await packets.next() == [8, 9])
    await channel.close()
    #expect(await packets.next() == nil)
    await #expect(throws: CentralError.linkLost) { try await channel.send([1]) }
    #expect(recv(writing.number, &buffer, 600, 0) == 0, "our end is closed")
  }

  @Test("indications come without a socket, also those that overtake the answer; the MTU is the least of every link where none is named")
  func indications() async throws {
    try await station.bluez.addButtonless(FakeBlueZ.board)
    while await link.characteristics().count == 2 { await Task.yield() }
    let channel = try await link.openChannel(notifying: .buttonlessDFU, writing: nil, of: .secureDFU, limit: Station.limit)
    #expect(channel.mtu == 23)
    var packets = channel.packets().makeAsyncIterator()
    #expect(await packets.next() == [0x20, 0x01, 0x01])
    try await station.bluez.set(FakeBlueZ.board + FakeBlueZ.buttonless, "org.bluez.GattCharacteristic1", ["Value": .bytes([0x20, 0x02, 0x01])])
    // Another characteristic's value is not ours.
    try await station.bluez.set(FakeBlueZ.board + FakeBlueZ.model, "org.bluez.GattCharacteristic1", ["Value": .bytes([0x41])])
    try await station.bluez.setBoard(FakeBlueZ.board, ["Connected": .bool(false)])
    #expect(await packets.next() == [0x20, 0x02, 0x01])
    #expect(await packets.next() == nil, "the link has ended")
  }

  @Test("what the board said before the end is still read")
  func lastWords() async throws {
    let channel = try await open()
    let notifying = try #require(await station.bluez.notifySocket)
    for value in 0..<300 { _ = Glibc.send(notifying.number, [UInt8(value & 0xFF)], 1, 0) }
    notifying.close()
    var count = 0
    for await packet in channel.packets() {
      #expect(packet == [UInt8(count & 0xFF)])
      count += 1
    }
    #expect(count == 300)
  }

  @Test("a full socket is waited for, and every packet arrives once and in order")
  func backPressure() async throws {
    let channel = try await open()
    let writing = try #require(await station.bluez.writeSocket)
    let count = 2000
    let sending = Task {
      for number in 0..<count { try await channel.send([UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 0, count: 180)) }
    }
    let received = try await ownThread(named: "drain") { () -> [Int] in
      var buffer = [UInt8](repeating: 0, count: 600)
      var numbers: [Int] = []
      while numbers.count < count, recv(writing.number, &buffer, 600, 0) == 182 { numbers.append(Int(buffer[0]) | Int(buffer[1]) << 8) }
      return numbers
    }
    try await sending.value
    #expect(received == Array(0..<count))
  }

  @Test("a half-opened channel leaves no socket behind")
  func halfOpen() async throws {
    await station.bluez.failAcquireWrite()
    await #expect(throws: CentralError.self) { _ = try await open() }
    let notifying = try #require(await station.bluez.notifySocket)
    var byte: UInt8 = 0
    #expect(recv(notifying.number, &byte, 1, 0) == 0, "our end is closed")
  }

  @Test("a lost link ends everything that hangs on it")
  func lost() async throws {
    let channel = try await open()
    try await station.bluez.dropLink(FakeBlueZ.board)
    await link.ended()
    for await _ in channel.packets() {}
    await #expect(throws: CentralError.linkLost) { try await channel.send([1]) }
    await #expect(throws: CentralError.linkLost) { _ = try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit) }
    await #expect(throws: CentralError.linkLost) { _ = try await open() }
    #expect(await link.characteristics().isEmpty)
    await link.disconnect()
    #expect(await !station.bluez.log.contains(FakeBlueZ.board + " Disconnect"), "it has ended already")
  }

  @Test("an old link does not speak over the new one to the same board")
  func oldLink() async throws {
    await link.disconnect()
    let new = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    await #expect(throws: CentralError.linkLost) { _ = try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit) }
    await link.disconnect()
    #expect(try await new.read(.modelNumber, of: .deviceInformation, limit: Station.limit).count == 10)
  }

  @Test("disconnect ends the link once, however often it is called")
  func disconnect() async throws {
    let channel = try await open()
    async let first: Void = link.disconnect()
    async let second: Void = link.disconnect()
    _ = await (first, second)
    await link.ended()
    for await _ in channel.packets() {}
    #expect(await station.bluez.log.count { $0 == FakeBlueZ.board + " Disconnect" } == 1)
  }

  @Test("bluetoothd dies: the link, its packets and its requests end as stackGone; it comes back and works again")
  func stackDies() async throws {
    let channel = try await open()
    await station.bluez.die()
    await link.ended()
    for await _ in channel.packets() {}
    let error = await #expect(throws: CentralError.self) { _ = try await link.read(.modelNumber, of: .deviceInformation, limit: Station.limit) }
    guard case .stackGone = error else { Issue.record("\(String(describing: error))"); return }
    await station.until(\.isEmpty)
    let revived = try await FakeBlueZ(bus: station.bus, reactor: station.reactor)
    try await revived.remember(FakeBlueZ.board)
    try await revived.start()
    await station.until { $0.count == 2 }
    let again = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(await again.characteristics().count == 2)
  }
}
