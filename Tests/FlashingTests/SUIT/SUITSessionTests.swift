import LineFixture
import SMP
import Testing
import VirtualLine

@testable import Flashing

/// Whole attempts at virtual SUIT boards: what is recorded is what the board has.
@Suite struct SUITSessionTests {
  @Test func anEnvelopeIsInstalledAndReadBack() async throws {
    let bench = SUITBench()
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(record.imageState == .confirmed)
    #expect(record.verifiedBy == .imageHash)
    #expect(record.leftAs == .application)
    #expect(record.firmwareBefore == "3")
    #expect(record.firmwareAfter == "4")
    #expect(record.imageHashAfter == bench.digest)
    #expect(record.imageHashBefore != record.imageHashAfter)
    #expect(record.uploadBytes == bench.order.envelope.count)
    #expect(bench.truth?.installs == [4])
    #expect(bench.truth?.digest == bench.digest)
    #expect(bench.observer.phases == [.connect, .identify, .prepare, .upload, .reconnect, .verify, .detach])
    #expect(bench.central.violations.isEmpty)
    #expect(bench.asked(6) == 0)
  }

  @Test func twoResourcesAndACacheAreServed() async throws {
    let bench = SUITBench.full()
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.truth?.installs == [4])
    #expect(bench.truth?.resources == ["file://app.bin": 5000, "file://radio.bin": 3000])
    #expect(bench.truth?.caches.keys.sorted() == ["1"])
    let sent = bench.order.envelope.count + bench.order.caches[0].bytes.count + 8000
    #expect(record.uploadBytes == sent)
    #expect(bench.observer.progress.last == sent)
    #expect(record.retries == 0)
    // Put off by the envelope alone; a cache packet with the flag would be longer than the link carries.
    #expect(bench.board.requests.filter { $0.group == 66 && $0.command == 5 }.allSatisfy { !$0.bytes.contains(0x6D) || $0.bytes.count <= 512 })
  }

  @Test func installedAlreadyIsSkipped() async throws {
    let bench = SUITBench()
    _ = try await bench.run()
    let before = bench.board.writes.count
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .skipped)
    #expect(record.good)
    #expect(record.leftAs == .untouched)
    #expect(record.imageHashBefore == bench.digest)
    #expect(bench.board.writes.count == before)
    bench.wasWrittenBefore = true
    #expect(try await bench.run(attempt: 3).outcome == .passed)
  }

  @Test func anOlderPackageIsRefusedUnlessAllowed() async throws {
    let bench = SUITBench(sequence: 2)
    let refused = try await bench.run()
    #expect(refused.outcome == .refused)
    #expect(refused.failureCode == .policyDowngrade)
    #expect(refused.leftAs == .untouched)
    #expect(bench.board.writes.isEmpty)
    bench.order.allowsDowngrade = true
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.truth?.sequence == 2)
  }

  @Test func theBoardsOwnPolicyIsKept() async throws {
    let bench = SUITBench(sequence: 2) { $0.suit.forbidsDowngrade = true }
    bench.order.allowsDowngrade = true
    let record = try await bench.run()
    #expect(record.failureCode == .policyDowngrade)
    #expect(record.failureMessage?.contains("forbids") == true)
    #expect(bench.board.writes.isEmpty)
  }

  // MARK: what must not be a success

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var faults: [BoardFault]
    var code: FailureCode
    var words: String
    var testDescription: String { name }
  }

  static let failures = [
    Row(name: "never asks", faults: [BoardFault(.neverAsk)], code: .verifyNotInstalled, words: "still has sequence number 3 installed"),
    Row(
      name: "asks for what nobody has", faults: [BoardFault(.askOther)], code: .imageResourceMissing,
      words: "the board asks for file://nobody-has-this.bin, which the package does not hold"),
    Row(
      name: "asks for another scheme", faults: [BoardFault(.askOther).with { $0.uri = "raw://0E0AA000" }], code: .imageResourceMissing,
      words: "the board asks for raw://0E0AA000, which is no file of a package"),
    Row(name: "does not install", faults: [BoardFault(.refuseInstall)], code: .verifyNotInstalled, words: "the board took the package and still has"),
    Row(
      name: "does not install and does not answer", faults: [BoardFault(.refuseInstall), BoardFault(.refuse, times: 0, group: 66, command: 3)],
      code: .verifyNotInstalled, words: "the board took the package and still has"),
    Row(name: "refuses to begin", faults: [beginRefused], code: .imageRefused, words: "the board refused to begin the installation"),
    Row(
      name: "never returns", faults: [BoardFault(.neverReturn)], code: .verifyNeverReturned, words: "the board was not heard for 30 s after the restart"),
    Row(
      name: "resets in the middle of a resource", faults: [BoardFault(.reboot, offset: 2000, group: 66, command: 4)], code: .verifyNotInstalled,
      words: "the board came back and still has sequence number 3 installed"),
  ]

  /// The envelope of the full package goes in one request, so that the second one of command 2 is the order to begin.
  static let beginRefused = BoardFault(.refuse, count: 2, group: 66, command: 2).with { $0.code = 6 }

  @Test(arguments: failures) func noProofIsNoSuccess(_ row: Row) async throws {
    let bench = SUITBench.full(row.faults)
    let record = try await bench.run()
    #expect(record.outcome == FailureRule.of(row.code).outcome)
    #expect(record.failureCode == row.code, "\(record.failureMessage ?? "")")
    #expect(record.failureMessage?.contains(row.words) == true, "\(record.failureMessage ?? "")")
    #expect(!record.good)
    #expect(record.verifiedBy != .imageHash)
    #expect(!bench.board.isConnected)
    // Nothing half done is left in its partitions.
    if row.code != .verifyNeverReturned { #expect(bench.truth?.cleanUps == 1) }
    #expect(bench.truth.map { $0.installs.isEmpty || row.code == .verifyNeverReturned } == true)
  }

  @Test func theNextAttemptHeals() async throws {
    let bench = SUITBench.full([BoardFault(.reboot, offset: 2000, group: 66, command: 4)])
    _ = try await bench.run()
    bench.wasWrittenBefore = true
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.truth?.installs == [4])
    #expect(bench.truth?.cleanUps == 2)
  }

  /// An error of the question is neither success nor failure: the manifest decides.
  @Test func aBoardThatRefusesTheQuestionIsReadAllTheSame() async throws {
    let bench = SUITBench([BoardFault(.refuse, times: 0, group: 66, command: 3)]) { $0.suit.installMilliseconds = 12_000 }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.truth?.installs == [4])
  }

  // MARK: what is got over

  @Test(arguments: [UInt8(2), 3, 4, 5]) func aLostAnswerCostsNothing(_ command: UInt8) async throws {
    for count in [1, 2] {
      let bench = SUITBench.full([BoardFault(.loseAnswer, count: count, group: 66, command: command)])
      let record = try await bench.run()
      #expect(record.outcome == .passed, "command \(command), answer \(count): \(record.failureMessage ?? "")")
      #expect(bench.truth?.installs == [4])
    }
  }

  /// The last answer of a resource: the board goes on, and takes nothing more for it.
  @Test func theLastAnswerOfAResourceMayBeLost() async throws {
    let bench = SUITBench(
      [BoardFault(.loseAnswer, group: 66, command: 4)], resources: ["file://a.bin"], files: [("a.bin", SUITFirmware.payload(100, seed: 1))])
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
  }

  @Test(arguments: [UInt8(2), 5]) func aLinkLostInTheMiddleBeginsAnew(_ command: UInt8) async throws {
    let bench = SUITBench.full([BoardFault(.dropLink, offset: command == 2 ? 100 : 1500, group: 66, command: command)])
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries >= 1)
    #expect(bench.truth?.installs == [4])
    #expect(bench.truth?.cleanUps == 1)
  }

  /// The board waits for its resource when the link comes back.
  @Test func aLinkLostInAResourceIsTakenUpAgain() async throws {
    let bench = SUITBench.full([BoardFault(.dropLink, offset: 2000, group: 66, command: 4)])
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.truth?.installs == [4])
  }

  @Test func whatIsTooLargeIsToldSo() async throws {
    let bench = SUITBench.full { $0.suit.caches = [4096, 4096] }
    bench.order.caches = [SUITOrder.Cache(partition: 0, bytes: SUITFirmware.payload(5000, seed: 1))]
    let record = try await bench.run()
    #expect(record.failureCode == .imageTooLarge)
    #expect(record.failureMessage?.contains("cache 0") == true)
    #expect(bench.truth?.cleanUps == 1)
  }

  @Test func aPartitionThatTheBoardLacksIsToldSo() async throws {
    let bench = SUITBench.full()
    bench.order.caches = [SUITOrder.Cache(partition: 7, bytes: [1, 2, 3])]
    let record = try await bench.run()
    #expect(record.failureCode == .imageRefused)
    #expect(record.failureMessage?.contains("the board has no partition of this number (suit, rc 5)") == true)
  }

  @Test func packetsThatAreTooSmallAreToldSo() async throws {
    let bench = SUITBench {
      $0.mtu = 23
      $0.reassembly = false
    }
    let record = try await bench.run()
    #expect(record.failureCode == .linkMTU)
    #expect(record.outcome == .failed)
  }

  @Test func aLibrarysResourcesComeFromItself() async throws {
    let bench = SUITBench(resources: ["cloud://radio/7"])
    bench.order.resources = SUITResourceSource { $0.scheme == "cloud" ? SUITFirmware.payload(700, seed: 7) : nil }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.truth?.resources == ["cloud://radio/7": 700])
  }

  @Test func aResourceThatCannotBeReadIsTheStationsFault() async throws {
    struct Broken: Error {}
    let bench = SUITBench(resources: ["file://a.bin"])
    bench.order.resources = SUITResourceSource { _ in throw Broken() }
    let record = try await bench.run()
    #expect(record.outcome == .error)
    #expect(record.failureCode == .stationPackage)
    #expect(bench.truth?.cleanUps == 1)
  }

  /// A pause is taken between two pieces, and none while the board installs: it would give up 5 s after it asked.
  @Test(arguments: [UInt8(5), 4]) func aPauseDoesNoHarm(_ command: UInt8) async throws {
    let bench = SUITBench.full()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.asked(command) == 3 }
    bench.control?.pause()
    var sent = 0
    try await bench.pump.turn(within: .seconds(120)) {
      sent = bench.asked(5)
      return bench.clock.now.sinceStart > .seconds(60)
    }
    if command == 5 { #expect(sent <= 4 && bench.truth?.installs == []) } else { #expect(bench.truth?.installs == [4]) }
    bench.control?.resume()
    let record = try await bench.pump.finish(work, within: .seconds(600))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.truth?.installs == [4])
  }

  /// A cancel leaves no more than an interrupted upload, and the next attempt passes.
  @Test func aCancelDoesNoHarm() async throws {
    let bench = SUITBench.full()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.asked(5) == 3 }
    work.cancel()
    #expect(try await bench.pump.finish(work, within: .seconds(60)).outcome == .aborted)
    bench.wasWrittenBefore = true
    #expect(try await bench.run(attempt: 2).outcome == .passed)
  }

  // MARK: other boards

  @Test func suitOverTheImageGroup() async throws {
    let bench = SUITBench.full { $0.suit.imageGroup = true }
    bench.order.resources = SUITResources()
    let envelope = SUITFirmware.envelope(sequence: 4, resources: ["file://cached.bin"])
    (bench.order.envelope, bench.order.digest) = (envelope, SUITFirmware.digest(of: envelope))
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(record.firmwareBefore == "3")
    #expect(record.firmwareAfter == "4")
    #expect(record.imageHashAfter == bench.digest)
    #expect(bench.truth?.caches.keys.sorted() == ["1"])
    // A group that the board does not know is never asked.
    #expect(bench.board.requests.allSatisfy { $0.group != 66 })
  }

  @Test("Over the image group several requests are under way, as many as the profile lets be; group 66 gets one at a time", arguments: [true, false])
  func pipelineDepth(_ imageGroup: Bool) async throws {
    var seconds: [Int: Double] = [:]
    for depth in [1, 3] {
      let bench = SUITBench.full {
        $0.suit.imageGroup = imageGroup
        $0.bufferCount = 4
      }
      bench.order.pipelineDepth = depth
      if imageGroup {
        let envelope = SUITFirmware.envelope(sequence: 4, resources: ["file://cached.bin"])
        (bench.order.envelope, bench.order.digest) = (envelope, SUITFirmware.digest(of: envelope))
      }
      let record = try await bench.run()
      #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
      #expect(record.retries == 0)
      seconds[depth] = record.uploadSeconds
    }
    // On the clock of the bench, which only the virtual line turns.
    let (one, three) = (try #require(seconds[1]), try #require(seconds[3]))
    #expect(imageGroup ? three < one * 0.8 : three == one, "\(one) s one at a time, \(three) s with three")
  }

  @Test func anMCUbootBoardGetsNoSUITPackage() async throws {
    let bench = SUITBench { $0.kind = .smp }
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .policyWrongPackage)
    #expect(record.failureMessage?.contains("1.0.0") == true)
    #expect(bench.board.writes.isEmpty)
    #expect(bench.board.requests.allSatisfy { $0.group != 66 })
  }

  @Test func anotherBoardAfterTheRestartIsNoSuccess() async throws {
    var quirks = LineBoard.Quirks()
    quirks.serialAfterReset = "OTHER"
    let record = try await SUITBench(quirks: quirks).run()
    #expect(record.failureCode == .verifyOtherBoard)
  }
}
