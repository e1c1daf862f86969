import Bluetooth
import LineFixture
import SMP
import Testing
import VirtualLine

@testable import Flashing

/// Each [R] of facts/device-manager.md §§1 and 5: a defect read in the source of Nordic's library, and what happens here instead.
@Suite struct OriginalsDefectTests {
  typealias Board = ModelBoard
  static let one = UpdatePlanTableTests.one
  static let two = UpdatePlanTableTests.two
  static let old = UpdatePlanTableTests.old

  // MARK: §1.3, what the board has already

  @Test("R §1.3 rule 3: a build of Direct-XIP with revert that was only uploaded is still marked and confirmed, not dropped as already there")
  func uploadedAlternative() {
    var board = Board(.directXIP(reverts: true), [Self.old, Board.slot(1, Board.wanted(slot: 1), "", version: "2.0.0")])
    #expect(board.run(UpdatePlanTableTests.builds, .testAndConfirm) == "test1 reset confirm1: passed confirmed")
  }

  @Test("R §1.3 rule 4: nobody else's image is ever confirmed, whatever its marks", arguments: ["", "p", "P", "c"], UpgradeMode.allCases)
  func foreignIsNeverConfirmed(_ flags: String, _ mode: UpgradeMode) {
    let isTrial = flags == "c"
    let slots = isTrial ? [Board.slot(0, Board.foreign, "a"), Board.slot(1, Board.old, "c")] : [Self.old, Board.slot(1, Board.foreign, flags)]
    var board = Board(.swap, slots)
    let end = board.run(Self.one, mode) { step, board in
      let foreign = board.slots.first { $0.hash == Board.foreign }
      #expect(foreign?.confirmed != true, "after \(step)")
    }
    #expect(end.contains("passed"))
  }

  @Test("R §1.3 rule 5: where a reset has to come first, nothing is uploaded before the board was read again")
  func stopsAtTheReset() async throws {
    let bench = SessionBench(mode: .testOnly, image: LineImages.make(1, 5))
    bench.order.images[0].version = "1.5.0"
    _ = try await bench.run()
    let before = bench.board.requests.count
    bench.order = SessionBench.order(LineImages.make(1, 6), version: "1.6.0", mode: .testAndConfirm)
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    let later = bench.board.requests.dropFirst(before)
    let reset = try #require(later.firstIndex { $0.isWrite && $0.group == 0 && $0.command == 5 })
    let upload = try #require(later.firstIndex { $0.isWrite && $0.group == 1 && $0.command == 1 })
    let list = try #require(later[reset...].firstIndex { !$0.isWrite && $0.group == 1 && $0.command == 0 })
    #expect(reset < list && list < upload)
  }

  @Test("R §1.3 rule 6: where there is nothing to do nothing happens, and no reset", arguments: UpgradeMode.allCases)
  func nothingToDo(_ mode: UpgradeMode) async throws {
    let bench = SessionBench(mode: mode, running: LineImages.new)
    let record = try await bench.run()
    #expect(record.outcome == .skipped)
    #expect(bench.board.writes.isEmpty)
  }

  // MARK: §1.5, after the upload

  @Test("R §1.5 bare metal: one reset out of the loader, not two")
  func oneReset() {
    var board = Board(.firmwareLoader, [Self.old])
    var resets = 0
    _ = board.run(Self.one, .confirmOnly) { step, _ in if case .reset = step { resets += 1 } }
    #expect(resets == 1)
  }

  @Test("R §1.5 testOnly: an image that was pending already is not success before the reset")
  func pendingForTestOnly() {
    var board = Board(.swap, [Self.old, Board.slot(1, Board.wanted(), "p", version: "2.0.0")])
    #expect(board.run(Self.one, .testOnly) == "reset: passed testing")
  }

  @Test("R §1.5 testAndConfirm: an image that is only pending runs before it is confirmed")
  func pendingForTestAndConfirm() {
    var board = Board(.swap, [Self.old, Board.slot(1, Board.wanted(), "p", version: "2.0.0")])
    #expect(board.run(Self.one, .testAndConfirm) == "reset confirm: passed confirmed")
  }

  @Test("R §1.5 after the reset: an image that is not listed any more fails, it does not disappear from the package", arguments: [0, 1])
  func disappears(_ number: Int) {
    var board = Board(.swap, [Self.old, UpdatePlanTableTests.oldOne])
    let end = board.run(Self.two, .testAndConfirm) { step, board in
      if case .reset = step { board.slots.removeAll { $0.image == number } }
    }
    #expect(end == "upload0 upload1 test0 test1 reset: failed verify.other_firmware")
  }

  @Test("R §1.5 after the reset: one of two that did not run fails the board, and the other is not confirmed")
  func oneOfTwo() {
    var board = Board(.swap, [Self.old, UpdatePlanTableTests.oldOne])
    let end = board.run(Self.two, .testAndConfirm) { step, board in
      guard case .reset = step else { return }
      board.slots.removeAll { $0.image == 1 }
      board.slots += [UpdatePlanTableTests.oldOne, Board.slot(1, Board.wanted(1), "", image: 1, version: "2.0.0")]
    }
    #expect(end == "upload0 upload1 test0 test1 reset: failed verify.reverted")
    #expect(board.slots.contains { $0.image == 0 && $0.active && !$0.confirmed })
  }

  // MARK: §1.6, reset

