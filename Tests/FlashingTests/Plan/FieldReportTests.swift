import Firmware
import LineFixture
import SMP
import Testing
import VirtualLine

@testable import Flashing

/// Rows of facts/field-reports.md that concern the plan and its session: what went wrong for people, and what happens here.
@Suite struct FieldReportTests {
  @Test("field report 9: slot 1 is pending with another image: it is erased, then ours goes there")
  func pendingSlot() async throws {
    let bench = SessionBench([BoardFault(.refuse, times: 4, group: 0, command: 5)], mode: .confirmOnly, image: LineImages.make(1, 5))
    bench.order.images[0].version = "1.5.0"
    _ = try await bench.run()
    bench.order = SessionBench.order(LineImages.make(1, 6), version: "1.6.0", mode: .testAndConfirm)
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.board.version == "1.6.0")
  }

  @Test("field report 9: a board that takes no image at all ends with a named error")
  func noSlot() async throws {
    // Image error 9: no free slot.
    let bench = SessionBench([BoardFault(.refuse, times: 0, group: 1, command: 1).with { $0.groupCode = 9 }])
    let record = try await bench.run()
    #expect(record.outcome == .failed)
    #expect(record.failureCode == .imageNoSlot)
    #expect(record.failureMessage?.contains("no slot is free") == true)
  }

  @Test("field report 10: an image that stays pending while the old one runs fails as not swapped")
  func neverSwapped() {
    typealias Board = ModelBoard
    var board = Board(.swap, [UpdatePlanTableTests.old])
    var marked: [ImageSlot] = []
    let end = board.run(UpdatePlanTableTests.one, .testAndConfirm) { step, board in
      if case .markForTest = step { marked = board.slots }
      if case .reset = step { board.slots = marked }
    }
    #expect(end == "upload test reset reset: failed verify.not_swapped")
  }

  @Test("field report 10: a board that does not come back within the limit fails by time, with nothing pretended")
  func neverBack() async throws {
    let bench = SessionBench([BoardFault(.neverReturn)])
    let record = try await bench.run()
    #expect(record.outcome == .timeout)
    #expect(record.failureCode == .verifyNeverReturned)
    #expect(!record.good)
  }

  @Test("field report 12: the MTU stays 23: with reassembly the upload works, without it the error says why")
  func smallestMTU() async throws {
    let joining = SessionBench { $0.mtu = 23 }
    #expect(try await joining.run().outcome == .passed)
    let plain = SessionBench {
      $0.mtu = 23
      $0.reassembly = false
    }
    let record = try await plain.run()
    #expect(record.failureCode == .linkMTU)
    #expect(plain.board.writes.isEmpty)
  }

  @Test("field report 13: the first chunk waits 39 s for an erase, and only the first")
  func slowErase() async throws {
    let bench = SessionBench([BoardFault(.slowErase).with { $0.milliseconds = 39_000 }])
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries == 0)
    let later = SessionBench([BoardFault(.delayAnswer, count: 5, group: 1, command: 1).with { $0.milliseconds = 39_000 }]) { $0.bufferCount = 2 }
    let other = try await later.run()
    #expect(other.outcome == .passed)
    #expect(other.retries > 0, "a later chunk is sent again long before")
  }

  @Test("field report 14: a swap that takes longer than was estimated is no failure; swap_timeout decides")
  func longSwap() async throws {
    let bench = SessionBench([BoardFault(.slowBoot).with { $0.milliseconds = 25_000 }])
    bench.order.estimatedSwapTime = .seconds(1)
    #expect(try await bench.run().outcome == .passed)
    let longer = SessionBench([BoardFault(.slowBoot).with { $0.milliseconds = 45_000 }])
    longer.order.estimatedSwapTime = .seconds(60)
    #expect(try await longer.run().failureCode == .verifyNeverReturned)
  }

  @Test("field report 14: a board that is back sooner is not waited for")
  func shortSwap() async throws {
    let bench = SessionBench()
    bench.order.estimatedSwapTime = .seconds(120)
    let record = try await bench.run()
    #expect(record.outcome == .passed)
    #expect(record.duration.map { $0 < 60 } == true)
  }

  @Test("field report 19: an image list without false flags")
  func frugal() async throws {
    let bench = SessionBench { $0.frugal = true }
    let record = try await bench.run()
    #expect(record.outcome == .passed)
    #expect(record.imageState == .confirmed)
  }

  @Test("field report 19: an image list without hashes fails with a named error, and nothing is taken for read back", arguments: UpgradeMode.allCases)
  func noHashes(_ mode: UpgradeMode) {
    var plan = UpdatePlan(target: .init(hash: ModelBoard.wanted(), version: "2.0.0", mode: mode), bootloader: .swap)
    let running = ModelBoard.slot(0, nil, "ac")
    #expect(plan.next([running]) == .upload(0))
    plan.beganUpload()
    plan.executed(.upload(0))
    guard case .failed(.verifyNotStored, _) = plan.next([running, ModelBoard.slot(1, nil, "", version: "2.0.0")]) else {
      Issue.record("an image without a hash was taken for ours")
      return
    }
  }

  @Test("field report 21: the same image runs already: skipped, nothing written, recorded", arguments: UpgradeMode.allCases)
  func sameImage(_ mode: UpgradeMode) async throws {
    let bench = SessionBench(mode: mode, running: LineImages.new)
    let record = try await bench.run()
    #expect(record.outcome == .skipped)
    #expect(record.good)
    #expect(record.leftAs == .untouched)
    #expect(record.imageHashAfter == record.imageHash || record.imageHashAfter == LineImages.hash(LineImages.new).hex)
    #expect(bench.board.writes.isEmpty)
  }

  @Test("field report 22: every answer said yes, and the old image runs: failed")
  func saidYes() async throws {
    let bench = SessionBench([BoardFault(.spoilImage)]) { $0.imageCheck = false }
    let record = try await bench.run()
    #expect(record.outcome == .failed)
    #expect(record.failureCode == .verifyNotSwapped)
  }

  @Test("field report 22: the answers were lost, and the new image runs: passed", arguments: [(UInt16(0), UInt8(5)), (1, 1)])
  func saidNothing(_ group: UInt16, _ command: UInt8) async throws {
    let bench = SessionBench([BoardFault(.loseAnswer, group: group, command: command)])
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.board.version == "1.1.0")
  }
}
