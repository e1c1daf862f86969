import Bluetooth
import Firmware
import Testing

@testable import Flashing
@testable import VirtualLine

/// Chains of bootloaders: planned from where the board stands, looked at after every stage, never called passed by what was sent.
@Suite("Rescue: chains")
struct RescueChainTests {
  @Test("A board gets what it lacks, stage by stage, from wherever an earlier attempt left it", arguments: [("0.3.1", 3), ("0.3.2", 2), ("0.3.3", 1)])
  func chain(_ installed: String, _ stages: Int) async throws {
    let bench = try RescueBench { $0.bootloader = installed }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.bootloaderBefore == installed)
    #expect(record.bootloaderAfter == "0.3.3")
    #expect(record.firmwareAfter == "1.4.5")
    #expect(bench.board.starts == stages)
    #expect(bench.board.board.updates.count == stages)
    #expect(bench.notes.phases.count { $0 == .upload } == stages)
    #expect(bench.notes.phases.count { $0 == .reconnect } == stages)
  }

  @Test("A bootloader that still tells its old version after its update ends the attempt")
  func unchanged() async throws {
    // The image calls itself what is installed already.
    let bench = try RescueBench(shelf: TestShelf(told: ["0.3.3": "0.3.2"])) { $0.bootloader = "0.3.2" }
    let record = try await bench.run()
    #expect(record.failureCode == .verifyBootloaderUnchanged, "\(record.failureMessage ?? "")")
    #expect(record.leftAs == .bootloader)
    #expect(bench.board.board.updates.count == 1)
  }

  @Test("A chain longer than the limit of an attempt ends with what was reached, and the next attempt goes on from there")
  func stageLimit() async throws {
    let versions = (1...(RescueOrder.stageLimit + 2)).map { "1.0.\($0)" }
    let application = Interlock.Build(id: "app", version: TestShelf.version("1.4.5"), required: TestShelf.version(versions[versions.count - 1]))
    // Each requires the one before, so that none can be left out.
    var shelf = try TestShelf(bootloaders: ["1.0.0"] + versions, application: application, requires: versions[versions.count - 1])
    shelf.error = nil
    let bench = try RescueBench(shelf: shelf) { $0.bootloader = "1.0.0" }
    let first = try await bench.run()
    #expect(first.failureCode == .verifyNoEnd, "\(first.failureMessage ?? "")")
    #expect(bench.board.board.updates.count == RescueOrder.stageLimit)
    let second = try await bench.run(wasWrittenBefore: true)
    #expect(second.outcome == .passed, "\(second.failureMessage ?? "")")
    #expect(bench.board.board.updates.count == versions.count + 1)
  }

  @Test("Firmware that starts and tells another version than was flashed is not passed")
  func otherVersion() async throws {
    let image = try RescueFirmware.image(2000, ImageMetadata(version: "1.4.4"))
    let bench = try RescueBench(shelf: TestShelf(image: image))
    let record = try await bench.run()
    #expect(record.failureCode == .verifyOtherFirmware, "\(record.failureMessage ?? "")")
    #expect(record.leftAs == .application)
    #expect(record.firmwareAfter == "1.4.4")
    #expect(record.good == false)
  }

  @Test("No firmware, or a damaged mirror: nothing is written, and the second is the station's fault")
  func shelves() async throws {
    for (error, code) in [(ShelfError.nothingFits("none"), FailureCode.policyNoFirmware), (.damaged("bad"), .stationPackage)] {
      var shelf = try TestShelf()
      shelf.error = error
      let bench = try RescueBench(shelf: shelf)
      let record = try await bench.run()
      #expect(record.failureCode == code)
      #expect(record.outcome == FailureRule.of(code).outcome)
      #expect(record.leftAs == .untouched)
      #expect(bench.board.board.writes == 0)
    }
  }

  @Test("A bootloader that no chain can bring far enough is refused before a byte is written")
  func unreachable() async throws {
    let application = Interlock.Build(id: "app", version: TestShelf.version("1.4.5"), required: TestShelf.version("0.9.0"))
    let bench = try RescueBench(shelf: TestShelf(application: application))
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.leftAs == .untouched)
    #expect(bench.board.board.writes == 0)
  }

  @Test("Another board at the neighbouring address answers first: it is left alone, and the right one is waited for")
  func neighbour() async throws {
    let other = RescueBoard.virtual(at: RescueBench.address.bootloaderNeighbour, serial: "SN2")
    let bench = try RescueBench([BoardFault(.slowBoot).with { $0.milliseconds = 15_000 }], others: [other]) { $0.bootloader = "0.3.2" }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.serialNumber == "SN1")
    #expect(record.mac == RescueBench.address)
    let neighbour = bench.central.boards[1].board
    #expect(neighbour.connections == 1)
    #expect(neighbour.writes == 0)
  }

  @Test("recover leaves a board alone that runs its application by now; run sends it to its bootloader", arguments: [false, true])
  func application(_ enters: Bool) async throws {
    let bench = try RescueBench(enters: enters) {
      $0.start = .application
      $0.application = "1.0.0"
    }
    let record = try await bench.run()
    #expect(record.outcome == (enters ? .passed : .refused), "\(record.failureMessage ?? "")")
    #expect(record.failureCode == (enters ? nil : .policyNotStranded))
    #expect(record.firmwareBefore == "1.0.0")
    #expect(bench.board.board.jumps == (enters ? 1 : 0))
  }

  @Test("A board that runs the wanted version is skipped without a jump")
  func skipped() async throws {
    let bench = try RescueBench(enters: true) {
      $0.start = .application
      $0.application = "1.4.5"
    }
    let record = try await bench.run()
    #expect(record.outcome == .skipped)
    #expect(record.leftAs == .untouched)
    #expect(bench.board.board.jumps == 0)
  }

  @Test("An application that does not go to its bootloader is asked no more than the limit says")
  func ignoresJump() async throws {
    let bench = try RescueBench([BoardFault(.ignoreJump, times: 0)], enters: true) {
      $0.start = .application
      $0.application = "1.0.0"
    }
    let record = try await bench.run()
    #expect(record.failureCode == .dfuNotEntered, "\(record.failureMessage ?? "")")
    #expect(record.leftAs == .application)
  }
}
