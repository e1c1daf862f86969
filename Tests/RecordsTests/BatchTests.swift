import SQLite
import Bluetooth
import Flashing
import Foundation
import Testing

@testable import Records

@Suite("Batches: what continues and what a crash leaves")
struct BatchTests {
  /// Whether the same start goes on with the batch after each end (contract §2: until it ends; a stop and a fault are not its end).
  static let ends: [(EndReason, Bool)] = [
    (.count, false), (.until, false), (.idle, false), (.boards, false), (.sameFailures, false), (.operator, true), (.fault, true),
  ]

  @Test("A batch goes on after a stop or a fault, and not after its own end", arguments: ends)
  func endings(reason: EndReason, continues: Bool) async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let first = try await book.newBatch(startNew: false)
    #expect(!first.isContinued && first.attempts.isEmpty)
    let done = try await book.record(first.id, board: 1, .passed)
    _ = try await book.endBatch(first.id, reason: reason, missing: [], at: Sample.morning + 1000)

    let second = try await book.newBatch(startNew: false)
    #expect(second.isContinued == continues)
    #expect((second.id == first.id) == continues)
    #expect(second.attempts == (continues ? [done] : []))
    #expect(try bench.query("SELECT count(*) FROM batches WHERE ended_at IS NULL").first == [.integer(1)])
    try await book.close()
    #expect(try await RecordReader.open(bench.database).audit().isSound, "ends and continuations are chained")
  }

  @Test("Another kind of job, profile, package, lot or work order is another batch; so is --new")
  func keys() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let key = BatchKey(job: .update, profiles: ["a", "b"], packages: ["11", "22"], lot: "L", workOrder: "W")
    var ids = [try await book.newBatch(key, startNew: false).id]
    let changes: [@Sendable (inout BatchKey) -> Void] = [
      { $0.job = .rescue }, { $0.profiles = ["a"] }, { $0.packages[1] = "33" }, { $0.lot = nil }, { $0.lot = "" }, { $0.workOrder = "V" },
      { $0.workOrder = nil }, { $0.profiles = ["a,b"] },
    ]
    for change in changes {
      var other = key
      change(&other)
      ids.append(try await book.newBatch(other, startNew: false).id)
      #expect(try await book.newBatch(other, startNew: false).id == ids.last)
    }
    ids.append(try await book.newBatch(key, startNew: true).id)
    #expect(Set(ids).count == ids.count)
    #expect(try await book.newBatch(key, startNew: false).id == ids.last, "the newest batch of a key is the one that goes on")
    try await book.close()
  }

  @Test("What a batch that goes on had as its package is told before a job has one", arguments: ends)
  func packagesOfAnUnfinishedBatch(reason: EndReason, continues: Bool) async throws {
    let bench = try Workbench()
    var asked = BatchKey(job: .update, profiles: ["a", "b"], packages: [], lot: "L", workOrder: nil)
    #expect(try await RecordReader.unfinishedPackages(bench.database, asked) == nil, "no database")
    let book = try await bench.open()
    #expect(try await RecordReader.unfinishedPackages(bench.database, asked) == nil, "no batch")
    var key = asked
    key.packages = ["11", "22"]
    let first = try await book.newBatch(key, startNew: false).id
    #expect(try await RecordReader.unfinishedPackages(bench.database, asked) == ["11", "22"], "one that runs, or crashed")
    _ = try await book.endBatch(first, reason: reason, missing: [], at: Sample.morning + 1000)
    #expect(try await RecordReader.unfinishedPackages(bench.database, asked) == (continues ? ["11", "22"] : nil))
    key.packages = ["33", "44"]
    _ = try await book.newBatch(key, startNew: false)
    #expect(try await RecordReader.unfinishedPackages(bench.database, asked) == ["33", "44"], "the newest one counts")
    asked.lot = "M"
    #expect(try await RecordReader.unfinishedPackages(bench.database, asked) == nil)
    try await book.close()
  }

  @Test("A batch ends once")
  func endTwice() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let head = try await book.endBatch(batch, reason: .boards, missing: ["U7", "U\"8\""], at: Sample.morning)
    #expect(head.count == 64 && head != Canon.genesis)
    #expect(
      try bench.query("SELECT ended_at, end_reason, missing FROM batches").first == [
        .text("2026-11-30T08:00:00.000Z"), .text("boards"), .text(#"["U7","U\"8\""]"#),
      ])
    await #expect(throws: RecordError.self) { try await book.endBatch(batch, reason: .idle, missing: [], at: Sample.morning) }
    try await book.close()
  }

  /// Phases noted before the crash, and how the board counts as left.
  static let crashes: [([Phase], LeftAs)] = [
    ([], .untouched), ([.connect, .identify, .prepare], .untouched), ([.connect, .upload], .unknown), ([.connect, .upload, .connect], .unknown),
    ([.detach], .unknown), ([.rescue], .unknown), ([.connect, .identify, .prepare, .upload, .test, .reset, .reconnect], .unknown),
  ]

  @Test("An attempt that a crash left open is closed as aborted, numbered and chained", arguments: crashes)
  func crash(phases: [Phase], leftAs: LeftAs) async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let done = try await book.record(batch, board: 1, .passed)
    let open = try await book.begin(Sample.attempt(batch, board: 2))
    for (index, phase) in phases.enumerated() {
      try await book.enter(phase, attemptID: try #require(open.attemptID), at: Sample.morning + Int64(index + 1) * 1500)
    }

    // What a power cut leaves: the files as they are while the job runs.
    let after = try Workbench()
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: bench.database + suffix, toPath: after.database + suffix) }
    let next = try await after.open()
    let opened = try await next.newBatch(startNew: false, at: Sample.morning + 86_400_000)

    #expect(opened.isContinued && opened.id == batch)
    try #require(opened.attempts.count == 2)
    #expect(opened.attempts[0] == done)
    let closed = opened.attempts[1]
    #expect(closed.record == 2 && closed.attemptID == open.attemptID)
    #expect(closed.outcome == .aborted && closed.failureCode == .stationCrashed && !closed.good && !closed.isFinal)
    #expect(closed.failurePhase == phases.last && closed.leftAs == leftAs)
    #expect(closed.finishedAt == Sample.morning + 86_400_000 && closed.reportDay == "2026-12-01")
    #expect(closed.duration == Double(phases.count) * 1.5, "up to the last sign of life, not the night that the station was off")
    #expect(try after.text(after.reports + "/2026-11-30.csv").split(separator: "\r\n").count == 2, "the last day is written again")
    #expect(try after.text(after.reports + "/2026-12-01.csv").contains("station.crashed"))
    try await next.close()
    let audit = try await RecordReader.open(after.database).audit()
    #expect(audit.isSound && audit.results == 2)
    try await book.close()
  }

  @Test("A wall clock that was set back makes no negative duration")
  func clockSetBack() {
    let closed = CrashClosing.close(Sample.attempt(1, board: 1), phases: [(.connect, Sample.morning - 5000)], at: Sample.morning - 4000)
    #expect(closed.duration == 0)
  }

  @Test("A clock that is set back an hour during a job: records keep the order of commits, durations stay, the audit and the report hold")
  func clockSetBackDuringAJob() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let back = Sample.morning - 3_600_000
    try await book.record(batch, board: 1, .passed)
    // Begun before, ended after: its duration is monotonic, its end lies before its beginning.
    let across = try await book.begin(Sample.attempt(batch, board: 2))
    var ended = Sample.ended(across, .passed, seconds: 3)
    ended.finishedAt = back
    _ = try await book.finish(ended)
    try await book.record(batch, board: 3, .passed, at: back + 1000)
    let head = try await book.endBatch(batch, reason: .count, missing: [], at: back + 5000)
    #expect(
      try bench.query("SELECT record, mac, duration_s FROM results ORDER BY record")
        == (1...3).map { [.integer(Int64($0)), .text(Sample.board($0).description), .real($0 == 2 ? 3 : 2)] })
    let rows = try bench.text(bench.reports + "/2026-11-30.csv").split(separator: "\r\n").dropFirst()
    #expect(rows.map { $0.prefix { $0 != "," } } == ["1", "2", "3"])
    #expect(try await book.newBatch(startNew: true).id != batch)
    try await book.close()
    let audit = try await RecordReader.open(bench.database).audit(expecting: head)
    #expect(audit.isSound && audit.results == 3)
  }

  @Test("An attempt is recorded once")
  func finishTwice() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let done = try await book.record(batch, board: 1, .passed)
    await #expect(throws: RecordError.self) { _ = try await book.finish(done) }
    var changed = done
    changed.attemptID = 77
    let unknown = changed
    await #expect(throws: RecordError.self) { _ = try await book.finish(unknown) }
    #expect(try bench.query("SELECT count(*) FROM audit").first == [.integer(1)])
    try await book.close()
  }

  @Test("What was recorded comes back whole: every column, through the database")
  func wholeRecord() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let full = try await book.record(batch, board: 1, .failed) { $0 = Sample.full(batch) }
    for column in ResultColumn.allCases { #expect(full.cell(column) != .absent, "\(column.rawValue) is filled in this test") }
    #expect(try await book.newBatch(startNew: false).attempts == [full])
    try await book.close()
  }
}
