import Testing

@testable import SMP

/// The upload of a file, step by step: what is sent, and what answers, refusals and silence lead to.
struct FileUploadWindowTests {
  /// A window of three requests with room for 100 data bytes or a little more in each.
  private func window(_ length: Int, from offset: Int = 0, depth: Int = 3, _ change: (inout UploadSettings) -> Void = { _ in }) -> FileUploadWindow {
    var settings = UploadSettings(depth: depth, requestSize: 136)
    change(&settings)
    return FileUploadWindow(length: length, name: "/lfs/f", from: offset, settings: settings)
  }

  private func sent(_ actions: [FileUploadWindow.Action]) -> [UploadChunk] {
    actions.compactMap { if case .send(let chunk) = $0 { chunk } else { nil } }
  }

  /// `#require` itself cannot take a mutating call.
  private func head(_ chunks: [UploadChunk]) throws -> UploadChunk { try #require(chunks.first) }

  @Test("The first piece goes alone, then a window; the last answer ends it")
  func straight() throws {
    var window = window(350)
    let first = try head(sent(window.start()))
    #expect(first.offset == 0 && first.isFirst && first.timeout == .seconds(40))
    let more = sent(window.answered(first.id, offset: first.end))
    #expect(more.map(\.offset) == [first.end, first.end + more[0].length, 350 - more[2].length])
    #expect(more.map(\.isLast) == [false, false, true])
    expect(window.answered(more[0].id, offset: more[0].end), [.progress(more[0].end)])
    expect(window.answered(more[2].id, offset: 350), [.progress(350), .finished])
    expect(window.answered(more[1].id, offset: more[1].end), [])
  }

  @Test("A board without room for two requests gets one at a time; an empty file is one request")
  func small() throws {
    var one = window(250, depth: 1)
    let first = try head(sent(one.start()))
    expect(sent(one.answered(first.id, offset: first.end)).count, 1)
    var empty = window(0)
    let only = try head(sent(empty.start()))
    #expect(only.length == 0 && only.isFirst && only.isLast)
    expect(empty.answered(only.id, offset: 0), [.finished])
  }

  @Test("What cannot be sent is said before anything is sent")
  func impossible() {
    var nameless = FileUploadWindow(length: 1, name: "", settings: UploadSettings(depth: 1, requestSize: 495))
    expect(nameless.start(), [.failed(.nameMissing)])
    var narrow = FileUploadWindow(length: 100, name: "/lfs/name", settings: UploadSettings(depth: 1, requestSize: 20))
    expect(narrow.start(), [.failed(.requestTooSmall(requestSize: 20))])
    let limit = FileUploadWindow.longestFile
    var long = FileUploadWindow(length: limit + 1, name: "/lfs/name", settings: UploadSettings(depth: 1, requestSize: 495))
    expect(long.start(), [.failed(.fileTooLong(length: limit + 1, limit: limit))])
  }

  @Test("A missing piece: the board names its length, and everything from there is sent again")
  func gap() throws {
    var window = window(600)
    let first = try head(sent(window.start()))
    let more = sent(window.answered(first.id, offset: first.end))
    // The first of the three was lost; the two behind it are refused with the file's length.
    expect(window.answered(more[1].id, offset: first.end), [])
    #expect(window.recoveries == 1)
    let again = sent(window.answered(more[2].id, offset: first.end))
    #expect(again.map(\.offset) == [first.end], "one at a time after a loss")
    #expect(window.recoveries == 1, "one loss is counted once")
    #expect(window.acknowledged == first.end)
  }

  @Test("A lost answer: the piece is sent again, and the board's length tells that it is there")
  func lostAnswer() throws {
    var window = window(190)
    let first = try head(sent(window.start()))
    let last = try head(sent(window.answered(first.id, offset: first.end)))
    #expect(last.isLast)
    let again = try head(sent(window.timedOut(last.id)))
    #expect(again.offset == last.offset)
    expect(window.answered(again.id, offset: 190), [.progress(190), .finished])
    // The answer that was late after all changes nothing.
    expect(window.answered(last.id, offset: 190), [])
  }

  @Test("The first piece is repeated only after the file was closed: an open one would count it twice")
  func firstAgain() throws {
    var window = window(200)
    let first = try head(sent(window.start()))
    expect(window.timedOut(first.id), [.close])
    expect(window.answered(first.id, offset: first.end), [])
    let second = try head(sent(window.closed()))
    #expect(second.offset == 0 && second.isFirst)
    // Counted twice: the board says more than was sent.
    expect(window.answered(second.id, offset: 2 * first.end), [.close])
    let third = try head(sent(window.closed()))
    expect(window.timedOut(third.id), [.failed(.silent(offset: 0))])
  }

  @Test("An upload goes on where the file ends; a file of another length begins anew")
  func resume() throws {
    var window = window(400, from: 150)
    let first = try head(sent(window.start()))
    #expect(first.offset == 150 && !first.isFirst)
    expect(sent(window.answered(first.id, offset: first.end)).isEmpty, false)
    var other = self.window(400, from: 150)
    let rejected = try head(sent(other.start()))
    expect(other.answered(rejected.id, offset: 90), [.close])
    expect(sent(other.closed()).first?.isFirst, true)
    var nonsense = self.window(400, from: 400)
    expect(sent(nonsense.start()).first?.offset, 0)
  }

  @Test("A busy board is asked again, with growing patience and a limit")
  func busy() throws {
    var window = window(400) { $0.waitLimit = 3 }
    let first = try head(sent(window.start()))
    expect(window.refused(first.id, .status(.busy)), [.wait(.milliseconds(100))])
    expect(window.waited(), [.close])
    let again = try head(sent(window.closed()))
    let more = sent(window.answered(again.id, offset: again.end))
    expect(window.refused(more[0].id, .status(.noMemory)), [.wait(.milliseconds(100))])
    expect(window.refused(more[1].id, .status(.noMemory)), [])
    expect(window.refused(more[2].id, .status(.noMemory)), [])
    let after = sent(window.waited())
    #expect(after.first?.offset == again.end)
    expect(window.refused(try #require(after.first).id, .status(.busy)), [.wait(.milliseconds(200))])
    let last = sent(window.waited())
    expect(window.refused(try #require(last.first).id, .status(.busy)), [.wait(.milliseconds(400))])
    let end = sent(window.waited())
    expect(window.refused(try #require(end.first).id, .status(.busy)), [.failed(.refused(.status(.busy), offset: again.end))])
  }

  @Test("A refusal of the group ends it with its name")
  func refused() throws {
    var window = window(400)
    let first = try head(sent(window.start()))
    let refusal = SMPResponseError.group(SMPGroupError(.mountPointNotFound))
    expect(window.refused(first.id, refusal), [.failed(.refused(refusal, offset: 0))])
    expect(window.start(), [])
  }

  @Test("A file that vanishes is begun anew, with a limit; silence and standing still have limits too")
  func limits() throws {
    var vanishing = window(400, depth: 1) { $0.restartLimit = 1 }
    var chunk = try head(sent(vanishing.start()))
    var next = try head(sent(vanishing.answered(chunk.id, offset: chunk.end)))
    expect(vanishing.answered(next.id, offset: 0), [.close])
    chunk = try head(sent(vanishing.closed()))
    next = try head(sent(vanishing.answered(chunk.id, offset: chunk.end)))
    expect(vanishing.answered(next.id, offset: 0), [.failed(.restartedTooOften(limit: 1))])

    var silent = window(400, depth: 1) { $0.timeoutLimit = 2 }
    chunk = try head(sent(silent.start()))
    next = try head(sent(silent.answered(chunk.id, offset: chunk.end)))
    next = try head(sent(silent.timedOut(next.id)))
    expect(silent.timedOut(next.id), [.failed(.silent(offset: chunk.end))])

    var still = window(400, depth: 1) { $0.stallLimit = 2 }
    chunk = try head(sent(still.start()))
    next = try head(sent(still.answered(chunk.id, offset: chunk.end)))
    next = try head(sent(still.answered(next.id, offset: chunk.end)))
    expect(still.answered(next.id, offset: chunk.end), [.failed(.noProgress(offset: chunk.end))])

    var foreign = window(400, depth: 1)
    chunk = try head(sent(foreign.start()))
    next = try head(sent(foreign.answered(chunk.id, offset: chunk.end)))
    expect(foreign.answered(next.id, offset: 399), [.failed(.offsetUnexpected(399))])
  }

  /// A board as Zephyr's code is: what it does with each request, over a link that loses some.
  private struct Board {
    var file: [Int] = []
    var open = false
    var counted = 0

    mutating func write(_ chunk: UploadChunk) -> Int {
      if !open {
        open = true
        counted = chunk.offset == 0 ? 0 : file.count
      }
      if chunk.offset == 0 {
        file = []
      } else if chunk.offset != counted {
        open = false
        return counted
      }
      file += chunk.range
      counted += chunk.length
      return counted
    }
  }

  @Test("Whatever is lost, on the way there or back, the file arrives whole", arguments: 1...60)
  func anyLoss(seed: Int) throws {
    var random = SeededGenerator(state: UInt64(seed))
    // More patience than the limits of a real upload have: what is asked here is whether the file is right.
    var window = window(3000, depth: 4) {
      ($0.firstAttempts, $0.timeoutLimit, $0.stallLimit, $0.restartLimit) = (100, 100, 100, 100)
    }
    var board = Board()
    var queue = window.start()
    var waiting: [UploadChunk] = []
    var steps = 0
    while true {
      steps += 1
      try #require(steps < 10_000)
      if queue.isEmpty {
        // Nothing more to do: the oldest request times out.
        let late = try #require(waiting.first)
        waiting.removeFirst()
        queue = window.timedOut(late.id)
        continue
      }
      switch queue.removeFirst() {
      case .send(let chunk):
        waiting.append(chunk)
        guard Int.random(in: 0..<10, using: &random) > 0 else { continue }
        let offset = board.write(chunk)
        guard Int.random(in: 0..<10, using: &random) > 0 else { continue }
        waiting.removeAll { $0.id == chunk.id }
        queue += window.answered(chunk.id, offset: offset)
      case .close:
        if Int.random(in: 0..<10, using: &random) > 0 { board.open = false }
        waiting = []
        queue += window.closed()
      case .wait: queue += window.waited()
      case .progress: break
      case .finished:
        #expect(board.file == Array(0..<3000))
        return
      case .failed(let failure):
        Issue.record("\(failure)")
        return
      }
    }
  }
}
