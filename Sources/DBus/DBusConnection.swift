import CDBus
public import Reactor

/// A connection to a message bus: calls with limits, signals, names, exported objects.
///
/// Lives on the reactor it was opened on; callbacks given to it are called there. It ends with `close`, with the bus, or with its last reference;
/// then every outstanding call fails with `closed`.
public actor DBusConnection {
  /// Calls on the bus at one time. A system bus refuses the 129th (facts/swift-on-linux.md §0.2); the rest of its allowance is for calls given up.
  public static let callsOutstanding = 64
  /// Calls that wait for a place on the bus; more are refused with `overloaded`.
  public static let callsWaiting = 4096
  /// Calls of others being answered at one time.
  public static let callsServed = 1024
  /// Bytes that may wait for the bus to take them; more is refused with `overloaded`.
  public static let outgoingSizeLimit = 32 << 20
  /// The largest message that is read, and the longest byte array that is sent.
  public static let messageSizeLimit = 16 << 20
  /// Signals kept for a slow reader of `signals`; then its stream ends.
  public static let signalsKept = 4096
  /// The bus itself.
  public static let busName = "org.freedesktop.DBus"
  static let busPath = "/org/freedesktop/DBus"

  public nonisolated let reactor: Reactor
  /// Our name on this bus (`:1.42`).
  public nonisolated let uniqueName: String
  private nonisolated let finished = Latch()

  let wire: Wire
  var ledger = CallLedger(outstandingLimit: callsOutstanding, waitingLimit: callsWaiting)
  var calls: [UInt64: OutstandingCall] = [:]
  var observers: [UInt64: Observer] = [:]
  /// Who owns the well-known names of interest; no entry while that is not known yet.
  var owners: [String: NameOwner] = [:]
  var server: (@Sendable (DBusCall) async -> DBusReply)?
  var served: [UInt64: Task<Void, Never>] = [:]
  var lastID: UInt64 = 0
  /// Why the connection has ended; nil while it has not.
  var endReason: String?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  private init(wire: Wire, uniqueName: String, reactor: Reactor) {
    self.wire = wire
    self.uniqueName = uniqueName
    self.reactor = reactor
  }

  deinit {
    finished.open()
    reactor.perform { [wire] in wire.close() }
  }

  /// Connects and says hello. A bus that accepts and then is silent is given up by libdbus after 25 s.
  public static func open(_ address: DBusAddress = .system, on reactor: Reactor) async throws(DBusError) -> DBusConnection {
    let opened: Result<Opened, DBusError>
    do throws(ReactorError) {
      opened = try await ownThread(named: "dbus-open") { Opened.open(address) }
    } catch {
      throw .closed(error.description)
    }
    let success = try opened.get()
    let connection = DBusConnection(wire: Wire(connection: success.pointer, reactor: reactor), uniqueName: success.uniqueName, reactor: reactor)
    try await connection.start()
    return connection
  }

  private func start() throws(DBusError) {
    let started = wire.start { [weak self] message in
      // The connection may be on its way out: then nobody is left to be told.
      guard let self else { return false }
      return self.assumeIsolated { $0.receive(message) }
    }
    guard started else {
      finish("the connection could not be watched")
      throw .closed("the connection could not be watched")
    }
  }

  // MARK: The end

  /// Ends the connection; outstanding calls fail, streams end. Safe to repeat.
  public func close() {
    finish("closed by this program")
  }

  /// Returns when the connection has ended, or when the task is cancelled.
  public nonisolated func ended() async {
    await finished.wait()
  }

  /// True once the connection has ended.
  public nonisolated var hasEnded: Bool { finished.isOpen }

  func finish(_ reason: String) {
    guard endReason == nil else { return }
    endReason = reason
    wire.close()
    for call in ledger.open { complete(call, .failure(.closed(reason))) }
    for task in served.values { task.cancel() }
    let leaving = observers.values
    observers = [:]
    for observer in leaving { observer.end?() }
    server = nil
    finished.open()
  }

  func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  // MARK: What comes in

  /// True when the message was for us; libdbus answers the rest.
  private func receive(_ message: Message) -> Bool {
    switch dbus_message_get_type(message.pointer) {
    case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR:
      receiveReply(message)
      return true
    case DBUS_MESSAGE_TYPE_SIGNAL:
      if dbus_message_is_signal(message.pointer, "org.freedesktop.DBus.Local", "Disconnected") != 0 {
        finish("the bus has gone away")
      } else {
        receiveSignal(message)
      }
      return true
    case DBUS_MESSAGE_TYPE_METHOD_CALL:
      return receiveCall(message)
    default:
      return false
    }
  }
}

/// A connection that has said hello, on its way from the thread that opened it.
private struct Opened: @unchecked Sendable {
  var pointer: OpaquePointer
  var uniqueName: String

  /// Blocks.
  static func open(_ address: DBusAddress) -> Result<Opened, DBusError> {
    guard !address.description.utf8.contains(0), dbus_threads_init_default() != 0 else { return .failure(.invalid("address \(address)")) }
    var error = CDBus.DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    guard let pointer = dbus_connection_open_private(address.description, &error) else { return .failure(.closed(text(error))) }
    // The default would end the whole program with the bus.
    dbus_connection_set_exit_on_disconnect(pointer, 0)
    dbus_connection_set_max_message_size(pointer, DBusConnection.messageSizeLimit)
    guard dbus_bus_register(pointer, &error) != 0, let name = dbus_bus_get_unique_name(pointer) else {
      let reason = text(error)
      dbus_connection_close(pointer)
      dbus_connection_unref(pointer)
      return .failure(.closed(reason))
    }
    return .success(Opened(pointer: pointer, uniqueName: String(cString: name)))
  }

  private static func text(_ error: CDBus.DBusError) -> String {
    error.message.map { String(cString: $0) } ?? "the bus did not answer"
  }
}
