import Bluetooth
import FoundationEssentials
import SQLite
import Testing

@testable import Cloud

/// The queue on the disk: what was taken is there, whatever happens afterwards.
@Suite struct ChunkQueueTests {
  @Test("Chunks of each board stay in their order, also after closing and opening")
  func order() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lanes = [try await queue.open(QueueBench.source(1)), try await queue.open(QueueBench.source(2))]
    #expect(lanes[0] != lanes[1])
    for number in 0..<20 { #expect(try await queue.append([UInt8(number)], number: number % 32, to: lanes[number % 2]) == .stored) }
    await queue.close()
    let again = try await bench.queue()
    #expect(try await again.waiting(lanes[0]) == (0..<10).map { [UInt8(2 * $0)] })
    #expect(try await again.waiting(lanes[1]) == (0..<10).map { [UInt8(2 * $0 + 1)] })
    #expect(try await again.open(QueueBench.source(2)) == lanes[1])
    #expect(await again.filled == (20, 20))
  }

  @Test("A chunk is in the files when append returns: a copy of them has it, as after a power cut")
  func committed() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    for count in 1...5 {
      _ = try await queue.append([UInt8](repeating: UInt8(count), count: 200), number: count, to: lane)
      let copy = try QueueBench()
      for file in try bench.files() where !file.name.hasSuffix("-shm") { try Data(file.bytes).write(to: URL(filePath: copy.folder + "/" + file.name)) }
      let after = try await copy.queue()
      #expect(try await after.waiting(lane).count == count)
      await after.close()
    }
  }

  @Test("A process that is killed in a transaction leaves what was committed")
  func abandoned() async throws {
    let bench = try QueueBench()
    var queue: ChunkQueue? = try await bench.queue()
    let lane = try #require(try await queue?.open(QueueBench.source()))
    _ = try await queue?.append([1], number: 0, to: lane)
    await queue?.close()
    queue = nil
    // It prints when it has written, and is killed then.
    let writer = try LoopbackServer(
      script: """
        import sqlite3, sys, time
        base = sqlite3.connect(sys.argv[1], isolation_level=None)
        base.execute('PRAGMA cache_size = 1')
        base.execute('BEGIN IMMEDIATE')
        for i in range(2000): base.execute("INSERT INTO chunks (lane_id, number, received_at, data) VALUES (1, 1, 1, x'02')")
        base.execute('UPDATE lanes SET received = 99')
        print(1, flush=True)
        time.sleep(60)
        """, arguments: [bench.path])
    writer.stop()
    let again = try await bench.queue()
    #expect(try await again.waiting(lane) == [[1]])
    #expect(try await again.only(lane).received == 1)
    #expect(try await again.append([3], number: 1, to: lane) == .stored)
  }

  @Test("A full queue keeps the oldest, counts what it lost, and takes again when there is room", arguments: [true, false])
  func full(byChunks: Bool) async throws {
    let bench = try QueueBench()
    var limits = ChunkQueue.Limits()
    if byChunks { limits.chunks = 3 } else { limits.bytes = 6 }
    let queue = try await bench.queue(limits)
    let lane = try await queue.open(QueueBench.source())
    for number in 0..<5 { #expect(try await queue.append([UInt8(number), 0], number: number, to: lane) == (number < 3 ? .stored : .full)) }
    #expect(try await queue.waiting(lane) == [[0, 0], [1, 0], [2, 0]])
    var status = try await queue.only(lane)
    #expect((status.received, status.pending, status.dropped) == (5, 3, 2))
    let batch = try #require(try await queue.takeOut(lane, chunks: 1, bytes: 100))
    try await queue.remove(batch)
    #expect(try await queue.append([9, 9], number: 5, to: lane) == .stored)
    await queue.close()
    // The limit counts what is on the disk, not what this process put there.
    let again = try await bench.queue(limits)
    #expect(try await again.append([9, 9], number: 6, to: lane) == .full)
    status = try await again.only(lane)
    #expect((status.received, status.pending, status.dropped, status.uploaded) == (7, 3, 3, 1))
  }

  @Test("Gaps are rows and a count; old rows go, the count stays")
  func gaps() async throws {
    let bench = try QueueBench()
    var limits = ChunkQueue.Limits()
    limits.gaps = 2
    let queue = try await bench.queue(limits)
    let lane = try await queue.open(QueueBench.source())
    _ = try await queue.append([1], number: 0, to: lane)
    for missing in 1...3 { try await queue.recordGap(missing, on: lane) }
    #expect(try await queue.only(lane).missing == 6)
    #expect(try await queue.number("SELECT count(*) FROM gaps") == 2)
    #expect(try await queue.number("SELECT max(after_received) FROM gaps") == 1)
    for missing in [0, -1, Int.max] { await #expect(throws: ChunkQueueError.self) { try await queue.recordGap(missing, on: lane) } }
  }

  @Test("What is no chunk is refused, and nothing of it stays", arguments: [0, 1025, 70_000])
  func noChunk(count: Int) async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    await #expect(throws: ChunkQueueError.self) { try await queue.append([UInt8](repeating: 1, count: count), number: 0, to: lane) }
    #expect(try await queue.only(lane).received == 0)
  }

  @Test("Another address or key begins another lane behind; what an empty one counted goes along")
  func lanes() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let first = try await queue.open(QueueBench.source())
    _ = try await queue.append([1], number: 0, to: first)
    let second = try await queue.open(QueueBench.source(key: "another-key-of-the-same-board"))
    #expect(first < second)
    #expect(try await queue.open(QueueBench.source(key: "another-key-of-the-same-board")) == second)
    _ = try await queue.append([2], number: 0, to: second)
    try await queue.recordGap(4, on: second)
    // The old key again: behind the new one, not back in front of it.
    let third = try await queue.open(QueueBench.source())
    #expect(second < third)
    #expect(try bench.keyFiles().count == 2)
    try await queue.remove(try #require(try await queue.takeOut(first, chunks: 10, bytes: 10)))
    try await queue.remove(try #require(try await queue.takeOut(second, chunks: 10, bytes: 10)))
    let fourth = try await queue.open(QueueBench.source(uri: "https://chunks.example.com/elsewhere"))
    let status = try await queue.status()
    #expect(status.map(\.lane) == [fourth])
    #expect((status.first?.received, status.first?.uploaded, status.first?.missing) == (2, 2, 4))
    // Only the key that is needed is kept.
    #expect(try bench.keyFiles().count == 1)
    await #expect(throws: ChunkQueueError.unknownLane) { try await queue.append([1], number: 0, to: first) }
  }

  @Test("A board cannot fill the table with lanes")
  func laneLimit() async throws {
    let bench = try QueueBench()
    var limits = ChunkQueue.Limits()
    limits.lanes = 2
    let queue = try await bench.queue(limits)
    for board in 1...2 { _ = try await queue.open(QueueBench.source(UInt64(board))) }
    await #expect(throws: ChunkQueueError.self) { try await queue.open(QueueBench.source(3)) }
    #expect(try await queue.open(QueueBench.source(2)) == queue.status()[1].lane)
  }

  @Test("A chunk that was set aside is kept and counted, out of the way; the oldest of them go first")
  func rejected() async throws {
    let bench = try QueueBench()
    var limits = ChunkQueue.Limits()
    limits.rejected = 2
    let queue = try await bench.queue(limits)
    let lane = try await queue.open(QueueBench.source())
    for number in 0..<5 { _ = try await queue.append([UInt8(number)], number: number, to: lane) }
    for _ in 0..<3 {
      let batch = try #require(try await queue.takeOut(lane, chunks: 1, bytes: 10))
      try await queue.reject(batch, status: 415)
    }
    #expect(try await queue.waiting(lane) == [[3], [4]])
    let status = try await queue.only(lane)
    #expect((status.received, status.pending, status.rejected) == (5, 2, 3))
    #expect(try await queue.number("SELECT count(*) FROM chunks WHERE rejected_with = 415") == 2)
    #expect(await queue.filled == (4, 4))
  }

  @Test("What was sent without an answer counts as repeated when it is sent again; what was refused does not")
  func repeated() async throws {
    let bench = try QueueBench()
    var queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    for number in 0..<4 { _ = try await queue.append([UInt8(number)], number: number, to: lane) }
    try await queue.putBack(try #require(try await queue.takeOut(lane, chunks: 2, bytes: 100)))
    #expect(try await queue.takeOut(lane, chunks: 2, bytes: 100)?.chunks.count == 2)
    #expect(try await queue.only(lane).repeated == 0)
    // As if the process had been killed here.
    await queue.close()
    queue = try await bench.queue()
    #expect(try await queue.takeOut(lane, chunks: 4, bytes: 100)?.chunks.count == 4)
    #expect(try await queue.only(lane).repeated == 2)
    // Each chunk counts once, and one that is left out of a smaller batch is not forgotten.
    for (chunks, repeated) in [(3, 3), (4, 4), (4, 4)] {
      #expect(try await queue.takeOut(lane, chunks: chunks, bytes: 100)?.chunks.count == chunks)
      #expect(try await queue.only(lane).repeated == repeated)
    }
  }

  @Test("A batch has at most so many chunks and bytes, and at least one chunk")
  func batch() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    for _ in 0..<5 { _ = try await queue.append([1, 2, 3], number: 0, to: lane) }
    for (chunks, bytes, expected) in [(10, 100, 5), (2, 100, 2), (10, 7, 2), (10, 1, 1)] {
      #expect(try await queue.takeOut(lane, chunks: chunks, bytes: bytes)?.chunks.count == expected)
    }
  }

  @Test("Many boards at once share commits; each keeps its order, and each caller hears of its own chunk")
  func together() async throws {
    let bench = try QueueBench()
    var limits = ChunkQueue.Limits()
    limits.chunks = 150
    let queue = try await bench.queue(limits)
    var lanes: [LaneID] = []
    for board in 0..<8 { lanes.append(try await queue.open(QueueBench.source(UInt64(board)))) }
    let stored = try await withThrowingTaskGroup(of: (LaneID, [UInt8]).self) { group in
      for lane in lanes {
        group.addTask {
          var stored: [UInt8] = []
          for number in 0..<25 where try await queue.append([UInt8(number)], number: number, to: lane) == .stored { stored.append(UInt8(number)) }
          return (lane, stored)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for lane in lanes { #expect(try await queue.waiting(lane) == stored[lane]?.map { [$0] }) }
    let status = try await queue.status()
    #expect(status.allSatisfy { $0.received == 25 && $0.pending + $0.dropped == 25 })
    #expect(status.reduce(0) { $0 + $1.pending } == 150)
  }

  @Test("When a shared commit fails, every caller hears it and none of the chunks is there")
  func togetherFails() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    var lanes: [LaneID] = []
    for board in 0..<4 { lanes.append(try await queue.open(QueueBench.source(UInt64(board)))) }
    try await queue.sql("PRAGMA query_only = 1")
    let failures = await withTaskGroup(of: Bool.self) { group in
      for lane in lanes {
        group.addTask { do { return try await queue.append([1], number: 0, to: lane) == .full } catch { return true } }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 4)
    try await queue.sql("PRAGMA query_only = 0")
    #expect(try await queue.status().allSatisfy { $0.received == 0 })
    #expect(await queue.filled == (0, 0))
  }
}
