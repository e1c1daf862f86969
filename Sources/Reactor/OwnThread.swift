import CLinux
import Glibc

private final class ThreadBody {
  let name: String
  let run: @Sendable () -> Void

  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

/// Starts a detached thread of the process.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) throws(ReactorError) {
  let box = Unmanaged.passRetained(ThreadBody(name, body))
  var thread = pthread_t()
  let result = pthread_create(
    &thread, nil,
    { @Sendable argument in
      guard let argument else { return nil }
      let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
      _ = flashline_name_thread(body.name)
      body.run()
      return nil
    }, box.toOpaque())
  guard result == 0 else {
    box.release()
    throw ReactorError(call: "pthread_create", number: result)
  }
  pthread_detach(thread)
}

/// Runs a call that blocks on a thread of its own and returns its result.
///
/// Not cancellable: the call itself must end by a limit of its own.
public func ownThread<Value: Sendable>(named name: String, _ body: @escaping @Sendable () -> Value) async throws(ReactorError) -> Value {
  let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, ReactorError>, Never>) in
    do throws(ReactorError) {
      try startThread(named: name) { continuation.resume(returning: .success(body())) }
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }
  return try result.get()
}
