public import Bluetooth
import CUdev
import Glibc
public import Reactor

/// The adapters of this machine by libudev.
public actor UdevAdapters: AdapterSource {
  /// Whose events are followed.
  public enum Monitor: String, Sendable {
    /// Events that udevd passes on when its rules have run.
    case udev
    /// The kernel's own events, for hosts without udevd.
    case kernel

    /// The environment's `FLASHLINE_UDEV_MONITOR`, else `udev` where udevd runs and `kernel` where it does not.
    ///
    /// libudev itself subscribes to nothing, without an error, when it is asked for udevd's events and there is no udevd.
    public static var suitable: Monitor {
      if let chosen = getenv("FLASHLINE_UDEV_MONITOR").flatMap({ Monitor(rawValue: String(cString: $0)) }) { return chosen }
      return access("/run/udev/control", F_OK) == 0 ? .udev : .kernel
    }
  }

  /// Most adapters that are listed; Linux itself numbers far fewer.
  public static let listLimit = 256
  /// Events taken before other work on the reactor has its turn.
  private static let eventsPerTurn = 64
  /// What makes sysfs values of the air harmless: longer ones are cut.
  static let textLimit = 256

  private nonisolated let reactor: Reactor
  private let handles: UdevHandles
  private var watch: ReactorWatch?
  private var readers: [UInt64: AsyncStream<[AdapterHardware]>.Continuation] = [:]
  private var lastID: UInt64 = 0
  private var last: [AdapterHardware]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  /// Connects to the monitor and looks for the first time.
  public init(on reactor: Reactor, monitor: Monitor = .suitable) async throws(UdevError) {
    self.reactor = reactor
    // Before the first look: what is plugged in between the two is told by an event.
    handles = try UdevHandles(monitor: monitor.rawValue)
    last = handles.adapters(limit: Self.listLimit)
    try start()
  }

  deinit {
    watch?.cancel()
    for reader in readers.values { reader.finish() }
  }

  private func start() throws(UdevError) {
    do throws(ReactorError) {
      watch = try reactor.watch(handles.monitorDescriptor, for: .readable) { [weak self] _ in
        self?.assumeIsolated { $0.receive() }
      }
    } catch {
      throw UdevError(call: error.description)
    }
  }

  public nonisolated func adapters() -> AsyncStream<[AdapterHardware]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [AdapterHardware].self, bufferingPolicy: .bufferingNewest(1))
    // Strongly: the source lives as long as somebody reads it.
    reactor.perform { self.assumeIsolated { $0.add(continuation) } }
    return stream
  }

  private func add(_ continuation: AsyncStream<[AdapterHardware]>.Continuation) {
    lastID += 1
    let id = lastID
    readers[id] = continuation
    continuation.onTermination = { [reactor] _ in
      reactor.perform { self.assumeIsolated { $0.readers[id] = nil } }
    }
    continuation.yield(last)
  }

  private func receive() {
    for _ in 0..<Self.eventsPerTurn where !handles.takeEvent() { break }
    let now = handles.adapters(limit: Self.listLimit)
    guard now != last else { return }
    last = now
    for reader in readers.values { reader.yield(now) }
  }
}

/// Why libudev cannot be used.
public struct UdevError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call that failed, with the system's words.
  public var call: String

  public var description: String { call }
}
