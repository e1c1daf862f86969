import Bluetooth
import Testing

@testable import BlueZ
@testable import DBus

@Suite(.timeLimit(.minutes(1)))
struct PairingTests {
  private func linked(_ pairing: FakeBlueZ.Pairing?) async throws -> (Station, any GATTLink) {
    let station = try await Station()
    try await station.remember(FakeBlueZ.board)
    if let pairing { await station.bluez.planPairing(FakeBlueZ.board, pairing) }
    return (station, try await station.central.connect(Station.board, on: Station.first, limit: Station.limit))
  }

  @Test("just works: an agent that can do nothing; forget removes the bond, shutDown the agent")
  func justWorks() async throws {
    let (station, link) = try await linked(.justWorks)
    try await link.pair(.justWorks, limit: Station.limit)
    #expect(await station.bluez.capabilities == ["NoInputNoOutput"])
    // Once is enough.
    try await link.pair(.justWorks, limit: Station.limit)
    #expect(await station.bluez.log.count { $0.hasSuffix(" Pair") } == 1)
    await station.central.forget(Station.board, on: Station.first)
    #expect(await station.bluez.log.last == FakeBlueZ.hci0 + " RemoveDevice")
    #expect(await station.bluez.agent?.isDefault == true)
    await station.central.shutDown()
    #expect(await station.bluez.agent == nil)
  }

  @Test("passkey: the agent has a keyboard and enters the profile's number")
  func passkey() async throws {
    let (station, link) = try await linked(.passkey(4711))
    try await link.pair(.passkey(4711), limit: Station.limit)
    #expect(await station.bluez.capabilities == ["NoInputNoOutput", "KeyboardOnly"])
  }

  @Test("another passkey, no pairing at all, a comparison of numbers that nobody looks at: pairing failed")
  func refused() async throws {
    for (pairing, method) in [
      (FakeBlueZ.Pairing.passkey(1), PairingMethod.passkey(2)), (.passkey(1), .justWorks), (nil, .justWorks), (.comparison, .justWorks),
    ] {
      let (station, link) = try await linked(pairing)
      let error = await #expect(throws: CentralError.self) { try await link.pair(method, limit: Station.limit) }
      guard case .pairingFailed = error else { Issue.record("\(String(describing: error))"); continue }
      if case .comparison = pairing { #expect(await station.bluez.log.contains("rejected")) }
    }
  }

  @Test("a link that ends meanwhile is a lost link")
  func lost() async throws {
    let (station, link) = try await linked(.endsLink)
    await #expect(throws: CentralError.linkLost) { try await link.pair(.justWorks, limit: Station.limit) }
    await #expect(throws: CentralError.linkLost) { try await link.pair(.justWorks, limit: Station.limit) }
    #expect(await station.bluez.log.count { $0.hasSuffix(" Pair") } == 1)
  }

  @Test("a board that never answers is given up at the limit, and bluetoothd is told")
  func silent() async throws {
    let (station, link) = try await linked(.silent)
    await #expect(throws: CentralError.pairingFailed("the board did not answer in time")) { try await link.pair(.justWorks, limit: .milliseconds(100)) }
    #expect(await station.bluez.log.contains(FakeBlueZ.board + " CancelPairing"))
  }

  @Test("boards of two kinds at once: one pairing after the other, each with its own capability")
  func turns() async throws {
    let (station, first) = try await linked(.passkey(7))
    try await station.remember(FakeBlueZ.second)
    await station.bluez.planPairing(FakeBlueZ.second, .justWorks)
    let second = try await station.central.connect(Station.second, on: Station.first, limit: Station.limit)
    async let one: Void = first.pair(.passkey(7), limit: Station.limit)
    async let two: Void = second.pair(.justWorks, limit: Station.limit)
    _ = try await (one, two)
    #expect(await Set(station.bluez.capabilities) == ["KeyboardOnly", "NoInputNoOutput"])
  }

  @Test("an agent of ours that bluetoothd still has is registered anew")
  func leftAgent() async throws {
    let station = try await Station()
    await station.bluez.leaveAgent()
    try await station.remember(FakeBlueZ.board)
    _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(await station.bluez.capabilities == ["NoInputNoOutput"])
    #expect(await station.bluez.log.contains("/org/bluez UnregisterAgent"))
  }

  @Test("a board that demands encryption although nobody pairs it: not permitted, its bond goes with the link, and the next link is clean")
  func unasked() async throws {
    let (station, link) = try await linked(nil)
    await station.bluez.demandEncryption(of: FakeBlueZ.board)
    let error = await #expect(throws: CentralError.self) {
      let (service, characteristic) = (
        try #require(BluetoothUUID("8d53dc1d-1db7-4cd3-868b-8a527460aa84")), try #require(BluetoothUUID("da2e7828-fbce-4e01-ae9e-261174997c48"))
      )
      _ = try await link.openChannel(notifying: characteristic, writing: characteristic, of: service, limit: Station.limit)
    }
    guard case .notPermitted = error else { Issue.record("\(String(describing: error))"); return }
    await link.disconnect()
    #expect(await station.bluez.log.last == FakeBlueZ.hci0 + " RemoveDevice")
    #expect(await station.central.demanding.isEmpty)
  }

  @Test("nobody but bluetoothd is answered, and nothing about a board that is not being paired")
  func strangers() {
    let agent = PairingAgent(board: FakeBlueZ.board, method: .passkey(7))
    func reply(_ member: String, sender: String = ":1.1", board: String = FakeBlueZ.board, path: String = PairingAgent.path, _ agent: PairingAgent?)
      -> DBusReply
    {
      let call = DBusCall(sender: sender, path: path, interface: "org.bluez.Agent1", member: member, arguments: [.objectPath(board)])
      return PairingAgent.answer(call, from: ":1.1", agent)
    }
    func isError(_ reply: DBusReply) -> Bool { if case .error = reply { true } else { false } }
    #expect(!isError(reply("RequestPasskey", agent)))
    #expect(isError(reply("RequestPasskey", sender: ":1.9", agent)))
    #expect(isError(reply("RequestPasskey", board: FakeBlueZ.second, agent)))
    #expect(isError(reply("RequestPasskey", path: "/elsewhere", agent)))
    #expect(isError(reply("RequestPasskey", nil)))
    for member in ["RequestConfirmation", "RequestAuthorization", "RequestPinCode", "AuthorizeService", "DisplayPasskey"] {
      #expect(isError(reply(member, agent)))
    }
    #expect(!isError(reply("Cancel", nil)))
    #expect(!isError(reply("Release", nil)))
  }
}
