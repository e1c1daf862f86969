import Bluetooth
import FoundationEssentials
import LineFixture
import Testing

@testable import Cloud

/// Queue and uploader against a server of Python's: every chunk once and in order, whatever the server does.
@Suite(.serialized) struct UploaderTests {
  static let hosts = AllowedHosts(["127.0.0.1"])

  /// So many boards with so many chunks each, and a server.
  struct Line {
    let bench: QueueBench
    let server: ChunkServer
    let queue: ChunkQueue
    let lanes: [LaneID]
    let heard = Heard()

    init(
      boards: Int = 1, chunks: Int, plan: [String] = [], rules: String = "{}", keys: [String] = [QueueBench.key],
      chunk: (Int, Int) -> [UInt8] = { board, number in [UInt8(board), UInt8(number >> 8), UInt8(number & 255), 0x0D, 0x0A] }
    ) async throws {
      bench = try QueueBench()
      server = try ChunkServer(plan, rules: rules)
      queue = try await bench.queue()
      var lanes: [LaneID] = []
      for board in 0..<boards {
        lanes.append(
          try await queue.open(
            QueueBench.source(UInt64(board), key: keys[board % keys.count], uri: try server.server.url("chunks/\(board)").absoluteString)))
      }
      for number in 0..<chunks {
        for board in 0..<boards { _ = try await queue.append(chunk(board, number), number: number % 32, to: lanes[board]) }
      }
      self.lanes = lanes
    }

    func uploader(_ limits: UploadLimits = UploadLimits(), clock: any Clock<Duration> = HastyClock(), hosts: AllowedHosts = hosts) -> ChunkUploader {
      ChunkUploader(queue: queue, hosts: hosts, limits: limits, clock: clock, wall: { 784_111_770 }, random: { 0x0123_4567_89AB_CDEF })
    }

    func run(_ limits: UploadLimits = UploadLimits(), clock: any Clock<Duration> = HastyClock()) async {
      await uploader(limits, clock: clock).run(until: true) { [heard] in heard.add($0) }
    }

    /// What the server took of a board, in order.
    func taken(_ board: Int = 0) async throws -> [String] {
      try await server.log().taken.filter { $0.path == "/chunks/\(board)" }.map(\.hex)
    }

    func expected(_ numbers: some Sequence<Int>, of board: Int = 0) -> [String] {
      numbers.map { "0\(board)" + Self.hex($0 >> 8) + Self.hex($0 & 255) + "0d0a" }
    }

    private static func hex(_ value: Int) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }

