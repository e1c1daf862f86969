import Bluetooth
import Firmware
import Testing

@testable import VirtualLine

/// Whatever bytes come, a board neither traps nor forgets how to answer, and its buffers come back.
struct BoardNoiseTests {
  /// A generator with a seed, so that a failure can be repeated (Lehmer 64, multiplier of L'Ecuyer 1999).
  private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
      state = state &* 0xDA94_2042_E4DD_58B5 &+ 1
      return Int(state >> 33) % sides
    }
  }

  private static let params = bytes("0800000100004206A0")

  @Test(arguments: [true, false])
  func randomPackets(_ reassembly: Bool) {
    var settings = BoardSettings()
    settings.reassembly = reassembly
    var dice = Dice(state: reassembly ? 1 : 2)
    for _ in 0..<300 {
      var bench = BoardBench(settings)
      _ = bench.connect()
      for _ in 0..<20 {
        var packet = (0..<(1 + dice.roll(40))).map { _ in UInt8(dice.roll(256)) }
        // Often a header that leads somewhere, with noise as its payload.
        if dice.roll(2) == 0 { packet = request(UInt8(dice.roll(4)), group: UInt8(dice.roll(3)), command: UInt8(dice.roll(9)), packet) }
        _ = bench.ask(packet)
      }
      bench.board.disconnected()
      bench.run(for: .seconds(30))
      #expect(bench.connect() == 498)
      #expect(bench.ask(Self.params).count == 1)
    }
  }

  @Test func everyPrefixOfARequestMap() {
    let map = Hand.map([("off", Hand.number(0)), ("data", Hand.data([1, 2, 3])), ("len", Hand.number(70_000)), ("x", [0x9F, 0xA1, 0x61, 0x61, 0xF6, 0xFF])])
    for count in 0...map.count {
      var bench = BoardBench()
      _ = bench.connect()
      let answer = bench.ask(request(2, group: 1, command: 1, Array(map.prefix(count)))).flatMap { $0 }
      // Cut maps are invalid (rc 3), none at all lacks the offset (20), the whole one is too short for an image (22).
      let code = count == 0 ? 20 : count == map.count ? 22 : 3
      #expect(answer.contains(UInt8(code)), "\(count) bytes")
    }
  }

  /// A nest as deep as the packet is long must not take the stack with it.
  @Test func deepNesting() {
    var bench = BoardBench()
    _ = bench.connect()
    let packet = request(0, group: 1, command: 0, [0xA1, 0x61, 0x61] + [UInt8](repeating: 0x81, count: 2400))
    for start in stride(from: 0, to: packet.count, by: 495) { bench.write(Array(packet[start..<min(start + 495, packet.count)])) }
    bench.run(for: .seconds(1))
    #expect(bench.notified.flatMap { $0 }.suffix(6) == bytes("bf62726303ff")[...])
  }

  /// A length that no packet can hold is refused, not allocated.
  @Test(arguments: ["bb ffffffffffffffff", "a1 5b ffffffffffffffff", "a1 61 61 9b ffffffffffffffff", "a1 61 61 5b 7fffffffffffffff"])
  func hugeLengths(_ map: String) {
    var bench = BoardBench()
    _ = bench.connect()
    #expect(bench.ask(request(0, group: 1, command: 0, bytes(map))).flatMap { $0 }.suffix(6) == bytes("bf62726303ff")[...])
  }

  @Test func imagesOfNoise() {
    var dice = Dice(state: 3)
    let good = VirtualFirmware.make(version: ImageVersion(major: 1, minor: 2, revision: 3), size: 64)
    for _ in 0..<2000 {
      var image = good
      for _ in 0..<(1 + dice.roll(4)) { image[4 + dice.roll(image.count - 4)] = UInt8(dice.roll(256)) }
      if dice.roll(3) == 0 { image.removeLast(dice.roll(image.count)) }
      if let stored = StoredImage(image) { #expect([32, 48, 64].contains(stored.hash.count)) }
    }
    // A protected area that is announced larger than the file, with a TLV area that fits.
    var announced = VirtualFirmware.make(version: ImageVersion(major: 1, minor: 0, revision: 0), size: 32)
    (announced[10], announced[11]) = (0xFF, 0xFF)
    announced[544] = 0x08
    announced[545] = 0x69
    #expect(StoredImage(announced) == nil)
    for count in 0..<good.count { #expect(StoredImage(Array(good.prefix(count))) == nil) }
    #expect(StoredImage(good)?.valid == true)
  }
}

/// bluetoothd's memory of one adapter as a value. Sources: bluez src/device.c (thresholds), bluez.md §1 and §4.
struct StackAdapterTests {
  private static let face = BoardFace(address: BluetoothAddress(bits: 0xC0DE_0000_0001), name: "a", services: [.simpleManagement])

  /// bluetoothd replaces a name but only adds services (metaboot.md §10, 1).
  @Test func aTurnedFaceIsTold() {
    var adapter = StackAdapter(number: 0)
    adapter.discoverers = ["a"]
    _ = adapter.heard(0, Self.face, rssi: -60, until: .seconds(30))
    let other = BoardFace(address: Self.face.address, name: "MetaBoot", services: [.legacyDFU])
    #expect(adapter.heard(0, other, rssi: -60, until: .seconds(30)) == .turned)
    #expect(adapter.boards[0]?.face.name == "MetaBoot")
    #expect(adapter.boards[0]?.face.services == [.simpleManagement, .legacyDFU])
    #expect(adapter.heard(0, other, rssi: -60, until: .seconds(30)) == nil)
  }

  @Test func strengthIsToldInStepsWithoutAFilter() {
    var adapter = StackAdapter(number: 0)
    adapter.discoverers = ["a"]
    #expect(adapter.heard(0, Self.face, rssi: -60, until: .seconds(30)) == .appeared)
    #expect(adapter.heard(0, Self.face, rssi: -67, until: .seconds(30)) == nil)
    #expect(adapter.heard(0, Self.face, rssi: -68, until: .seconds(30)) == .changed)
    adapter.filtering = ["a"]
    #expect(adapter.heard(0, Self.face, rssi: -67, until: .seconds(30)) == .changed)
    #expect(adapter.heard(0, Self.face, rssi: -67, until: .seconds(30)) == nil)
  }

  @Test func whoIsForgotten() {
    var adapter = StackAdapter(number: 5)
    for board in 0..<4 { _ = adapter.heard(board, Self.face, rssi: -60, until: .seconds(30)) }
    adapter.boards[1]?.link = .resolved
    adapter.attempt = .init(board: 2, ticket: 1)
    _ = adapter.heard(3, Self.face, rssi: -60, until: .seconds(40))
    #expect(adapter.expired(at: .seconds(29)) == [])
    #expect(adapter.expired(at: .seconds(30)) == [0])
    #expect(adapter.expired(at: .seconds(40)) == [0, 3])
    #expect(adapter.usbPath == "1-2.2")
  }
}
