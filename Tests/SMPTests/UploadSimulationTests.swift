import Testing

@testable import SMP

/// Whole uploads to a model board over a link that loses, doubles and reorders, driven by simulated time.
struct UploadSimulationTests {
  /// A board as smp.md §4.2 describes its server: go-back-N, resume by sha, a session that ends with the last byte or with a reset.
  private struct Board {
    let length: Int
    /// The offset expected next; nil without a session.
    var session: Int?
    /// Whether the whole file is in the slot.
    var hasImage = false

    enum Answer { case offset(Int), refusal(SMPResponseError) }

    mutating func receive(_ chunk: UploadChunk) -> Answer {
      if chunk.offset == 0 {
        guard chunk.length >= 32 || chunk.length == length else { return .refusal(.group(SMPGroupError(.firstChunkTooShort))) }
        if let session { return .offset(session) }
        hasImage = false
        session = 0
      }
      guard let expected = session else { return .offset(0) }
      guard chunk.offset == expected else { return .offset(expected) }
      guard chunk.end <= length else {
        session = nil
        return .refusal(.group(SMPGroupError(.dataOverrun)))
      }
      session = chunk.end
      guard chunk.end == length else { return .offset(chunk.end) }
      session = nil
      hasImage = true
      return .offset(length)
    }

    mutating func reset() { session = nil }
  }

  /// What may go wrong, as probabilities per packet.
  struct Faults: Sendable {
    var requestLoss = 0.0
    var requestCopy = 0.0
    var answerLoss = 0.0
    var answerCopy = 0.0
    /// The longest delay of a packet in ms; more than a few reorder.
    var requestDelay = 5
    var answerDelay = 5
    var busy = 0.0
    var noMemory = 0.0
    var reset = 0.0
    var losesLastAnswer = false
  }

  private enum Event {
    case arrives(UploadChunk)
    case answers(Int, Board.Answer)
    case timesOut(Int)
    case waited
  }

  private struct Outcome {
    var end: UploadWindow.Action?
    var board: Board
    var steps = 0
    var deepest = 0
    var complaint: String?
  }

  /// Runs one upload to its end, or to a number of events that no upload needs.
  private func run(_ faults: Faults, seed: UInt64, depth: Int, length: Int, requestSize: Int, alreadyThere: Int? = nil) -> Outcome {
    var random = SeededGenerator(state: seed)
    var window = UploadWindow(
      UploadStart(length: length, sha: [UInt8](repeating: 9, count: 32)), settings: UploadSettings(depth: depth, requestSize: requestSize))
    var outcome = Outcome(board: Board(length: length, session: alreadyThere))
    var queue: [(time: Int, order: Int, event: Event)] = []
    var now = 0
    var order = 0
    var onTheWay: Set<Int> = []
    var lastAnswerLost = false

    func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
    func schedule(_ event: Event, in delay: Int) {
      order += 1
      let entry = (time: now + delay, order: order, event: event)
      let index = queue.firstIndex { ($0.time, $0.order) > (entry.time, entry.order) } ?? queue.endIndex
      queue.insert(entry, at: index)
    }
    func perform(_ actions: [UploadWindow.Action]) {
      for action in actions {
        switch action {
        case .send(let chunk):
          if chunk.isFirst != (chunk.offset == 0) || chunk.length < 1 || chunk.end > length { outcome.complaint = "bad chunk \(chunk)" }
          onTheWay.insert(chunk.id)
          outcome.deepest = max(outcome.deepest, onTheWay.count)
          schedule(.timesOut(chunk.id), in: Int(chunk.timeout.components.seconds) * 1000)
          if !chance(faults.requestLoss) { schedule(.arrives(chunk), in: Int.random(in: 1...faults.requestDelay, using: &random)) }
          if chance(faults.requestCopy) { schedule(.arrives(chunk), in: Int.random(in: 1...faults.requestDelay, using: &random)) }
        case .wait(let duration):
          schedule(.waited, in: Int(duration / .milliseconds(1)))
        case .readBack:
          onTheWay = []
          perform(window.readBack(found: outcome.board.hasImage))
        case .progress(let offset):
          if !(0...length).contains(offset) || offset != window.acknowledged { outcome.complaint = "bad progress \(offset)" }
        case .finished, .failed:
          if outcome.end != nil { outcome.complaint = "ended twice" }
          outcome.end = action
        }
      }
    }

    perform(window.start())
    while outcome.end == nil, !queue.isEmpty, outcome.steps < 50_000 {
      let (time, _, event) = queue.removeFirst()
      now = time
      outcome.steps += 1
      switch event {
      case .arrives(let chunk):
        if chance(faults.reset) { outcome.board.reset() }
        var answer: Board.Answer
        if chance(faults.busy) {
          answer = .refusal(.status(.busy))
        } else if chance(faults.noMemory) {
          answer = .refusal(.status(.noMemory))
        } else {
          answer = outcome.board.receive(chunk)
        }
        if case .offset(length) = answer, faults.losesLastAnswer, !lastAnswerLost {
          lastAnswerLost = true
          continue
        }
        if !chance(faults.answerLoss) { schedule(.answers(chunk.id, answer), in: Int.random(in: 1...faults.answerDelay, using: &random)) }
        if chance(faults.answerCopy) { schedule(.answers(chunk.id, answer), in: Int.random(in: 1...faults.answerDelay, using: &random)) }
      case .answers(let id, .offset(let offset)):
        onTheWay.remove(id)
        perform(window.answered(id, offset: offset))
      case .answers(let id, .refusal(let error)):
        onTheWay.remove(id)
        perform(window.refused(id, error))
      case .timesOut(let id):
        onTheWay.remove(id)
        perform(window.timedOut(id))
      case .waited:
        perform(window.waited())
      }
    }
    return outcome
  }

