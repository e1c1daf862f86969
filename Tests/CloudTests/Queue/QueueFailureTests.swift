import Bluetooth
import FoundationEssentials
import SQLite
import Testing

@testable import Cloud

/// Everything that a disk, another program or a user can do to a queue: each told, nothing lost in silence.
@Suite struct QueueFailureTests {
  @Test("One process a queue: the second is told, and may after the first is done")
  func twice() async throws {
    let bench = try QueueBench()
    let first = try await bench.queue()
    await #expect {
      _ = try await bench.queue()
    } throws: { error in
      guard case ChunkQueueError.inUse(let text) = error else { return false }
      return text.contains("in use by another process") && text.contains("wait for its end")
    }
    await first.close()
    await #expect(throws: ChunkQueueError.closed) { try await first.status() }
    _ = try await bench.queue()
  }

  @Test("A full disk is an error, the chunk is not there, and it can be taken later")
  func fullDisk() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    let pages = try await queue.number("PRAGMA page_count")
    try await queue.sql("PRAGMA max_page_count = \(pages + 1)")
    var stored = 0
    await #expect {
      for number in 0..<100 {
        _ = try await queue.append([UInt8](repeating: 1, count: 1000), number: number, to: lane)
        stored += 1
      }
    } throws: { error in
      guard case ChunkQueueError.notWritable(let text) = error else { return false }
      return text.contains("free space")
    }
    #expect(try await queue.waiting(lane).count == stored)
    #expect(try await queue.only(lane).received == stored)
    #expect(await queue.filled.chunks == stored)
    try await queue.sql("PRAGMA max_page_count = 100000")
    #expect(try await queue.append([1], number: 0, to: lane) == .stored)
  }

  @Test("A database that may only be read is told")
  func readOnly() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    try await queue.sql("PRAGMA query_only = 1")
    await #expect {
      _ = try await queue.append([1], number: 0, to: lane)
    } throws: { error in
      guard case ChunkQueueError.notWritable = error else { return false }
      return (error as? ChunkQueueError)?.mayPass == true
    }
  }

  @Test("A place where nothing can be written is told", arguments: ["/proc/flashline/queue.db", "/dev/null/queue.db", "/proc/queue.db"])
  func place(path: String) async {
    await #expect {
      _ = try await ChunkQueue(path: path)
    } throws: { error in
      guard case ChunkQueueError.notWritable(let text) = error else { return false }
      return text.contains("permissions")
    }
  }

  @Test("A damaged file is told with what to do, and left as it is")
  func damaged() async throws {
    let bench = try QueueBench()
    let garbage = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try garbage.write(to: URL(filePath: bench.path))
    await #expect {
      _ = try await bench.queue()
    } throws: { error in
      guard case ChunkQueueError.damaged(let text) = error else { return false }
      return text.contains("move it and its .keys folder away")
    }
    #expect(try Data(contentsOf: URL(filePath: bench.path)) == garbage)
  }

  @Test("A page that was overwritten is found when the queue is opened")
  func overwritten() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    for _ in 0..<50 { _ = try await queue.append([UInt8](repeating: 7, count: 900), number: 0, to: lane) }
    try await queue.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    await queue.close()
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: bench.path)))
    for index in 4096..<bytes.count where index % 3 == 0 { bytes[index] = 0xA5 }
    try Data(bytes).write(to: URL(filePath: bench.path))
    await #expect {
      _ = try await bench.queue()
    } throws: { error in
      if case ChunkQueueError.damaged = error { true } else { false }
    }
  }

  @Test(
    "A database of another program, or of a newer version, is not touched",
    arguments: ["CREATE TABLE x (y)", "PRAGMA application_id = 1179405873; PRAGMA user_version = 99"])
  func foreign(sql: String) async throws {
    let bench = try QueueBench()
    do { try QueueDatabase(bench.path, .readWrite).execute(sql) }
    let before = try Data(contentsOf: URL(filePath: bench.path))
    await #expect {
      _ = try await bench.queue()
    } throws: { error in
      if case ChunkQueueError.damaged = error { true } else { false }
    }
    #expect(try Data(contentsOf: URL(filePath: bench.path)) == before)
  }

  @Test("The database and its log are for their owner only, also when an older file was not")
  func modes() async throws {
    let bench = try QueueBench()
    try Data().write(to: URL(filePath: bench.path))
    try bench.setMode("queue.db", 0o644)
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    _ = try await queue.append([1], number: 0, to: lane)
    for name in ["queue.db", "queue.db-wal", "queue.db-shm", "queue.db.lock"] { #expect(try bench.mode(name) == 0o600, "\(name)") }
    #expect(try bench.mode("queue.db.keys") == 0o700)
    for name in try bench.keyFiles() { #expect(try bench.mode("queue.db.keys/" + name) == 0o600) }
  }

  @Test("The key is in its own file and nowhere else")
  func secret() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    for number in 0..<10 { _ = try await queue.append([UInt8(number)], number: number, to: lane) }
    try await queue.hold(lane, reason: "held")
    let batch = try #require(try await queue.takeOut(lane, chunks: 3, bytes: 100))
    #expect(batch.destination.key == ProjectKey(QueueBench.key))
    var text = "\(batch)\(try await queue.status())"
    dump(batch, to: &text)
    #expect(!text.contains(QueueBench.key))
    let files = try bench.files()
    #expect(files.contains { $0.name == "queue.db-wal" && !$0.bytes.isEmpty })
    for file in files { #expect(!String(decoding: file.bytes, as: Unicode.ASCII.self).contains(QueueBench.key), "\(file.name)") }
    let keys = try bench.keyFiles()
    #expect(keys.count == 1)
    #expect(try String(contentsOf: URL(filePath: bench.path + ".keys/" + keys[0]), encoding: .utf8) == QueueBench.key)
  }

  @Test("Two boards of one project share a key file")
  func shared() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    for board in 1...3 { _ = try await queue.open(QueueBench.source(UInt64(board))) }
    _ = try await queue.open(QueueBench.source(4, key: "another"))
    #expect(try bench.keyFiles().count == 2)
  }

  @Test("A key file that others may read is not used, and said")
  func openKey() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    _ = try await queue.append([1], number: 0, to: lane)
    let file = "queue.db.keys/" + (try bench.keyFiles()[0])
    try bench.setMode(file, 0o644)
    for attempt in [
      { _ = try await queue.open(QueueBench.source()) }, { _ = try await queue.takeOut(lane, chunks: 1, bytes: 100) },
    ] as [() async throws -> Void] {
      await #expect {
        try await attempt()
      } throws: { error in
        guard case ChunkQueueError.keyFile(_, _, let remedy) = error else { return false }
        return remedy.contains("chmod 600") && !"\(error)".contains(QueueBench.key)
      }
    }
    try bench.setMode(file, 0o600)
    #expect(try await queue.takeOut(lane, chunks: 1, bytes: 100)?.chunks.count == 1)
  }

  @Test("A folder of keys that others may look into is refused when the queue is opened")
  func openFolder() async throws {
    let bench = try QueueBench()
    await (try bench.queue()).close()
    try bench.setMode("queue.db.keys", 0o755)
    await #expect {
      _ = try await bench.queue()
    } throws: { error in
      guard case ChunkQueueError.keyFile(_, _, let remedy) = error else { return false }
      return remedy.contains("chmod 700")
    }
  }

  @Test("A lost key file is told, and written again when the board comes back; an emptied one is told")
  func lostKey() async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    _ = try await queue.append([1], number: 0, to: lane)
    let file = bench.path + ".keys/" + (try bench.keyFiles()[0])
    try FileManager.default.removeItem(atPath: file)
    await #expect {
      _ = try await queue.takeOut(lane, chunks: 1, bytes: 100)
    } throws: { error in
      guard case ChunkQueueError.keyFile(_, let what, let remedy) = error else { return false }
      return what == "it is gone" && remedy.contains("connect to the board again")
    }
    #expect(try await queue.open(QueueBench.source()) == lane)
    #expect(try await queue.takeOut(lane, chunks: 1, bytes: 100)?.destination.key == ProjectKey(QueueBench.key))
    for text in ["", "two words", String(repeating: "k", count: 5000)] {
      try FileManager.default.removeItem(atPath: file)
      try Data(text.utf8).write(to: URL(filePath: file))
      try bench.setMode("queue.db.keys/" + (bench.keyFiles()[0]), 0o600)
      await #expect {
        _ = try await queue.takeOut(lane, chunks: 1, bytes: 100)
      } throws: { error in
        guard case ChunkQueueError.keyFile(_, let what, _) = error else { return false }
        return what == "it holds no key"
      }
    }
  }

  @Test("A row that names a key file outside the folder is damage, not a path", arguments: ["../../etc/passwd", "", "ABCDEF", "/etc/passwd"])
  func name(text: String) async throws {
    let bench = try QueueBench()
    let queue = try await bench.queue()
    let lane = try await queue.open(QueueBench.source())
    _ = try await queue.append([1], number: 0, to: lane)
    try await queue.sql("UPDATE lanes SET key_file = '\(text)'")
    await #expect {
      _ = try await queue.takeOut(lane, chunks: 1, bytes: 100)
    } throws: { error in
      if case ChunkQueueError.damaged = error { true } else { false }
    }
  }

  @Test("A released migration is never edited")
  func migrations() {
    // FNV-1a over the text: changing it breaks queues that are in use.
    let hashes = QueueSchema.all.map { $0.sql.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
    #expect(hashes == [0x67393268F0E37D32])
  }
}
