import Testing

@testable import SMP

/// The upload machine, input by input. B = 124 gives a first piece of 58 bytes for these small files, later ones of 102 (from offset 256 on: 101).
struct UploadWindowTests {
  static let upload = UploadStart(length: 1000, sha: [UInt8](repeating: 1, count: 32))

  private func window(depth: Int = 3, requestSize: Int = 124, _ change: (inout UploadSettings) -> Void = { _ in }) -> UploadWindow {
    var settings = UploadSettings(depth: depth, requestSize: requestSize)
    change(&settings)
    return UploadWindow(Self.upload, settings: settings)
  }

  private func chunks(_ actions: [UploadWindow.Action]) -> [UploadChunk] {
    actions.compactMap { if case .send(let chunk) = $0 { chunk } else { nil } }
  }

  /// A window whose first piece was answered, and the pieces that are on their way.
  private func opened(depth: Int = 3, _ change: (inout UploadSettings) -> Void = { _ in }) -> (UploadWindow, [UploadChunk]) {
    var window = window(depth: depth, change)
    let first = chunks(window.start())
    let next = chunks(window.answered(0, offset: first[0].end))
    return (window, next)
  }

  @Test("The first piece goes alone, with the long time-out; its answer fills the window")
  func opens() {
    var window = window()
    let first = chunks(window.start())
    expect(window.start(), [])
    #expect(first == [UploadChunk(id: 0, offset: 0, length: 58, isFirst: true, isLast: false, timeout: .seconds(40))])
    let actions = window.answered(0, offset: 58)
    #expect(actions.first == .progress(58))
    #expect(chunks(actions).map(\.range) == [58..<160, 160..<262, 262..<363])
    #expect(chunks(actions).allSatisfy { !$0.isFirst && $0.timeout == .seconds(10) })
    #expect(window.resumedFrom == nil)
  }

  @Test("A file in one piece is finished by its first answer")
  func onePiece() {
    var window = UploadWindow(UploadStart(length: 40, sha: []), settings: UploadSettings(depth: 3, requestSize: 124))
    let first = chunks(window.start())
    #expect(first.map(\.isLast) == [true])
    expect(window.answered(0, offset: 40, match: true), [.progress(40), .finished])
  }

  @Test(
    "What cannot work is said before anything is sent",
    arguments: [
      // MTU 23 without reassembly carries 20 bytes (smp.md §4.1).
      (20, 1000, UploadFailure?.some(.requestTooSmall(requestSize: 20))), (97, 1000, .requestTooSmall(requestSize: 97)), (98, 1000, nil),
      (0, 1000, .requestTooSmall(requestSize: 0)), (-5, 1000, .requestTooSmall(requestSize: -5)), (495, 31, .imageTooShort(length: 31)),
      (495, 0, .imageTooShort(length: 0)), (495, 32, nil),
    ])
  func impossible(requestSize: Int, length: Int, failure: UploadFailure?) {
    var window = UploadWindow(UploadStart(length: length, sha: Self.upload.sha), settings: UploadSettings(depth: 1, requestSize: requestSize))
    let actions = window.start()
    if let failure {
      #expect(actions == [.failed(failure)])
    } else {
      #expect(chunks(actions).count == 1)
    }
    expect(window.start(), [])
  }

