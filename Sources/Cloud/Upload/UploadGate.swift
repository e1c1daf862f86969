/// Lets so many through at once, the others in the order in which they came.
actor UploadGate {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ atOnce: Int) { free = max(1, atOnce) }

  /// Returns when it is one's turn; `leave` must follow. Not cut short by cancellation: those inside are, so that it does not take long.
  func enter() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    guard !waiting.isEmpty else {
      free += 1
      return
    }
    waiting.removeFirst().resume()
  }
}
