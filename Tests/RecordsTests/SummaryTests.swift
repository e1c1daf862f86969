import SQLite
import Flashing
import Testing

@testable import Records

@Suite("Yield and the other figures")
struct SummaryTests {
  /// One attempt of a story: before the filter's time or in it, which board, how it ended, and for which image.
  struct Step: Sendable {
    var isInFilter: Bool
    var board: Int
    var outcome: Outcome
    var image = "ab12"
    var job = JobKind.update
  }

  struct Story: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    /// Passed and judged.
    var firstPass: (Int, Int)
    var final: (Int, Int)
  }

  private static func before(_ board: Int, _ outcome: Outcome, image: String = "ab12") -> Step {
    Step(isInFilter: false, board: board, outcome: outcome, image: image)
  }

  private static func now(_ board: Int, _ outcome: Outcome, image: String = "ab12", job: JobKind = .update) -> Step {
    Step(isInFilter: true, board: board, outcome: outcome, image: image, job: job)
  }

  static let stories = [
    Story(testDescription: "all pass at once", steps: [now(1, .passed), now(2, .passed)], firstPass: (2, 2), final: (2, 2)),
    Story(
      testDescription: "one passes at its second attempt", steps: [now(1, .passed), now(2, .failed), now(2, .passed)], firstPass: (1, 2), final: (2, 2)),
    Story(testDescription: "a timeout is judged", steps: [now(1, .timeout)], firstPass: (0, 1), final: (0, 1)),
    Story(
      testDescription: "passed first, failed later", steps: [now(1, .passed), now(1, .failed)], firstPass: (1, 1), final: (0, 1)),
    Story(
      testDescription: "refused, skipped, error and aborted are not judged",
      steps: [now(1, .refused), now(2, .skipped), now(3, .error), now(4, .aborted)], firstPass: (0, 0), final: (0, 0)),
    Story(
      testDescription: "the station's fault before a pass does not spoil the first pass", steps: [now(1, .error), now(1, .aborted), now(1, .passed)],
      firstPass: (1, 1), final: (1, 1)),
    Story(
      testDescription: "the first attempt is looked for in the whole database", steps: [before(1, .failed), now(1, .passed), now(2, .passed)],
      firstPass: (1, 2), final: (2, 2)),
    Story(
      testDescription: "an attempt for another image is another story", steps: [before(1, .failed, image: "cd34"), now(1, .passed)], firstPass: (1, 1),
      final: (1, 1)),
    Story(
      testDescription: "a board with two images counts for each", steps: [now(1, .failed), now(1, .passed, image: "cd34")], firstPass: (1, 2),
      final: (1, 2)),
    Story(
      testDescription: "the other job is not mixed in", steps: [now(1, .failed, job: .rescue), now(1, .passed)], firstPass: (1, 1), final: (1, 1)),
  ]

  @Test("First-pass and final yield", arguments: stories)
  func yield(story: Story) async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    for step in story.steps {
      try await book.record(batch, board: step.board, step.outcome, at: Sample.morning + (step.isInFilter ? 0 : -86_400_000)) {
        $0.imageHash = step.image
        $0.job = step.job
      }
    }
    try await book.close()
    let section = try #require(try await RecordReader.open(bench.database).summary(Filter(since: Sample.morning)).sections.first { $0.job == .update })
    #expect(section.firstPass == Summary.Yield(passed: story.firstPass.0, judged: story.firstPass.1))
    #expect(section.final == Summary.Yield(passed: story.final.0, judged: story.final.1))
    #expect(section.attempts == story.steps.filter { $0.isInFilter && $0.job == .update }.count)
  }

  @Test("Outcomes, adapters, codes, median and 95th percentile, as JSON and as lines")
  func figures() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    for board in 1...20 {
      let begun = try await book.begin(Sample.attempt(batch, board: board))
      var ended = Sample.ended(begun, board == 20 ? .failed : .passed, seconds: Double(board))
      ended.adapterPath = board <= 15 ? "1-1" : "1-2"
      ended.adapterLabel = board <= 15 ? "left" : nil
      ended.uploadBytes = 1000
      ended.uploadSpeed = board <= 3 ? Double(board) * 10 : nil
      _ = try await book.finish(ended)
    }
    try await book.record(batch, board: 21, .error) { $0.failureCode = .adapterRemoved }
    let head = try await book.endBatch(batch, reason: .idle, missing: [], at: Sample.morning)
    try await book.close()

    let summary = try await RecordReader.open(bench.database).summary(Filter())
    #expect(
      summary.json.line
        == #"{"jobs":[{"job":"update","attempts":21,"boards":21,"good_boards":19,"outcomes":{"passed":19,"skipped":0,"refused":0,"failed":1,"#
        + #""timeout":0,"error":1,"aborted":0},"judged_boards":20,"first_pass":{"passed":19,"judged":20,"yield":0.95},"#
        + #""final":{"passed":19,"judged":20,"yield":0.95},"adapters":["#
        + #"{"adapter_path":"1-1","adapter_label":"left","outcomes":{"passed":15,"skipped":0,"refused":0,"failed":0,"timeout":0,"error":0,"aborted":0}},"#
        + #"{"adapter_path":"1-2","adapter_label":null,"outcomes":{"passed":4,"skipped":0,"refused":0,"failed":1,"timeout":0,"error":0,"aborted":0}},"#
        + #"{"adapter_path":null,"adapter_label":null,"outcomes":{"passed":0,"skipped":0,"refused":0,"failed":0,"timeout":0,"error":1,"aborted":0}}],"#
        + #""failures":[{"failure_code":"adapter.removed","outcome":"error","attempts":1,"boards":1},"#
        + #"{"failure_code":"link.lost","outcome":"failed","attempts":1,"boards":1}],"duration_s":{"count":20,"median":10.5,"p95":19.0},"#
        + #""upload_kB_per_s":{"count":3,"median":20.0,"p95":30.0},"upload_bytes":20000}],"audit_head":"\#(head)"}"#)
    #expect(
      summary.lines == [
        "update: 21 boards, 21 attempts, 19 boards good", "  first-pass yield 95.0 % (19 of 20), final yield 95.0 % (19 of 20)",
        "  attempts: 19 passed, 1 failed, 1 error", "  duration: median 10.5 s, 95 % within 19.0 s",
        "  upload: median 20.0 kB/s, 95 % at most 30.0 kB/s, 20000 bytes in all", "  adapter left at 1-1: 15 passed", "  adapter 1-2: 4 passed, 1 failed",
        "  adapter (none yet): 1 error", "  error adapter.removed: 1 attempts, 1 boards", "  failed link.lost: 1 attempts, 1 boards",
        "audit head \(head)",
      ])
  }

  @Test("Nothing recorded is said plainly")
  func empty() async throws {
    let bench = try Workbench()
    try await bench.open().close()
    let summary = try await RecordReader.open(bench.database).summary(Filter())
    #expect(summary.sections.isEmpty && summary.lines.first == "No results match.")
  }
}