  @Test("Answers in order keep the window full, and the last one ends it; nothing is sent twice")
  func straight() {
    var window = window()
    var pending = chunks(window.start())
    var sent: [Range<Int>] = []
    var last: [UploadWindow.Action] = []
    while !pending.isEmpty {
      let chunk = pending.removeFirst()
      sent.append(chunk.range)
      #expect(chunk.isLast == (chunk.end == 1000))
      if chunk.isLast { #expect(chunk.timeout == .seconds(20)) }
      last = window.answered(chunk.id, offset: chunk.end)
      pending += chunks(last)
      #expect(pending.count <= 3)
    }
    #expect(last == [.progress(1000), .finished])
    #expect(sent.first?.lowerBound == 0)
    #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    #expect(window.acknowledged == 1000)
    #expect(window.recoveries == 0)
    #expect(window.requests == sent.count)
  }

  @Test("The first answer may name an offset far in the file: the upload is continued there")
  func resumes() {
    var window = window()
    _ = window.start()
    let actions = window.answered(0, offset: 777)
    #expect(window.resumedFrom == 777)
    #expect(chunks(actions).map(\.offset) == [777, 878, 979])
    #expect(chunks(actions).last?.end == 1000)
  }

  @Test("A board that checks may say at once that it has everything; a mismatch fails", arguments: [Bool?.none, true, false])
  func completeAtOnce(match: Bool?) {
    var window = window()
    _ = window.start()
    expect(window.answered(0, offset: 1000, match: match), [.progress(1000), match == false ? .failed(.mismatch) : .finished])
  }

  @Test("An offset that the board cannot mean fails, in the first answer and later")
  func impossibleOffset() {
    var first = window()
    _ = first.start()
    expect(first.answered(0, offset: 1001), [.failed(.offsetUnexpected(1001))])
    var negative = window()
    _ = negative.start()
    expect(negative.answered(0, offset: -1), [.failed(.offsetUnexpected(-1))])
    var (later, sent) = opened()
    expect(later.answered(sent[0].id, offset: 364), [.failed(.offsetUnexpected(364))])
    expect(later.answered(sent[1].id, offset: 262), [])
    expect(later.timedOut(sent[2].id), [])
    expect(later.refused(sent[2].id, .status(.busy)), [])
  }

  @Test("A lost answer is made good by the next one; the lost one's time-out and late answer change nothing")
  func lostAnswer() {
    var (window, sent) = opened()
    let actions = window.answered(sent[1].id, offset: sent[1].end)
    #expect(actions.first == .progress(262))
    #expect(chunks(actions).map(\.offset) == [363, 464])
    expect(window.timedOut(sent[0].id), [])
    expect(window.answered(sent[0].id, offset: sent[0].end), [])
    expect(window.answered(sent[1].id, offset: sent[1].end), [])
    #expect(window.acknowledged == 262)
    #expect(window.depth == 3)
    #expect(window.recoveries == 0)
  }

  @Test("A lost request: back to the offset that the board names, once, with a smaller window that grows again")
  func lostRequest() {
    var (window, sent) = opened(depth: 4) { $0.growAfter = 3 }
    // Piece 160 is lost; 58 is answered, 262 and 363 are answered with 160.
    let more = chunks(window.answered(sent[0].id, offset: 160))
    #expect(more.map(\.offset) == [464])
    let back = window.answered(sent[2].id, offset: 160)
    #expect(window.depth == 2)
    // Two pieces are still on their way (363, 464), which the window of two is full of.
    #expect(back == [])
    #expect(chunks(window.answered(sent[3].id, offset: 160)).map(\.offset) == [160])
    var pending = chunks(window.answered(more[0].id, offset: 160))
    #expect(pending.map(\.offset) == [262])
    #expect(window.depth == 2)
    #expect(window.recoveries == 1)
    pending = chunks(window.answered(5 + 1, offset: 262)) + pending
    for _ in 0..<4 {
      guard let chunk = pending.min(by: { $0.id < $1.id }) else { break }
      pending.removeAll { $0.id == chunk.id }
      pending += chunks(window.answered(chunk.id, offset: chunk.end))
    }
    #expect(window.depth == 3)
  }

  @Test("A board that takes only a part of a piece is followed (smp.md §2.3, MCUboot's recovery)")
  func partOfPiece() {
    var (window, sent) = opened(depth: 1)
    let actions = window.answered(sent[0].id, offset: 156)
    #expect(actions.first == .progress(156))
    #expect(chunks(actions).map(\.offset) == [156])
    #expect(window.recoveries == 0)
  }

  @Test("A board whose offset goes back is followed back")
  func backwards() {
    var (window, sent) = opened(depth: 1)
    let next = chunks(window.answered(sent[0].id, offset: 160))
    let back = window.answered(next[0].id, offset: 58)
    #expect(back.first == .progress(58))
    #expect(chunks(back).map(\.offset) == [58])
  }

  @Test("Offset 0 in the middle: the whole first piece again, at most so many times")
  func sessionLost() {
    var (window, sent) = opened { $0.restartLimit = 2 }
    for round in 1...2 {
      let again = window.answered(sent[0].id, offset: 0)
      #expect(again.first == .progress(0))
      let first = chunks(again)
      #expect(first.map(\.isFirst) == [true])
      #expect(window.restarts == round)
      // Answers to what was sent before tell nothing any more.
      expect(window.answered(sent[1].id, offset: 0), [])
      sent = chunks(window.answered(first[0].id, offset: first[0].end))
      #expect(sent.count == 3)
    }
    expect(window.answered(sent[0].id, offset: 0), [.failed(.restartedTooOften(limit: 2))])
  }

  /// A window with everything sent, the last piece alone on its way.
  private func atTheEnd() -> (UploadWindow, UploadChunk) {
    var window = window(depth: 1)
    _ = window.start()
    let last = chunks(window.answered(0, offset: 950))
    return (window, last[0])
  }

  @Test("The last answer is lost, the piece sent again is answered with 0, or not at all: the image state decides")
  func lostLastAnswer() {
    var (silent, last) = atTheEnd()
    #expect(last.isLast && last.timeout == .seconds(20))
    expect(silent.timedOut(last.id), [.readBack])
    #expect(silent.acknowledged == 950)
    expect(silent.answered(last.id, offset: 1000), [])
    expect(silent.readBack(found: true), [.progress(1000), .finished])
    #expect(silent.acknowledged == 1000)

    var (zero, piece) = atTheEnd()
    expect(zero.answered(piece.id, offset: 0), [.readBack])
    let again = zero.readBack(found: false)
    #expect(again.first == .progress(0))
    #expect(chunks(again).map(\.isFirst) == [true])
    #expect(zero.restarts == 1)
    expect(zero.readBack(found: true), [])
  }

  @Test("With the last piece on its way and others too, their answers are waited for first")
  func lastTimesOutInWindow() {
    var window = window(depth: 3)
    _ = window.start()
    let sent = chunks(window.answered(0, offset: 777))
    #expect(sent.map(\.isLast) == [false, false, true])
    expect(window.timedOut(sent[2].id), [])
    expect(window.timedOut(sent[1].id), [])
    // Everything was sent once: 0 now means that the board may have finished.
    expect(window.answered(sent[0].id, offset: 0), [.readBack])
  }

  @Test("Time-outs: the piece again from the board's offset, half the window, and an end after the limit")
  func timeouts() {
    var (window, sent) = opened(depth: 4) { $0.timeoutLimit = 3 }
    expect(window.timedOut(sent[0].id), [])
    #expect(window.depth == 2)
    // The others of the same window say nothing new.
    expect(window.timedOut(sent[1].id), [])
    let again = chunks(window.timedOut(sent[2].id))
    #expect(again.map(\.offset) == [58])
    let second = chunks(window.timedOut(sent[3].id))
    #expect(second.map(\.offset) == [160])
    #expect(window.depth == 2)
    let third = chunks(window.timedOut(again[0].id))
    #expect(window.depth == 1)
    #expect(third.isEmpty)
    let fourth = chunks(window.timedOut(second[0].id))
    #expect(fourth.map(\.offset) == [58])
    expect(window.timedOut(fourth[0].id), [.failed(.silent(offset: 58))])
  }

  @Test("A late answer to a piece that timed out is taken, and its copy is not asked about again")
  func lateAnswer() {
    var (window, sent) = opened(depth: 1)
    let copy = chunks(window.timedOut(sent[0].id))
    #expect(copy.map(\.offset) == [58])
    let actions = window.answered(sent[0].id, offset: 160)
    #expect(actions == [.progress(160)])
    // The copy is answered with what the board expects already.
    #expect(chunks(window.answered(copy[0].id, offset: 160)).map(\.offset) == [160])
    #expect(window.acknowledged == 160)
  }

  @Test("The first piece is sent three times, then the board is silent")
  func firstTimesOut() {
    var window = window()
    _ = window.start()
    #expect(chunks(window.timedOut(0)).map(\.id) == [1])
    expect(window.timedOut(0), [])
    expect(window.answered(0, offset: 58), [])
    #expect(chunks(window.timedOut(1)).map(\.isFirst) == [true])
    expect(window.timedOut(2), [.failed(.silent(offset: 0))])
  }

  @Test("Busy: the same bytes after a wait that doubles, to the limit; progress begins anew")
  func busy() {
    var (window, sent) = opened(depth: 1) {
      $0.waitLimit = 3
      $0.longestWait = .milliseconds(300)
    }
    var waits: [UploadWindow.Action] = []
    for _ in 0..<3 {
      waits += window.refused(sent[0].id, .status(.busy))
      #expect(window.allowsSilence)
      sent = chunks(window.waited())
      #expect(!window.allowsSilence)
      #expect(sent.map(\.offset) == [58])
    }
    #expect(waits == [.wait(.milliseconds(100)), .wait(.milliseconds(200)), .wait(.milliseconds(300))])
    expect(window.waited(), [])
    var patient = window
    expect(window.refused(sent[0].id, .status(.busy)), [.failed(.refused(.status(.busy), offset: 58))])
    sent = chunks(patient.answered(sent[0].id, offset: 160))
    expect(patient.refused(sent[0].id, .status(.busy, reason: "flash")), [.wait(.milliseconds(100))])
  }

  @Test("Busy at the first piece: the first piece again")
  func busyAtFirst() {
    var window = window()
    _ = window.start()
    expect(window.refused(0, .status(.busy)), [.wait(.milliseconds(100))])
    #expect(chunks(window.waited()).map(\.isFirst) == [true])
  }

  @Test("No memory: a smaller window after a wait; while it waits, answers are taken and nothing is sent")
  func noMemory() {
    var (window, sent) = opened(depth: 4)
    expect(window.refused(sent[0].id, .status(.noMemory)), [.wait(.milliseconds(100))])
    #expect(window.depth == 2)
    expect(window.refused(sent[1].id, .group(SMPGroupError(.outOfMemory))), [])
    #expect(window.depth == 2)
    expect(window.answered(sent[2].id, offset: 58), [])
    expect(window.timedOut(sent[3].id), [])
    #expect(chunks(window.waited()).map(\.offset) == [58, 160].prefix(window.depth).map { $0 })
  }

  @Test(
    "Other refusals end the upload with the board's own reason",
    arguments: [
      SMPResponseError.group(SMPGroupError(.noFreeSlot)), .group(SMPGroupError(.imageTooLarge)), .group(SMPGroupError(.flashWrite)),
      .group(SMPGroupError(group: .image, code: 99)), .status(.unknown), .status(.badState), .status(.accessDenied), .status(.other(300)),
    ])
  func refusals(error: SMPResponseError) {
    var first = window()
    _ = first.start()
    expect(first.refused(0, error), [.failed(.refused(error, offset: 0))])
    var (later, sent) = opened()
    expect(later.refused(sent[1].id, error), [.failed(.refused(error, offset: 160))])
    expect(later.answered(sent[0].id, offset: 160), [])
  }

  @Test("A request that came damaged is sent again, so many times")
  func damaged() {
    var (window, sent) = opened(depth: 1) { $0.stallLimit = 3 }
    for _ in 0..<2 {
      sent = chunks(window.refused(sent[0].id, .status(.corrupt)))
      #expect(sent.map(\.offset) == [58])
    }
    expect(window.refused(sent[0].id, .status(.corrupt)), [.failed(.refused(.status(.corrupt), offset: 58))])
  }

  @Test("A board that names the same offset for ever ends the upload")
  func noProgress() {
    var (window, sent) = opened(depth: 2)
    var rounds = 0
    var failure: UploadFailure?
    while failure == nil, rounds < 1000, !sent.isEmpty {
      rounds += 1
      let actions = window.answered(sent.removeFirst().id, offset: 58)
      sent += chunks(actions)
      if case .failed(let reason)? = actions.last { failure = reason }
    }
    #expect(failure == .noProgress(offset: 58))
    #expect(rounds < 60)
  }

  @Test("A board that goes to and fro without getting on ends the upload")
  func oscillates() {
    var (window, sent) = opened(depth: 1)
    var failure: UploadFailure?
    for _ in 0..<1000 where failure == nil {
      guard let chunk = sent.first else { break }
      let actions = window.answered(chunk.id, offset: chunk.offset == 58 ? 160 : 58)
      sent = chunks(actions)
      if case .failed(let reason)? = actions.last { failure = reason }
    }
    #expect(failure == .noProgress(offset: 58))
  }
}