  private func check(_ outcome: Outcome, mustFinish: Bool, _ comment: Comment) {
    #expect(outcome.complaint == nil, comment)
    switch outcome.end {
    case .finished?: #expect(outcome.board.hasImage, comment)
    case .failed(let failure)?: #expect(!mustFinish, "\(failure), \(comment)")
    default: Issue.record("never ended: \(comment)")
    }
  }

  @Test("A perfect link: as many requests as pieces, the window never deeper than allowed", arguments: [1, 2, 3, 7, 31])
  func perfect(depth: Int) {
    let outcome = run(Faults(requestDelay: 1, answerDelay: 1), seed: 1, depth: depth, length: 40_000, requestSize: 244)
    check(outcome, mustFinish: true, "depth \(depth)")
    #expect(outcome.deepest == depth)
    let pieces = ChunkSizerTests.lengths(UploadStart(length: 40_000, sha: ChunkSizerTests.sha), requestSize: 244, alignment: 1).count
    // An arrival and an answer for each.
    #expect(outcome.steps == 2 * pieces)
  }

  @Test("Losses, copies and reordering in both directions: always the whole image", arguments: 0..<400)
  func unreliable(seed: Int) {
    let faults = Faults(requestLoss: 0.03, requestCopy: 0.03, answerLoss: 0.05, answerCopy: 0.05, requestDelay: 1 + seed % 7, answerDelay: 1 + seed % 60)
    let outcome = run(faults, seed: UInt64(seed), depth: 1 + seed % 8, length: 12_345, requestSize: 244)
    check(outcome, mustFinish: true, "seed \(seed)")
  }

  @Test("The last answer is lost: the image is found by reading back, and never written twice", arguments: 0..<100)
  func lastAnswer(seed: Int) {
    let faults = Faults(requestLoss: 0.01, answerLoss: 0.02, answerDelay: 20, losesLastAnswer: true)
    let outcome = run(faults, seed: UInt64(seed), depth: 1 + seed % 4, length: 5000, requestSize: 244)
    check(outcome, mustFinish: true, "seed \(seed)")
  }

  @Test("Busy and out of memory now and then: waited out", arguments: 0..<100)
  func patience(seed: Int) {
    let outcome = run(Faults(answerDelay: 20, busy: 0.05, noMemory: 0.05), seed: UInt64(seed), depth: 1 + seed % 6, length: 8000, requestSize: 244)
    check(outcome, mustFinish: true, "seed \(seed)")
  }

  @Test("A board that resets in the middle, and everything else too: ends, and says finished only when the image is there", arguments: 0..<300)
  func hostile(seed: Int) {
    let faults = Faults(
      requestLoss: 0.1, requestCopy: 0.05, answerLoss: 0.1, answerCopy: 0.1, requestDelay: 1 + seed % 30, answerDelay: 1 + seed % 200, busy: 0.03,
      noMemory: 0.03, reset: 0.01, losesLastAnswer: seed.isMultiple(of: 2))
    let outcome = run(faults, seed: UInt64(seed), depth: 1 + seed % 12, length: 9000, requestSize: 180)
    check(outcome, mustFinish: false, "seed \(seed)")
  }

  @Test("An upload that a board has half is continued, not begun again", arguments: [58, 1000, 11_999])
  func resumes(at offset: Int) {
    let outcome = run(Faults(), seed: 3, depth: 3, length: 12_000, requestSize: 244, alreadyThere: offset)
    check(outcome, mustFinish: true, "offset \(offset)")
  }

  @Test("A board that never answers is given up")
  func deaf() {
    let outcome = run(Faults(requestLoss: 1), seed: 4, depth: 3, length: 12_000, requestSize: 244)
    #expect(outcome.end == .failed(.silent(offset: 0)))
  }
}
