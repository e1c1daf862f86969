import SMP

extension FuzzTarget {
  /// The upload's machine against a board that answers anything, in any order, or not at all.
  static let upload = FuzzTarget(name: "upload", about: "UploadWindow", longest: 2048) { bytes in
    var input = FuzzInput(bytes)
    let length = Int(input.long() % 1_000_000)
    let sha = [UInt8](repeating: 7, count: Int(input.byte() % 65))
    let start = UploadStart(length: length, sha: sha, image: Int(input.byte()), upgradeOnly: input.byte() & 1 == 1)
    let settings = UploadSettings(depth: Int(input.byte() % 16), requestSize: Int(input.word()), alignment: Int(input.byte() % 17))
    var window = UploadWindow(start, settings: settings)
    var board = UploadTry(length: length)
    board.take(window.start(), window)
    while !input.isEmpty, !board.hasEnded {
      let kind = input.byte()
      let id = Int(kind >> 4) == 15 ? Int(input.byte()) : max(0, window.requests - 1 - Int(kind >> 4))
      switch kind & 0x0F {
      case 0...4: board.take(window.answered(id, offset: board.end(of: id)), window)
      case 5: board.take(window.answered(id, offset: Int(Int32(bitPattern: input.long()))), window)
      case 6: board.take(window.answered(id, offset: length, match: false), window)
      case 7: board.take(window.answered(id, offset: 0, match: true), window)
      case 8: board.take(window.refused(id, .status(SMPStatus(code: Int(input.byte())))), window)
      case 9: board.take(window.refused(id, .group(SMPGroupError(group: .image, code: Int(input.byte())))), window)
      case 10, 11: board.take(window.timedOut(id), window)
      case 12: board.take(window.waited(), window)
      case 13: board.take(window.readBack(found: input.byte() & 1 == 1), window)
      default: board.take(window.answered(id, offset: Int(input.byte())), window)
      }
    }
  }
}

/// What has to hold of the actions, whatever the board says.
private struct UploadTry {
  let length: Int
  private var ends: [Int: Int] = [:]
  private(set) var hasEnded = false

  init(length: Int) { self.length = length }

  func end(of id: Int) -> Int { ends[id] ?? 0 }

  mutating func take(_ actions: [UploadWindow.Action], _ window: UploadWindow) {
    for action in actions {
      precondition(!hasEnded, "an action after the end")
      switch action {
      case .send(let chunk):
        precondition(chunk.length > 0 && chunk.offset >= 0 && chunk.end <= length, "a piece beside the file: \(chunk)")
        precondition(ends[chunk.id] == nil, "an id twice")
        ends[chunk.id] = chunk.end
      case .wait(let time): precondition(time > .zero, "no wait at all")
      case .progress(let offset): precondition((0...length).contains(offset), "progress beside the file: \(offset)")
      case .finished, .failed: hasEnded = true
      case .readBack: break
      }
    }
    precondition((0...length).contains(window.acknowledged), "an offset beside the file")
  }
}
