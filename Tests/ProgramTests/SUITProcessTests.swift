import Bluetooth
import Flashing
import Foundation
import Records
import Testing
import VirtualLine

/// SUIT boards as a process: production code from libudev and D-Bus upwards, a package with an envelope, two resources and a cache.
@Suite(.serialized) struct SUITProcessTests {
  @Test(.timeLimit(.minutes(2))) func aLineOfSUITBoardsIsFlashed() async throws {
    let folder = try TemporaryFolder()
    let state = folder.path + "/l"
    let line = ["demo", "--adapters", "2", "--boards", "3", "--kind", "suit", "--keep", folder.path + "/kept", "--state", state, "--json"]
    let result = try await BuiltProgram(line, in: folder).result(within: .seconds(90))
    #expect(result.status == 0, "\(result.out)\(result.err)")
    let done = try result.events().filter { $0["event"] as? String == "board.done" }
    #expect(done.count == 3)
    for board in done {
      #expect(board["outcome"] as? String == "passed")
      #expect(board["firmware_before"] as? String == "1")
      #expect(board["firmware_after"] as? String == "2")
      #expect(board["image_state"] as? String == "confirmed")
      #expect(board["verified_by"] as? String == "imageHash")
      #expect(board["image_hash"] as? String == board["image_hash_after"] as? String)
    }
    #expect(result.err.contains("checked: 3 good boards"))
    let truth = try JSONDecoder().decode(LineTruth.self, from: Data(contentsOf: URL(filePath: folder.path + "/kept/truth.json")))
    for board in truth.boards {
      #expect(board.suit?.installs == [2])
      #expect(board.suit?.resources.keys.sorted() == ["file://app.bin", "file://radio.bin"])
      #expect(board.suit?.caches.count == 1)
      #expect(board.suit?.failures == [])
    }
  }
}
