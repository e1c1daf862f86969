import Testing

@testable import VirtualLine

/// Buffers, reassembly and fragments of a board. Source: smp.md §2.1.
struct BoardTransportTests {
  private func settings(_ change: (inout BoardSettings) -> Void) -> BoardSettings {
    var settings = BoardSettings()
    change(&settings)
    return settings
  }

  private func echo(_ count: Int, sequence: UInt8 = 1) -> [UInt8] {
    request(2, group: 0, command: 0, sequence: sequence, Hand.map([("d", Hand.text(String(repeating: "x", count: count)))]))
  }

  @Test(arguments: [1, 7, 20, 100, 494, 495])
  func aRequestMayComeInPieces(_ size: Int) {
    // The first piece must hold the header.
    var bench = BoardBench()
    _ = bench.connect()
    let packet = echo(900)
    let first = max(size, 8)
    bench.write(Array(packet[0..<first]))
    for start in stride(from: first, to: packet.count, by: size) { bench.write(Array(packet[start..<min(start + size, packet.count)])) }
    bench.run(for: .milliseconds(100))
    let answer = bench.notified.flatMap { $0 }
    #expect(answer.count == packet.count + 1)
    #expect(bench.notified.allSatisfy { $0.count <= 495 })
    #expect(bench.notified.count == 2)
  }

  @Test func aFirstPieceWithoutHeaderIsSilence() {
    var bench = BoardBench()
    _ = bench.connect()
    bench.write(Array(echo(100)[0..<7]))
    bench.run(for: .seconds(1))
    #expect(bench.notified.isEmpty)
    #expect(bench.board.droppedPackets == 1)
  }

  @Test func withoutReassemblyTheSecondPieceIsAStrayError() {
    // "packet of 614 B split 495+119 → first part dropped, second part parsed as a header" (buf 384).
    var bench = BoardBench(
      settings {
        $0.reassembly = false
        $0.bufferSize = 384
      })
    _ = bench.connect()
    let packet = echo(600)
    bench.write(Array(packet[0..<495]))
    bench.write(Array(packet[495...]))
    bench.run(for: .seconds(1))
    #expect(bench.notified.count == 1)
    #expect(bench.notified.first?.suffix(6) == bytes("bf62726309ff")[...])
  }

  @Test func oneByteTooManyIsSilence() {
    var bench = BoardBench(settings { $0.bufferSize = 384 })
    _ = bench.connect()
    // 8 header, 1 map, 2 "d", 3 text head, 371 text = 385.
    #expect(echo(371).count == 385)
    #expect(bench.ask(echo(371)).isEmpty)
    // "echo of a 384-byte packet into buf 384 → rc 7": the answer is a byte longer.
    #expect(bench.ask(echo(370)).flatMap { $0 }.suffix(6) == bytes("bf62726307ff")[...])
  }

  @Test func aHalfPacketPoisonsTheNextUntilTheLinkEnds() {
    var bench = BoardBench()
    _ = bench.connect()
    bench.write(Array(echo(100)[0..<50]))
    #expect(bench.ask(bytes("0800000100004206A0")).isEmpty)
    bench.board.disconnected()
    _ = bench.connect()
    #expect(bench.ask(bytes("0800000100004206A0")).count == 1)
  }

  @Test func aBurstBeyondTheBuffersIsDropped() {
    var bench = BoardBench(settings { $0.reassembly = false })
    _ = bench.connect()
    for sequence in 1...6 { bench.write(echo(10, sequence: UInt8(sequence))) }
    bench.run(for: .seconds(1))
    #expect(bench.board.droppedPackets == 2)
    #expect(bench.notified.count == 4)
  }

  @Test func aWindowOfOneLessThanTheBuffersFits() {
    var bench = BoardBench(settings { $0.reassembly = false })
    _ = bench.connect()
    for sequence in 1...3 { bench.write(echo(10, sequence: UInt8(sequence))) }
    bench.run(for: .seconds(1))
    #expect(bench.board.droppedPackets == 0)
    #expect(bench.notified.map { $0[6] } == [1, 2, 3])
    #expect(bench.notified.allSatisfy { $0[8...].prefix(3) == bytes("bf6172")[...] })
  }

  @Test func fragmentsMayBeShorterThanTheMTU() {
    var bench = BoardBench(settings { $0.fragment = 20 })
    _ = bench.connect()
    let pieces = bench.ask(bytes("0800000100010042a0".replacing("0042", with: "4200")))
    #expect(pieces.dropLast().allSatisfy { $0.count == 20 })
    #expect(pieces.count > 3)
  }

  @Test func withoutSubscriptionNothingIsAnswered() {
    var bench = BoardBench()
    _ = bench.connect()
    bench.board.subscribe(false)
    #expect(bench.ask(bytes("0800000100004206A0")).isEmpty)
  }

  @Test func oneLinkAtATime() {
    var bench = BoardBench()
    #expect(bench.board.advertises)
    #expect(bench.connect() == 498)
    #expect(!bench.board.advertises)
    #expect(bench.board.connect() == nil)
    bench.board.disconnected()
    #expect(bench.board.advertises)
  }
}
