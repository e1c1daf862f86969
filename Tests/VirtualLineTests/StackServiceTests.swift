import DBus
import Firmware
import Reactor
import Testing

@testable import VirtualLine

/// The `org.bluez` service on a real private dbus-daemon, through a real connection. Sources: bluez.md §1 and §4, nordic-dfu.md §6.
struct StackServiceTests {
  @Test(.timeLimit(.minutes(1))) func adaptersAreThere() async throws {
    try await StackBench.with(adapters: 3) { bench in
      let objects = try await bench.objects()
      #expect(objects.keys.sorted() == ["/org/bluez/hci0", "/org/bluez/hci1", "/org/bluez/hci2"])
      #expect(objects["/org/bluez/hci1"]?["Address"]?.text == "02:F1:00:00:00:02")
      #expect(objects["/org/bluez/hci1"]?["Powered"]?.truth == true)
      let get: [DBusValue] = [.string(StackFaces.adapter), .string("Discovering")]
      #expect(try await bench.call("/org/bluez/hci0", StackFaces.properties, "Get", get).first?.truth == false)
      #expect(await bench.failure("/org/bluez/hci7", StackFaces.adapter, "StartDiscovery") == "org.freedesktop.DBus.Error.UnknownObject")
      #expect(await bench.failure("/org/bluez/hci0", StackFaces.adapter, "Explode") == "org.freedesktop.DBus.Error.UnknownMethod")
    }
  }

