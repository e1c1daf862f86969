import Flashing
// JSONSerialization, as an independent reader of what the station prints, is not in FoundationEssentials.
import Foundation
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// What a job tells the outside (contract §3).
@Suite struct StationEventTests {
  private func job() async throws -> StationBench {
    let bench = StationBench(adapters: 2)
    for number in 1...3 { bench.add(number, quirks: { $0.advertisedName = "Line \u{7}\"\(number)\" é" }) }
    bench.add(4, [BoardFault(.imageReverts, times: 0)])
    #expect(try await bench.run() == 1)
    return bench
  }

  @Test func eventsComeInTheOrderOfTheContract() async throws {
    let bench = try await job()
    let names = bench.events.names
    #expect(names.first == "station.started")
    #expect(names[1] == "batch.started")
    #expect(names.last == "batch.finished")
    #expect(names.count { $0 == "adapter.added" } == 2)
    for board in bench.boards {
      let own = bench.events.all.compactMap { entry -> String? in
        switch entry.event {
        case .boardSeen(let mac, _, _, _, _): mac == board.address ? entry.event.name : nil
        case .boardAssigned(let record), .boardPhase(let record, _), .boardProgress(let record, _, _, _), .boardFinished(let record),
          .boardDone(let record):
          record.mac == board.address ? entry.event.name : nil
        default: nil
        }
      }
      #expect(own.first == "board.seen")
      #expect(own.count { $0 == "board.seen" } == 1)
      #expect(own.last == "board.done")
      #expect(own.count { $0 == "board.done" } == 1)
      #expect(own.dropLast().last == "board.finished")
      let attempts = own.count { $0 == "board.assigned" }
      #expect(own.count { $0 == "board.finished" } == attempts)
      #expect(attempts == bench.finished(board).count)
      // Nothing of an attempt before it is assigned or after it is finished.
      var isOpen = false
      for name in own {
        switch name {
        case "board.assigned": isOpen = true
        case "board.finished": isOpen = false
        case "board.phase", "board.progress": #expect(isOpen)
        default: break
        }
      }
    }
  }

  @Test func everyLineIsValidJSONWithItsKeys() async throws {
    let bench = try await job()
    for (time, event) in bench.events.all {
      let line = event.json(at: time).line
      #expect(!line.contains("\n"))
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["event"] as? String == event.name)
      #expect((object["time"] as? String)?.hasSuffix("Z") == true)
      switch event {
      case .boardAssigned, .boardPhase, .boardProgress, .boardFinished, .boardDone:
        for key in ["batch_id", "attempt_id", "mac", "adapter"] { #expect(object[key] != nil && !(object[key] is NSNull), "\(key) in \(event.name)") }
      case .boardSeen: for key in ["mac", "adapter"] { #expect(object[key] != nil) }
      case .batchStarted, .batchFinished: #expect(object["batch_id"] as? Int == 7)
      default: break
      }
    }
    #expect(line(bench, "board.finished")?.contains("\"outcome\":") == true)
  }

  private func line(_ bench: StationBench, _ name: String) -> String? {
    bench.events.all.first { $0.event.name == name }.map { $0.event.json(at: $0.time).line }
  }

  /// At most four in any second of one board, and the last byte is told.
  @Test func progressIsToldFourTimesASecondAtMost() async throws {
    let bench = StationBench()
    // Slow enough that an upload takes several seconds.
    let board = bench.add(
      1,
      settings: {
        $0.bufferSize = 256
        $0.serviceMilliseconds = 60
      })
    #expect(try await bench.run() == 0)
    let told = bench.events.all.compactMap { entry -> (time: Int64, bytes: Int)? in
      if case .boardProgress(_, let bytes, _, _) = entry.event { (entry.time, bytes) } else { nil }
    }
    #expect(told.count > 4)
    for (index, first) in told.enumerated() { #expect(told[index...].count { $0.time - first.time < 1000 } <= 4) }
    #expect(told.last?.bytes == LineImages.new.count)
    #expect(told.map(\.bytes) == told.map(\.bytes).sorted())
    _ = board
  }
}