    func pauses() -> [Duration] { heard.all.compactMap { if case .waiting(_, let pause, _) = $0 { pause } else { nil } } }
  }

  static func quick() -> UploadLimits {
    var limits = UploadLimits()
    limits.silence = .seconds(2)
    limits.wholeRequest = .seconds(4)
    return limits
  }

  @Test("Batches of one board, in order, each chunk once, and the connection's key in the header only")
  func plain() async throws {
    let line = try await Line(chunks: 250)
    defer { line.server.server.stop() }
    await line.run()
    #expect(try await line.taken() == line.expected(0..<250))
    let log = try await line.server.log()
    #expect(log.requests.map(\.chunks) == [100, 100, 50])
    #expect(log.requests.allSatisfy { $0.type == "multipart/mixed" })
    #expect(log.keys == [QueueBench.key])
    #expect(line.heard.all == [.uploaded(line.lanes[0], chunks: 100), .uploaded(line.lanes[0], chunks: 100), .uploaded(line.lanes[0], chunks: 50), .drained])
    let status = try await line.queue.only(line.lanes[0])
    #expect((status.received, status.uploaded, status.pending, status.repeated) == (250, 250, 0, 0))
  }

  @Test("A single chunk goes as it is")
  func single() async throws {
    let line = try await Line(chunks: 1)
    defer { line.server.server.stop() }
    await line.run()
    #expect(try await line.server.log().requests.map(\.type) == ["application/octet-stream"])
  }

  @Test("Several boards at once, each in its order, never two requests of one board at a time")
  func boards() async throws {
    let line = try await Line(boards: 5, chunks: 120, rules: #"{"most": 20}"#)
    defer { line.server.server.stop() }
    await line.run()
    for board in 0..<5 { #expect(try await line.taken(board) == line.expected(0..<120, of: board)) }
    #expect(try await line.server.log().worst == 1)
  }

  @Test(
    "Every failure on the way, then everything once and in order",
    arguments: [
      ["503 Retry-After: 3"], ["429 Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"], ["429"], ["500", "502", "408", "404"], ["302 Location: http://127.0.0.1:1/"],
      ["cut"], ["cut", "cut", "503", "cut"], ["413"], ["415"], ["400"],
    ])
  func failures(plan: [String]) async throws {
    let line = try await Line(chunks: 150, plan: plan)
    defer { line.server.server.stop() }
    await line.run(Self.quick())
    #expect(try await line.taken() == line.expected(0..<150))
    let status = try await line.queue.only(line.lanes[0])
    #expect((status.uploaded, status.pending, status.rejected) == (150, 0, 0))
    #expect(status.repeated == (plan.contains("cut") ? 100 : 0))
  }

  @Test("Retry-After is waited for: seconds, and a date from now")
  func retryAfter() async throws {
    let line = try await Line(chunks: 2, plan: ["503 Retry-After: 3", "429 Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"])
    defer { line.server.server.stop() }
    let clock = HastyClock()
    await line.run(clock: clock)
    #expect(line.pauses() == [.seconds(3), .seconds(7)])
    #expect(clock.now.offset == .seconds(10))
  }

  @Test("Nothing is sent before the pause is over")
  func turned() async throws {
    let line = try await Line(chunks: 1, plan: ["503 Retry-After: 9"])
    defer { line.server.server.stop() }
    let clock = ManualClock()
    async let done: Void = line.run(clock: clock)
    while clock.next == nil { await Task.yield() }
    clock.advance(by: .seconds(8))
    #expect(clock.next == .seconds(9))
    #expect(try await line.server.log().requests.count == 1)
    clock.advance(by: .seconds(1))
    await done
    #expect(try await line.taken().count == 1)
  }

  @Test("A server that is not there yet is tried until it is")
  func down() async throws {
    let line = try await Line(chunks: 30, rules: #"{"sleeps": true}"#)
    defer { line.server.server.stop() }
    await line.uploader().run(until: true) { event in
      line.heard.add(event)
      if line.pauses().count == 3 { line.server.server.wake() }
    }
    #expect(line.pauses().count >= 3)
    #expect(try await line.taken() == line.expected(0..<30))
    // Nothing had left: nothing can be there twice.
    #expect(try await line.queue.only(line.lanes[0]).repeated == 0)
  }

  @Test("An answer that never comes is a lost one: the chunks are sent again, and counted as such")
  func hang() async throws {
    let line = try await Line(chunks: 3, plan: ["hang"])
    defer { line.server.server.stop() }
    var limits = UploadLimits()
    limits.silence = .seconds(1)
    await line.run(limits)
    // This server had taken them: at least once, and the station knows that it may be twice.
    #expect(try await line.taken() == line.expected(0..<3) + line.expected(0..<3))
    #expect(try await line.queue.only(line.lanes[0]).repeated == 3)
  }

  @Test("A connection that is closed instead of an answer, also one that was used before: sent again by the uploader and counted, never by anybody else")
  func mute() async throws {
    let line = try await Line(chunks: 250, plan: ["", "mute"])
    defer { line.server.server.stop() }
    await line.run()
    #expect(try await line.taken() == line.expected(0..<200) + line.expected(100..<250))
    #expect(try await line.queue.only(line.lanes[0]).repeated == 100)
    #expect(line.pauses().count == 1)
  }

  @Test("A refused key holds its lanes and no others; the next start tries again")
  func forbidden() async throws {
    let line = try await Line(boards: 3, chunks: 4, plan: ["403", "403", "403"], keys: [QueueBench.key])
    defer { line.server.server.stop() }
    await line.run()
    let held = try await line.queue.status()
    #expect(held.allSatisfy { $0.pending == 4 && $0.held?.contains("status 403") == true })
    #expect(try await line.server.log().taken.isEmpty)
    #expect(line.heard.all.last == .drained)
    await line.run()
    for board in 0..<3 { #expect(try await line.taken(board) == line.expected(0..<4, of: board)) }
    #expect(try await line.queue.status().allSatisfy { $0.held == nil && $0.repeated == 0 })
  }

  @Test("Boards with another key go on while one is held")
  func otherKey() async throws {
    let line = try await Line(boards: 2, chunks: 4, rules: #"{"badKey": "wrong-key"}"#, keys: ["wrong-key", QueueBench.key])
    defer { line.server.server.stop() }
    await line.run()
    #expect(try await line.taken(0).isEmpty)
    #expect(try await line.taken(1) == line.expected(0..<4, of: 1))
    #expect(line.heard.all.filter { if case .held = $0 { true } else { false } }.count == 1)
    #expect(!"\(line.heard.all)\(try await line.queue.status())".contains("wrong-key"))
    // The board comes back with the right key: its new chunks go, the old ones wait for their key.
    let lane = try await line.queue.open(QueueBench.source(0, uri: try line.server.server.url("chunks/0").absoluteString))
    _ = try await line.queue.append([0, 0, 9, 13, 10], number: 0, to: lane)
    await line.run()
    #expect(try await line.taken(0) == line.expected([9]))
  }

  @Test("A server without batches gets chunk by chunk", arguments: [400, 415, 413])
  func noBatches(status: Int) async throws {
    let line = try await Line(chunks: 20, rules: #"{"multipart": \#(status)}"#)
    defer { line.server.server.stop() }
    await line.run()
    #expect(try await line.taken() == line.expected(0..<20))
    #expect(try await line.server.log().requests.filter { $0.type == "multipart/mixed" }.count <= 5)
  }

  @Test("A smaller batch is found by halving")
  func smaller() async throws {
    let line = try await Line(chunks: 100, rules: #"{"most": 13}"#)
    defer { line.server.server.stop() }
    await line.run()
    #expect(try await line.taken() == line.expected(0..<100))
    #expect(try await line.server.log().requests.map(\.chunks) == [100, 50, 25] + [Int](repeating: 12, count: 8) + [4])
  }

  @Test("A chunk that is refused alone, too, is set aside and told, and the others go on in batches")
  func bad() async throws {
    let line = try await Line(chunks: 300, rules: #"{"bad": "00000a0d0a"}"#)
    defer { line.server.server.stop() }
    await line.run()
    #expect(try await line.taken() == line.expected((0..<300).filter { $0 != 10 }))
    #expect(line.heard.all.contains(.rejected(line.lanes[0], status: 400)))
    let status = try await line.queue.only(line.lanes[0])
    #expect((status.received, status.uploaded, status.rejected, status.pending) == (300, 299, 1, 0))
    #expect(try await line.server.log().requests.last?.type == "multipart/mixed")
  }

  @Test("When all is refused the lane is held and keeps the rest")
  func allBad() async throws {
    let line = try await Line(chunks: 50, rules: #"{"bad": "0d0a"}"#)
    defer { line.server.server.stop() }
    await line.run()
    let status = try await line.queue.only(line.lanes[0])
    #expect((status.rejected, status.pending) == (5, 45))
    #expect(status.held?.contains("refuses whatever") == true)
  }

  @Test("A host that was taken off the list is not spoken to")
  func host() async throws {
    let line = try await Line(chunks: 5)
    defer { line.server.server.stop() }
    await line.uploader(hosts: AllowedHosts(["chunks.memfault.com"])).run(until: true) { line.heard.add($0) }
    #expect(try await line.server.log().requests.isEmpty)
    #expect(try await line.queue.only(line.lanes[0]).held?.contains("127.0.0.1 is not on [cloud] allowed_hosts") == true)
  }

  @Test("A queue that cannot commit a removal sends nothing else until it can")
  func removalFails() async throws {
    let line = try await Line(chunks: 150)
    defer { line.server.server.stop() }
    try await line.queue.sql("CREATE TEMP TRIGGER jam BEFORE DELETE ON main.chunks BEGIN SELECT raise(ABORT, 'jam'); END")
    await line.run()
    // A fault of the schema does not pass: the run ends and says so, after one request.
    #expect(try await line.server.log().requests.count == 1)
    guard case .failed(.damaged)? = line.heard.all.last else {
      Issue.record("the failure is not told: \(line.heard.all)")
      return
    }
    #expect(try await line.queue.only(line.lanes[0]).pending == 150)
  }

  @Test("A removal that waits for the disk is done before the next request")
  func removalWaits() async throws {
    let line = try await Line(chunks: 150, plan: ["wait"])
    defer { line.server.server.stop() }
    let (queue, heard) = (line.queue, line.heard)
    async let run: Void = line.uploader().run(until: true) { event in
      heard.add(event)
      // The disk comes back after the third try.
      if line.pauses().count == 3 { try? await queue.sql("PRAGMA query_only = 0") }
    }
    while try await line.server.log().requests.isEmpty { await Task.yield() }
    try await queue.sql("PRAGMA query_only = 1")
    line.server.server.wake()
    await run
    #expect(line.pauses().count == 3)
    #expect(try await line.taken() == line.expected(0..<150))
    #expect(try await line.server.log().requests.map(\.chunks) == [100, 50])
  }

  @Test("Chunks that come while the uploader runs are uploaded; it ends when it is cancelled")
  func arriving() async throws {
    let line = try await Line(chunks: 1)
    defer { line.server.server.stop() }
    let task = Task { [heard = line.heard] in await line.uploader().run(until: false) { heard.add($0) } }
    for number in 1..<40 {
      _ = try await line.queue.append([0, 0, UInt8(number), 13, 10], number: number, to: line.lanes[0])
      if number % 10 == 0 { while try await line.queue.only(line.lanes[0]).pending > 0 { await Task.yield() } }
    }
    while try await line.queue.only(line.lanes[0]).pending > 0 { await Task.yield() }
    task.cancel()
    await task.value
    #expect(try await line.taken() == line.expected(0..<40))
  }

  @Test("A run that is cancelled in a request leaves its chunks, which the next run sends")
  func cancelled() async throws {
    let line = try await Line(chunks: 3, plan: ["hang"])
    defer { line.server.server.stop() }
    let task = Task { [heard = line.heard] in await line.uploader().run(until: true) { heard.add($0) } }
    while try await line.server.log().requests.isEmpty { await Task.yield() }
    task.cancel()
    await task.value
    #expect(try await line.queue.only(line.lanes[0]).pending == 3)
    await line.run()
    #expect(try await line.queue.only(line.lanes[0]).uploaded == 3)
  }

  @Test("A run that is cancelled in a request waits for its answer, and nothing of it is sent again")
  func cancelledBeforeTheAnswer() async throws {
    let line = try await Line(chunks: 3, plan: ["wait"])
    defer { line.server.server.stop() }
    // Its time stands still: the moment that an answer is granted does not end.
    let clock = ManualClock()
    let task = Task { [heard = line.heard] in await line.uploader(clock: clock).run(until: true) { heard.add($0) } }
    while try await line.server.log().requests.isEmpty { await Task.yield() }
    task.cancel()
    while clock.next == nil { await Task.yield() }
    line.server.server.wake()
    await task.value
    clock.advance(by: UploadLimits().lastAnswer)
    #expect(try await line.queue.only(line.lanes[0]).uploaded == 3)
    await line.run()
    #expect(try await line.taken() == line.expected(0..<3))
  }

  @Test("Ten thousand chunks of four boards, each once and in order")
  func many() async throws {
    let line = try await Line(boards: 4, chunks: 0)
    defer { line.server.server.stop() }
    // The loss of power is not what this test is about: without it, it takes a fraction of the time.
    try await line.queue.sql("PRAGMA synchronous = OFF")
    for number in 0..<2500 {
      for board in 0..<4 {
        _ = try await line.queue.append([UInt8(board), UInt8(number >> 8), UInt8(number & 255), 13, 10], number: number % 32, to: line.lanes[board])
      }
    }
    await line.run()
    for board in 0..<4 { #expect(try await line.taken(board) == line.expected(0..<2500, of: board)) }
    #expect(try await line.queue.status().allSatisfy { $0.uploaded == 2500 && $0.pending == 0 })
    #expect(await line.queue.filled == (0, 0))
  }
}
