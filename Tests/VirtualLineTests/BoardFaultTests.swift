import Bluetooth
import Firmware
import Testing

@testable import VirtualLine

/// Each scripted fault does what its name says, where the script says, and no more.
struct BoardFaultTests {
  private static let file = VirtualFirmware.make(version: ImageVersion(major: 2, minor: 0, revision: 0), size: 1500)
  private static let params = bytes("0800000100004206A0")

  private func bench(_ faults: BoardFault...) -> BoardBench {
    var bench = BoardBench(faults: faults)
    _ = bench.connect()
    return bench
  }

  @Test(arguments: [(BoardFault.Action.dropLink, LinkEnd.lost), (.closeLink, .closed)])
  func theLinkGoesAtAByte(_ action: BoardFault.Action, _ end: LinkEnd) {
    var bench = bench(BoardFault(action, offset: 1000))
    bench.upload(Self.file, chunk: 300, sha: [9])
    #expect(bench.ended == [end])
    // The chunk that reached past byte 1000 went with the link.
    #expect(bench.board.images.bytesReceived == 900)
    #expect(bench.board.advertises)
    _ = bench.connect()
    #expect(hex(bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count, sha: [9])).flatMap { $0 }).hasSuffix("190384ff"))
  }

  @Test func theAnswerAloneMayBeLostWithTheLink() {
    var fault = BoardFault(.closeLink, offset: 1000)
    fault.stored = true
    var bench = bench(fault)
    bench.upload(Self.file, chunk: 300, sha: [9])
    #expect(bench.board.images.bytesReceived == 1200)
  }

  @Test func answersAreLostDoubledDelayedAndOvertaken() {
    var lost = bench(BoardFault(.loseAnswer, count: 2))
    #expect([lost.ask(Self.params).count, lost.ask(Self.params).count, lost.ask(Self.params).count] == [1, 0, 1])

    var doubled = bench(BoardFault(.duplicateAnswer, times: 2))
    #expect([doubled.ask(Self.params).count, doubled.ask(Self.params).count, doubled.ask(Self.params).count] == [2, 2, 1])

    var delayed = bench(BoardFault(.delayAnswer))
    #expect(delayed.ask(Self.params).isEmpty)
    delayed.run(for: .seconds(1))
    #expect(delayed.notified.count == 1)

    var overtaken = bench(BoardFault(.reorderAnswer))
    #expect(overtaken.ask(Self.params).isEmpty)
    #expect(overtaken.ask(bytes("0800000100004306A0")).map { $0[6] } == [0x43, 0x42])

    var stray = bench(BoardFault(.strayAnswer))
    #expect(stray.ask(Self.params).map { $0[6] } == [0x42 + 100, 0x42])
  }

  @Test func refusals() {
    var busy = bench(BoardFault(.busy))
    #expect(busy.ask(Self.params).first?.suffix(6) == bytes("bf6272630aff")[...])
    #expect(busy.ask(Self.params).first?.count == 33)
    var full = bench(BoardFault(.noMemory, count: 2))
    #expect(full.ask(Self.params).first?.count == 33)
    #expect(full.ask(Self.params).first?.suffix(6) == bytes("bf62726302ff")[...])
    var refuse = BoardFault(.refuse, group: 1)
    refuse.groupCode = 13
    var erase = bench(refuse)
    #expect(erase.ask(Self.params).first?.count == 33)
    #expect(erase.ask(request(2, group: 1, command: 5, [0xA0])).first?.suffix(5) == bytes("7263 0d ffff")[...])
  }

  @Test func silenceLastsUntilTheNextLink() {
    var bench = bench(BoardFault(.silent, count: 2))
    #expect([bench.ask(Self.params).count, bench.ask(Self.params).count, bench.ask(Self.params).count] == [1, 0, 0])
    bench.board.disconnected()
    _ = bench.connect()
    #expect(bench.ask(Self.params).count == 1)
  }

  @Test func connectionsAreRefusedOrSmall() {
    var refusing = BoardBench(faults: [BoardFault(.refuseConnect, times: 2)])
    #expect(refusing.board.connect() == nil)
    #expect(refusing.board.connect() == nil)
    #expect(refusing.board.connect() == 498)
    var small = BoardBench(faults: [BoardFault(.smallMTU)])
    #expect(small.board.connect() == 23)
  }

  @Test func aRebootInTheMiddleLosesTheSession() {
    var bench = bench(BoardFault(.reboot, offset: 1000))
    bench.upload(Self.file, chunk: 300, sha: [9])
    bench.run()
    #expect(bench.ended == [.lost])
    #expect(bench.board.boots == [.none])
    _ = bench.connect()
    #expect(hex(bench.ask(Hand.upload(900, Array(Self.file[900..<1200]))).flatMap { $0 }).hasSuffix("6f666600ff"))
  }

  @Test func endsOfAReset() {
    var reverting = bench(BoardFault(.imageReverts))
    reverting.upload(Self.file)
    _ = reverting.setState(StoredImage(Self.file)?.hash, confirm: false)
    reverting.reset()
    #expect(reverting.slots == ["1.0.0 bca", "2.0.0 b"])
    #expect(reverting.board.boots == [.crashedAndReverted])

    var lost = bench(BoardFault(.neverReturn))
    lost.reset()
    #expect(!lost.board.advertises && !lost.board.isConnected)

    var fault = BoardFault(.otherFirmware)
    fault.version = "7.7.7"
    var other = bench(fault)
    other.reset()
    #expect(other.slots.first == "7.7.7 bca")
    #expect(other.board.read(.firmwareRevision) == Array("7.7.7".utf8))
  }

  @Test func aResetComesEvenIfTheCentralLeavesBeforeIt() {
    var bench = bench()
    bench.write(request(2, group: 0, command: 5, [0xA0]))
    bench.run(for: .milliseconds(100))
    bench.board.disconnected()
    #expect(bench.board.boots.isEmpty)
    bench.run(for: .seconds(5))
    #expect(bench.board.boots == [.none])
    #expect(bench.board.advertises)
  }

  @Test func slowFlashAndSlowBoot() {
    var slow = BoardFault(.slowErase)
    slow.milliseconds = 30_000
    var bench = bench(slow)
    #expect(bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count), within: .seconds(29)).isEmpty)
    bench.run(for: .seconds(2))
    #expect(bench.notified.count == 1)

    var boot = BoardFault(.slowBoot)
    boot.milliseconds = 20_000
    var booting = self.bench(boot)
    booting.write(request(2, group: 0, command: 5, [0xA0]))
    booting.run(for: .seconds(19))
    #expect(!booting.board.advertises)
    booting.run(for: .seconds(3))
    #expect(booting.board.advertises)
  }

  @Test func whatFiredIsKept() {
    var bench = bench(BoardFault(.loseAnswer, times: 0), BoardFault(.busy))
    for _ in 0..<3 { _ = bench.ask(Self.params) }
    #expect(bench.board.faults.fired == ["loseAnswer": 3, "busy": 1])
  }
}