  @Test(.timeLimit(.minutes(1))) func discoveryFindsFollowsAndForgets() async throws {
    // 30 s of memory become 0.9 s.
    try await StackBench.with(scale: 0.03) { bench in
      let path = StackBench.board(0, on: 0)
      #expect(await bench.failure("/org/bluez/hci0", StackFaces.adapter, "StopDiscovery") == "org.bluez.Error.Failed")
      let (added, changes, removed) = (
        try await bench.signals("InterfacesAdded"), try await bench.signals("PropertiesChanged"), try await bench.signals("InterfacesRemoved")
      )
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "SetDiscoveryFilter", [.properties(["Transport": .string("le")])])
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "StartDiscovery")
      #expect(await bench.failure("/org/bluez/hci0", StackFaces.adapter, "StartDiscovery") == "org.bluez.Error.InProgress")
      let found = try #require(await added.first { $0.arguments.first?.text == path })
      let values = try #require(found.arguments.last?.entries?.first?.value.properties)
      #expect(values["Address"]?.text == "C0:DE:00:00:00:01")
      #expect(values["AddressType"]?.text == "random")
      #expect(values["Name"]?.text == "VLINE-0001")
      #expect(values["UUIDs"]?.elements?.compactMap(\.text) == ["8d53dc1d-1db7-4cd3-868b-8a527460aa84"])
      let rssi = try #require(values["RSSI"]?.integer)
      #expect((-85 ... -35).contains(rssi))
      // The strength is told again and again.
      _ = try #require(await changes.first { $0.path == path && $0.arguments[1].properties?["RSSI"] != nil })
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "StopDiscovery")
      _ = try #require(await removed.first { $0.arguments.first?.text == path })
      #expect(try await bench.objects()[path] == nil)
      #expect(await bench.failure(path, StackFaces.board, "Connect") == "org.freedesktop.DBus.Error.UnknownObject")
    }
  }

  @Test(.timeLimit(.minutes(1))) func aLinkCarriesPackets() async throws {
    try await StackBench.with { bench in
      try await bench.connect(0, on: 0)
      let objects = try await bench.objects()
      let board = StackBench.board(0, on: 0)
      #expect(objects[board]?["ServicesResolved"]?.truth == true)
      #expect(objects[board + "/service0020/char0021"]?["MTU"]?.integer == 498)
      #expect(objects[board + "/service0020/char0021"]?["Flags"]?.elements?.compactMap(\.text) == ["write-without-response", "notify"])
      let serial = try await bench.call(board + "/service000a/char000f", StackFaces.characteristic, "ReadValue", [StackBench.noOptions])
      #expect(serial.first?.octets == Array("VL1-0001".utf8))
      let channel = try await bench.channel(0, on: 0)
      #expect(channel.mtu == 498)
      // smp.md §1.1, echo "hello".
      #expect(StackBench.transmit(bytes("0a00000900000100a161646568656c6c6f"), to: channel.writer))
      #expect(try await StackBench.receive(channel.reader) == bytes("0b00000a00000100bf61726568656c6c6fff"))
      let again = await bench.failure(board + "/service0020/char0021", StackFaces.characteristic, "AcquireWrite", [StackBench.noOptions])
      #expect(again == "org.bluez.Error.NotPermitted")
      try await bench.call(board, StackFaces.board, "Disconnect")
      // Both sockets end with the link.
      #expect(try await StackBench.receive(channel.reader) == nil)
      #expect(try await bench.objects()[board]?["Connected"]?.truth == false)
      #expect(try await bench.objects()[board + "/service0020"] == nil)
    }
  }

  @Test(.timeLimit(.minutes(1))) func notificationsAlsoComeAsSignals() async throws {
    try await StackBench.with { bench in
      try await bench.connect(0, on: 0)
      let path = StackBench.board(0, on: 0) + "/service0020/char0021"
      let changes = try await bench.signals("PropertiesChanged")
      try await bench.call(path, StackFaces.characteristic, "StartNotify")
      #expect(await bench.failure(path, StackFaces.characteristic, "AcquireNotify", [StackBench.noOptions]) == "org.bluez.Error.NotPermitted")
      let command = DBusValue.properties(["type": .string("command")])
      try await bench.call(path, StackFaces.characteristic, "WriteValue", [.bytes(bytes("0800000100000042a0")), command])
      let value = try #require(await changes.first { $0.path == path && $0.arguments[1].properties?["Value"] != nil })
      #expect(value.arguments[1].properties?["Value"]?.octets?.first == 0x09)
      let request = DBusValue.properties(["type": .string("request")])
      #expect(await bench.failure(path, StackFaces.characteristic, "WriteValue", [.bytes([0]), request]) == "org.bluez.Error.NotPermitted")
    }
  }

  @Test(.timeLimit(.minutes(1))) func oneAttemptAnAdapterAndAGapAfterALink() async throws {
    try await StackBench.with(scale: 6) { bench in
      // Slow enough that a busy machine gets its calls into the attempt and into the gap.
      try await bench.find(0, on: 0)
      try await bench.find(1, on: 0)
      let first = Task { await bench.failure(StackBench.board(0, on: 0), StackFaces.board, "Connect") }
      // The second call is on the wire behind the first one: both connections are one.
      await Task.yield()
      var second: String?
      while second == nil, await bench.host.links[0] == nil {
        if await bench.host.adapters[0].attempt != nil { second = await bench.failure(StackBench.board(1, on: 0), StackFaces.board, "Connect") }
      }
      #expect(second == "org.bluez.Error.InProgress")
      #expect(await first.value == nil)
      #expect(await bench.failure(StackBench.board(0, on: 0), StackFaces.board, "Connect") == "org.bluez.Error.AlreadyConnected")
      try await bench.call(StackBench.board(0, on: 0), StackFaces.board, "Disconnect")
      // `Connected` is false, the link is not down yet (bluez.md §4).
      #expect(await bench.failure(StackBench.board(0, on: 0), StackFaces.board, "Connect") == "org.bluez.Error.Failed")
      #expect(await bench.host.conduct.overlappingConnects == 1)
    }
  }

  @Test(.timeLimit(.minutes(1))) func aConnectWithoutABoardIsCancelledByDisconnect() async throws {
    let gone = LineScript(boards: [.init(board: .number(0), faults: [BoardFault(.neverReturn)])])
    try await StackBench.with(scale: 1, script: gone) { bench in
      try await bench.find(0, on: 0)
      await bench.host.silence(0)
      let pending = Task { await bench.failure(StackBench.board(0, on: 0), StackFaces.board, "Connect") }
      while await bench.host.adapters[0].attempt == nil { await Task.yield() }
      try await bench.call(StackBench.board(0, on: 0), StackFaces.board, "Disconnect")
      #expect(await pending.value == "org.bluez.Error.Failed")
    }
  }

  @Test(.timeLimit(.minutes(1))) func whatAVanishedClientHadEndsWithIt() async throws {
    try await StackBench.with { bench in
      let other = try await DBusConnection.open(bench.bus.address, on: bench.reactor)
      try await bench.find(0, on: 0)
      try await bench.call(StackBench.board(0, on: 0), StackFaces.board, "Connect", as: other)
      try await bench.call("/org/bluez/hci1", StackFaces.adapter, "StartDiscovery", as: other)
      #expect(await bench.host.adapters[1].isDiscovering)
      let changes = try await bench.signals("PropertiesChanged")
      await other.close()
      _ = try #require(await changes.first { $0.path == StackBench.board(0, on: 0) && $0.arguments[1].properties?["Connected"]?.truth == false })
      #expect(await !bench.host.adapters[1].isDiscovering)
    }
  }

  @Test(.timeLimit(.minutes(1))) func anAdapterIsPulledOutInTheMiddleAndComesBack() async throws {
    let fault = LineFault(do: .unplug, adapter: 0, when: .init(board: 0, connections: 1), milliseconds: 50)
    try await StackBench.with(script: LineScript(line: [fault])) { bench in
      let (added, removed) = (try await bench.signals("InterfacesAdded"), try await bench.signals("InterfacesRemoved"))
      try await bench.find(0, on: 0)
      _ = await bench.failure(StackBench.board(0, on: 0), StackFaces.board, "Connect")
      _ = try #require(await removed.first { $0.arguments.first?.text == "/org/bluez/hci0" })
      _ = try #require(await added.first { $0.arguments.first?.text == "/org/bluez/hci0" })
      #expect(try await bench.objects().keys.sorted() == ["/org/bluez/hci0", "/org/bluez/hci1"])
    }
  }

  @Test(
    "An ill adapter starts no discovery until its remedy is tried, and no other one helps", .timeLimit(.minutes(1)),
    arguments: [LineFault.Remedy.stopDiscovery, .powerCycle])
  func anIllAdapter(_ remedy: LineFault.Remedy) async throws {
    let fault = LineFault(do: .fallIll, adapter: 0, when: .init(board: 0, connections: 1), healedBy: remedy)
    try await StackBench.with(script: LineScript(line: [fault])) { bench in
      let adapter = "/org/bluez/hci0"
      try await bench.connect(0, on: 0)
      #expect(await bench.failure(adapter, StackFaces.adapter, "StartDiscovery") == "org.bluez.Error.Failed")
      // There is none to stop, and still it is tried.
      #expect(await bench.failure(adapter, StackFaces.adapter, "StopDiscovery") == "org.bluez.Error.Failed")
      let after = await bench.failure(adapter, StackFaces.adapter, "StartDiscovery")
      #expect(after == (remedy == .stopDiscovery ? nil : "org.bluez.Error.Failed"))
      for isOn in [false, true] {
        let arguments: [DBusValue] = [.string(StackFaces.adapter), .string("Powered"), .variant(.bool(isOn))]
        try await bench.call(adapter, StackFaces.properties, "Set", arguments)
      }
      #expect(await bench.failure(adapter, StackFaces.adapter, "StartDiscovery") == nil)
    }
  }

  @Test(.timeLimit(.minutes(1))) func aBoardVanishesWhenAConnectionIsAskedFor() async throws {
    let script = LineScript(boards: [.init(board: .number(0), faults: [BoardFault(.vanish)])])
    try await StackBench.with(script: script) { bench in
      try await bench.find(0, on: 0)
      #expect(await bench.failure(StackBench.board(0, on: 0), StackFaces.board, "Connect") == "org.bluez.Error.Failed")
      let truth = await bench.host.truth().boards[0]
      #expect(!truth.advertises && truth.connections == 0 && truth.faultsFired == ["vanish": 1])
    }
  }

  @Test(.timeLimit(.minutes(1))) func bluetoothdGoesAndComesBack() async throws {
    let fault = LineFault(do: .stackAway, when: .init(board: 0, connections: 1), milliseconds: 50)
    try await StackBench.with(script: LineScript(line: [fault])) { bench in
      let (owners, continuation) = AsyncStream.makeStream(of: String?.self)
      try await bench.client.observeOwner(of: "org.bluez", limit: StackBench.limit) { continuation.yield($0) }
      var seen = owners.makeAsyncIterator()
      let first = try #require(await seen.next() ?? nil)
      try await bench.find(0, on: 0)
      _ = await bench.failure(StackBench.board(0, on: 0), StackFaces.board, "Connect")
      #expect(await seen.next() == .some(nil))
      let second = try #require(await seen.next() ?? nil)
      #expect(second != first)
      // It remembers adapters, and no board.
      #expect(try await bench.objects().keys.sorted() == ["/org/bluez/hci0", "/org/bluez/hci1"])
    }
  }

  @Test(.timeLimit(.minutes(1))) func anUploadAndAResetAreSeenInTheTruth() async throws {
    try await StackBench.with { bench in
      try await bench.connect(1, on: 1)
      let channel = try await bench.channel(1, on: 1)
      let file = VirtualFirmware.make(version: ImageVersion(major: 3, minor: 1, revision: 4), size: 20_000)
      var offset = 0
      while offset < file.count {
        let chunk = Array(file[offset..<min(offset + 2400, file.count)])
        let packet = Hand.upload(offset, chunk, length: offset == 0 ? file.count : nil)
        for start in stride(from: 0, to: packet.count, by: 495) {
          #expect(StackBench.transmit(Array(packet[start..<min(start + 495, packet.count)]), to: channel.writer))
        }
        let answer = try #require(try await StackBench.receive(channel.reader))
        offset += chunk.count
        #expect(hex(answer).contains("636f6666" + hex(Hand.number(offset))))
      }
      let hash = StoredImage(file)?.hash ?? []
      #expect(StackBench.transmit(request(2, group: 1, command: 0, Hand.map([("hash", Hand.data(hash)), ("confirm", [0xF5])])), to: channel.writer))
      _ = try await StackBench.receive(channel.reader)
      #expect(StackBench.transmit(request(2, group: 0, command: 5, [0xA0]), to: channel.writer))
      _ = try await StackBench.receive(channel.reader)
      // The board resets; the central learns it by its supervision timeout.
      #expect(try await StackBench.receive(channel.reader) == nil)
      try await bench.connect(1, on: 1)
      let truth = await bench.host.truth().boards[1]
      #expect(truth.version == "3.1.4")
      #expect(truth.hash == hex(hash))
      #expect(truth.confirmed)
      #expect(truth.bytesReceived == file.count)
      #expect(truth.boots == [.permanentSwap])
      #expect(truth.connections == 2)
      let revision = try await bench.call(StackBench.board(1, on: 1) + "/service000a/char0013", StackFaces.characteristic, "ReadValue", [StackBench.noOptions])
      #expect(revision.first?.octets == Array("3.1.4".utf8))
    }
  }
}

extension LineHost {
  /// Takes a board out of the air for good.
  func silence(_ number: Int) {
    perform([.wake(.zero, .init(kind: .reset, epoch: 0))], number)
  }
}
