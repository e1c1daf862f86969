import DBus
import Reactor
import Testing

@testable import VirtualLine

/// A bare-metal board on the `org.bluez` service; the frames are those of device-manager.md §9.
struct LoaderLineTests {
  private static let path = "/org/bluez/hci0/dev_C0_DE_40_00_00_01"

  @Test(.timeLimit(.minutes(1))) func theLoaderIsAnObjectOfItsOwn() async throws {
    var settings = SMPKind.loader.settings
    // So that the answer leaves before the board does, at a twentieth of the times.
    settings.resetMilliseconds = 5000
    let script = LineScript(boards: [.init(board: .number(0), settings: settings)])
    try await StackBench.with(adapters: 1, boards: 1, script: script) { bench in
      try await bench.connect(0, on: 0)
      let (writer, reader, _) = try await bench.channel(0, on: 0)
      for (request, answer) in [
        ("0A00002600030800A2646E616D657266775F6C6F616465722F6164765F6E616D656376616C48464C5F3031323334", "0b00000200030800bfff"),
        ("0A00000100030903A0", "0b00000200030903bfff"), ("0A00000C00000305A169626F6F745F6D6F646501", "0b00000200000305bfff"),
      ] {
        #expect(StackBench.transmit(bytes(request), to: writer))
        #expect(try await StackBench.receive(reader).map { hex($0) } == answer)
      }
      let added = try await bench.signals("InterfacesAdded")
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "StartDiscovery")
      let found = try #require(await added.first { $0.arguments.first?.text == Self.path })
      let values = try #require(found.arguments.last?.entries?.first?.value.properties)
      #expect(values["Name"]?.text == "FL_01234")
      #expect(values["UUIDs"]?.elements?.compactMap(\.text) == ["8d53dc1d-1db7-4cd3-868b-8a527460aa84"])
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "StopDiscovery")
      #expect(try await bench.objects()[StackBench.board(0, on: 0)] == nil, "the application's object is gone")
      let truth = try #require(await bench.host.truth().boards.first)
      #expect(truth.mode == "loader" && truth.address == "C0:DE:00:00:00:01" && truth.loader?.address == "C0:DE:40:00:00:01")
    }
  }
}
