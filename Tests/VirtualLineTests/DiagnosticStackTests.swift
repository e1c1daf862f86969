import DBus
import Reactor
import Testing

@testable import VirtualLine

/// Boards with diagnostics behind the `org.bluez` service: two notifying characteristics, write requests, long values, pairing (smp.md §8, bluez.md §1).
struct DiagnosticStackTests {
  private static func script(_ change: (inout DiagnosticSettings) -> Void) -> LineScript {
    var settings = BoardSettings()
    settings.mtu = 65
    var diagnostics = DiagnosticSettings()
    change(&diagnostics)
    settings.mds = diagnostics
    return LineScript(boards: [.init(board: .number(0), settings: settings)])
  }

  private static let service = StackBench.board(0, on: 0) + "/service0040"
  private static let export = service + "/char004d"
  private static let request = DBusValue.properties(["type": .string("request")])

  private func read(_ bench: StackBench, _ path: String) async throws -> [UInt8]? {
    try await bench.call(path, StackFaces.characteristic, "ReadValue", [StackBench.noOptions]).first?.octets
  }

  private func ask(_ bench: StackBench, _ value: [UInt8]) async -> String? {
    do throws(DBusError) {
      try await bench.call(Self.export, StackFaces.characteristic, "WriteValue", [.bytes(value), Self.request])
      return nil
    } catch {
      guard case .remote(_, let message) = error else { return "\(error)" }
      return message
    }
  }

  @Test(.timeLimit(.minutes(1))) func chunksComeBesideSMP() async throws {
    let key = "Memfault-Project-Key:" + String(repeating: "k", count: 100)
    let script = Self.script {
      $0.chunks = ["a1", "b2b2", "c3"]
      $0.authorization = key
    }
    try await StackBench.with(script: script) { bench in
      try await bench.connect(0, on: 0)
      #expect(try await bench.objects()[Self.export]?["UUID"]?.text == "54220005-f6a5-4007-a371-722f4ebd8436")
      // Longer than an MTU of 65.
      #expect(try await read(bench, Self.service + "/char004a") == Array(key.utf8))
      #expect(await ask(bench, [1]) == "Operation failed with ATT error: 0x81")
      let smp = try await bench.channel(0, on: 0)
      let opened = try await bench.call(Self.export, StackFaces.characteristic, "AcquireNotify", [StackBench.noOptions])
      let reader = try #require(opened.first?.openDescriptor)
      #expect(opened.last?.integer == 65)
      #expect(await ask(bench, [2]) == "Operation failed with ATT error: 0xff")
      #expect(await ask(bench, [1, 1]) == "Operation failed with ATT error: 0x0d")
      #expect(await ask(bench, [1]) == nil)
      // smp.md §1.1, echo "hello".
      #expect(StackBench.transmit(bytes("0a00000900000100a161646568656c6c6f"), to: smp.writer))
      for golden in ["00a1", "01b2b2", "02c3"] { #expect(try await StackBench.receive(reader) == bytes(golden)) }
      #expect(try await StackBench.receive(smp.reader) == bytes("0b00000a00000100bf61726568656c6c6fff"))
      let values = try await bench.objects()
      #expect(values[Self.export]?["NotifyAcquired"]?.truth == true)
      reader.close()
      while await bench.host.truth().boards[0].mds?.subscribed == true { await Task.yield() }
      #expect(await ask(bench, [1]) == "Operation failed with ATT error: 0x81")
      let truth = try #require(await bench.host.truth().boards[0].mds)
      #expect(truth.sent == 3 && truth.delivered == 3 && truth.refusals == ["81": 2, "ff": 1, "0d": 1])
    }
  }

  @Test(.timeLimit(.minutes(1))) func chunksComeAsSignalsToo() async throws {
    try await StackBench.with(script: Self.script { $0.chunks = ["a1"] }) { bench in
      try await bench.connect(0, on: 0)
      let changes = try await bench.signals("PropertiesChanged")
      try await bench.call(Self.export, StackFaces.characteristic, "StartNotify")
      #expect(await bench.failure(Self.export, StackFaces.characteristic, "StartNotify") == "org.bluez.Error.InProgress")
      // The other characteristic's notifications are their own affair.
      try await bench.call(StackBench.board(0, on: 0) + "/service0020/char0021", StackFaces.characteristic, "StartNotify")
      #expect(await ask(bench, [1]) == nil)
      let value = try #require(await changes.first { $0.arguments[1].properties?["Value"] != nil })
      #expect(value.path == Self.export && value.arguments[1].properties?["Value"]?.octets == [0x00, 0xA1])
      try await bench.call(Self.export, StackFaces.characteristic, "StopNotify")
      #expect(await ask(bench, [1]) == "Operation failed with ATT error: 0x81")
    }
  }

  @Test(.timeLimit(.minutes(1))) func anEncryptedServiceAsksForABondThatLasts() async throws {
    try await StackBench.with(script: Self.script { $0.isEncrypted = true }) { bench in
      try await bench.connect(0, on: 0)
      let board = StackBench.board(0, on: 0)
      let id = Self.service + "/char0044"
      #expect(await bench.failure(id, StackFaces.characteristic, "ReadValue", [StackBench.noOptions]) == "org.bluez.Error.Failed")
      #expect(await bench.failure(Self.export, StackFaces.characteristic, "AcquireNotify", [StackBench.noOptions]) == "org.bluez.Error.Failed")
      try await bench.call("/org/bluez", StackFaces.agents, "RegisterAgent", [.objectPath("/agent"), .string("NoInputNoOutput")])
      try await bench.call(board, StackFaces.board, "Pair")
      #expect(await bench.failure(board, StackFaces.board, "Pair") == "org.bluez.Error.AlreadyExists")
      #expect(try await read(bench, id) == Array("VL1-0001".utf8))
      #expect(try await bench.objects()[board]?["Paired"]?.truth == true)
      try await bench.call(board, StackFaces.board, "Disconnect")
      while await bench.host.gaps[0] != nil { await bench.reactor.sleep(.milliseconds(5)) }
      try await bench.connect(0, on: 0)
      #expect(try await read(bench, id) == Array("VL1-0001".utf8))
      // Removed, the bond is gone.
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "RemoveDevice", [.objectPath(board)])
      while await bench.host.gaps[0] != nil { await bench.reactor.sleep(.milliseconds(5)) }
      try await bench.connect(0, on: 0)
      #expect(await bench.failure(id, StackFaces.characteristic, "ReadValue", [StackBench.noOptions]) == "org.bluez.Error.Failed")
      // A board without diagnostics refuses to be paired.
      try await bench.connect(1, on: 1)
      #expect(await bench.failure(StackBench.board(1, on: 1), StackFaces.board, "Pair") == "org.bluez.Error.AuthenticationFailed")
    }
  }
}
