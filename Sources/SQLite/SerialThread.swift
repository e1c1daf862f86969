import Glibc

/// A serial executor with a thread of its own, for calls that block (SQLite, fsync).
///
/// The cooperative pool has one thread per core: a flush that takes half a second there would stop the radio (facts/swift-on-linux.md §0.4).
/// The thread ends when the executor is let go.
public final class SerialThread: SerialExecutor {
  private let queue: JobQueue

  /// Fails when the system has no thread left, with the system's words.
  public init() throws(NoThread) {
    let queue = JobQueue()
    self.queue = queue
    var thread = pthread_t()
    let context = Unmanaged.passRetained(queue)
    let code = pthread_create(&thread, nil, { @Sendable in SerialThread.main($0) }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw NoThread(words: String(cString: strerror(code)))
    }
    pthread_detach(thread)
  }

  deinit { queue.close() }

  public func enqueue(_ job: consuming ExecutorJob) {
    queue.push(UnownedJob(job), on: asUnownedSerialExecutor())
  }

  private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let queue = Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue()
    while let (job, executor) = queue.next() { job.runSynchronously(on: executor) }
    return nil
  }
}

/// Why a `SerialThread` could not be made.
public struct NoThread: Error {
  public let words: String
}

/// The jobs that wait for a thread. Guarded by a pthread mutex, which the thread sanitizer understands (facts/swift-on-linux.md §0.5).
private final class JobQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting: [(UnownedJob, UnownedSerialExecutor)] = []
  /// Jobs that the thread took over in one go, newest first.
  private var taken: [(UnownedJob, UnownedSerialExecutor)] = []
  private var isClosed = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(filled, nil)
  }

  deinit {
    pthread_cond_destroy(filled)
    pthread_mutex_destroy(mutex)
    filled.deallocate()
    mutex.deallocate()
  }

  func push(_ job: UnownedJob, on executor: UnownedSerialExecutor) {
    pthread_mutex_lock(mutex)
    waiting.append((job, executor))
    pthread_cond_signal(filled)
    pthread_mutex_unlock(mutex)
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(filled)
    pthread_mutex_unlock(mutex)
  }

  /// Blocks until there is a job; nil when the queue was closed and is empty. Called by the thread only.
  func next() -> (UnownedJob, UnownedSerialExecutor)? {
    if let job = taken.popLast() { return job }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while waiting.isEmpty {
      if isClosed { return nil }
      pthread_cond_wait(filled, mutex)
    }
    taken = waiting.reversed()
    waiting.removeAll(keepingCapacity: true)
    return taken.popLast()
  }
}