  @Test("R §1.6: waiting for the link to end has a limit, and a board that restarts later is read again")
  func lateReset() async throws {
    let bench = SessionBench { $0.resetMilliseconds = 15_000 }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureCode?.rawValue ?? ""): \(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.board.version == "1.1.0")
  }

  @Test("R §1.6: a reset whose answer was lost with the link is no failure")
  func lostResetAnswer() async throws {
    let bench = SessionBench([BoardFault(.loseAnswer, group: 0, command: 5)])
    let record = try await bench.run()
    #expect(record.outcome == .passed)
    #expect(record.retries == 0)
  }

  // MARK: §1.8, pause and cancel (more of them in Control/SessionPauseTests.swift)

  @Test("R §1.8: whatever a pause meets goes on afterwards, the questions about the bootloader and the erase of settings too", arguments: [1, 2, 3, 4])
  func pauses(_ nth: Int) async throws {
    let bench = SessionBench()
    bench.order.erasesSettings = true
    let work = bench.begin()
    // Each time it prepares: the questions at first, what follows an erase, the new firmware's list.
    try await bench.pump.turn(within: .seconds(60)) { bench.observer.phases.count >= 2 * nth }
    bench.control.pause()
    let end = bench.clock.now.sinceStart + .seconds(120)
    try await bench.pump.turn(within: .seconds(130)) { bench.clock.now.sinceStart >= end }
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(120))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.settingsErased == .yes)
  }

  @Test("R §1.8: after a pause in the upload nothing that was outstanding is still expected")
  func pausedUpload() async throws {
    let bench = SessionBench([BoardFault(.loseAnswer, count: 5, times: 2, group: 1, command: 1)])
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.board.uploads >= 6 }
    bench.control.pause()
    let end = bench.clock.now.sinceStart + .seconds(300)
    try await bench.pump.turn(within: .seconds(310)) { bench.clock.now.sinceStart >= end }
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(120))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.board.version == "1.1.0")
  }

  @Test("R §1.8: a cancel in a pause ends the attempt at once, in every step", arguments: [Phase.connect, .prepare, .upload, .test, .reset, .confirm])
  func cancelsInAPause(_ phase: Phase) async throws {
    let bench = SessionBench()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.observer.phases.contains(phase) }
    bench.control.pause()
    let end = bench.clock.now.sinceStart + .seconds(60)
    try await bench.pump.turn(within: .seconds(70)) { bench.clock.now.sinceStart >= end }
    bench.control.cancel()
    let record = try await bench.pump.finish(work, within: .seconds(5))
    #expect(record.outcome == .aborted)
    #expect(record.failureCode == .operatorStopped)
    #expect(!bench.board.isConnected)
  }

  // MARK: §5, the transport

  @Test("R §5.2: a return code that nobody knows is an error, not ok", arguments: [14, 99, 300])
  func unknownCode(_ code: Int) async throws {
    let bench = SessionBench([BoardFault(.refuse, times: 0, group: 1, command: 1).with { $0.code = code }])
    let record = try await bench.run()
    #expect(record.outcome == .failed)
    #expect(record.failureCode == .smpError, "\(record.failureMessage ?? "")")
    #expect(bench.board.version == "1.0.0")
  }

  @Test("R §5.4: an answer must fit its request in group, command and operation, not only in its sequence number")
  func strayAnswers() throws {
    var table = RequestTable()
    let (id, sequence) = try table.begin(ImageUploadRequest.self)
    let frame = { (group: SMPGroup, command: UInt8) in
      try SMPFrame(SMPHeader(version: .v2, operation: .writeResponse, group: group, sequence: sequence, command: command), payload: [0xA0])
    }
    for stray in [try frame(.os, 1), try frame(.image, 5)] {
      guard case .stray = table.receive(stray) else {
        Issue.record("taken for the answer")
        return
      }
    }
    guard case .answer(id, _) = table.receive(try frame(.image, 1)) else {
      Issue.record("not taken for the answer")
      return
    }
  }

  @Test("R §5.4: a fragment that was lost costs its own answer, not all that follow")
  func lostFragment() throws {
    var assembler = FrameAssembler()
    let answer = try SMPFrame(
      SMPHeader(version: .v2, operation: .readResponse, group: .image, sequence: 7, command: 0), payload: [0xA0] + Array(repeating: 0, count: 30))
    #expect(assembler.append(Array(answer.bytes.prefix(20))) == .incomplete)
    // The request times out, and its pieces are dropped (SMPSession.end).
    assembler.discardPartial()
    guard case .frame(let next) = assembler.append(answer.bytes) else {
      Issue.record("the next answer was glued to the broken one")
      return
    }
    #expect(next.header.sequence == 7)
  }

  @Test("R §5.6: answers in another order over the wrap from 255 to 0 are matched")
  func wrap() throws {
    var table = RequestTable(first: 254)
    let begun = try (0..<4).map { _ in try table.begin(ImageUploadRequest.self) }
    #expect(begun.map(\.sequence) == [254, 255, 0, 1])
    for (id, sequence) in [begun[2], begun[0], begun[3], begun[1]] {
      let header = SMPHeader(version: .v2, operation: .writeResponse, group: .image, sequence: sequence, command: 1)
      guard case .answer(id, _) = table.receive(try SMPFrame(header, payload: [0xA0])) else {
        Issue.record("sequence \(sequence) was not matched")
        return
      }
    }
  }

  @Test("R §5.6: an upload of 300 requests with answers in another order loses nothing")
  func reorderedUpload() async throws {
    let bench = SessionBench([BoardFault(.reorderAnswer, count: 250, times: 8, group: 1, command: 1)], image: LineImages.make(1, 1, size: 60_000))
    bench.order.reassemblyBufferSize = 220
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.board.uploads > 300)
  }
}
