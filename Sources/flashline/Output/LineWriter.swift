import CLinux
import Glibc

/// Writes lines to a descriptor on a thread of its own, so that a reader that blocks or goes away never holds up who writes.
///
/// Lines of up to 4096 bytes go out whole or not at all (`PIPE_BUF`): a reader of a pipe sees valid lines to the last.
final class LineWriter: Sendable {
  private struct State {
    var queue: LineQueue
    var isWriting = false
    var isClosed = false
    /// The error that ended writing; nothing is taken any more.
    var failure: Int32?
  }

  let descriptor: Int32
  private let state: Monitor<State>

  /// - Parameter limit: most lines that wait for the reader.
  init(descriptor: Int32, limit: Int = 4096) {
    self.descriptor = descriptor
    state = Monitor(State(queue: LineQueue(limit: limit)))
    if !ProgramThread.start({ [state] in Self.run(descriptor, state) }) { state.with { $0.failure = EAGAIN } }
  }

  /// Hands over a line (without its end); returns at once.
  func write(_ line: String, isDroppable: Bool = false) { send(line + "\n", isDroppable: isDroppable) }

  /// Hands over text as it is: a screen's frame.
  func send(_ text: String, isDroppable: Bool = false) {
    state.with { state in
      if state.failure == nil, !state.isClosed { state.queue.push(.init(text: text, isDroppable: isDroppable)) }
    }
  }

  /// True when everything handed over so far was written, or never will be.
  var isIdle: Bool { state.with { ($0.queue.isEmpty && !$0.isWriting) || $0.failure != nil } }

  /// What became of the lines.
  struct Account: Hashable, Sendable {
    /// Lines other than progress that the reader never got.
    var lost: Int
    /// The error that ended writing: `EPIPE` when the reader went away.
    var failure: Int32?
  }

  /// Waits until everything is written, at most `limit`, and takes nothing more. Safe to repeat.
  @discardableResult
  func finish(within limit: Duration) -> Account {
    state.with { $0.isClosed = true }
    _ = state.wait(limit: limit) { state in (state.queue.isEmpty && !state.isWriting) || state.failure != nil ? true : nil }
    return state.with { Account(lost: $0.queue.droppedOthers + $0.queue.count, failure: $0.failure) }
  }

  // MARK: The thread

  /// How often a blocked write looks whether there is still anybody to write for.
  private static let look: Int32 = 500

  private static func run(_ descriptor: Int32, _ state: Monitor<State>) {
    while true {
      let line = state.wait(limit: .seconds(3600)) { state -> String?? in
        if let line = state.queue.take() {
          state.isWriting = true
          return .some(line.text)
        }
        return state.isClosed || state.failure != nil ? .some(nil) : nil
      }
      guard let next = line else { continue }
      guard let text = next else { return }
      let failure = put(text, to: descriptor)
      state.with { state in
        state.isWriting = false
        guard let failure else { return }
        state.failure = failure
        state.queue.removeAll()
      }
    }
  }

  /// Writes all of it in pieces that a pipe takes whole; the error that made an end of it, if any.
  private static func put(_ text: String, to descriptor: Int32) -> Int32? {
    let bytes = Array(text.utf8)
    var offset = 0
    while offset < bytes.count {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let count = poll(&ready, 1, look)
      if count == 0 || (count < 0 && errno == EINTR) { continue }
      let piece = min(bytes.count - offset, Int(PIPE_BUF))
      let written = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { Glibc.write(descriptor, $0 + offset, piece) } ?? -1
      }
      if written > 0 {
        offset += written
      } else if written < 0, errno != EINTR, errno != EAGAIN {
        return errno
      }
    }
    return nil
  }
}
