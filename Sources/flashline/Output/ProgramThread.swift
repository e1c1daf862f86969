import Glibc

/// A thread of the program for work that blocks: writing to a slow reader, drawing, reading keys.
struct ProgramThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts it; false when the system has no thread left.
  @discardableResult
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { @Sendable argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
