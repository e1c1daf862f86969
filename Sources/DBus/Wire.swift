import CDBus
import Reactor

/// A libdbus connection on the reactor: its descriptors are watched, its messages handed on one by one.
///
/// Touched on the reactor's thread only (that is what `@unchecked Sendable` rests on); libdbus' callbacks come from its own calls there.
/// `close` must have run before the last reference goes.
final class Wire: @unchecked Sendable {
  /// Messages handed on before other work on the reactor has its turn.
  private static let messagesPerTurn = 64

  private let reactor: Reactor
  private var connection: OpaquePointer?
  /// libdbus has one watch for reading and one for writing on the same descriptor.
  private var watches: [Int32: (libdbus: [OpaquePointer], reactor: ReactorWatch)] = [:]
  private var dispatchIsScheduled = false
  private var receive: ((Message) -> Bool)?

  init(connection: OpaquePointer, reactor: Reactor) {
    self.connection = connection
    self.reactor = reactor
  }

  /// Begins to serve the connection; `receive` gets each message, and says whether it was for us.
  func start(_ receive: @escaping (Message) -> Bool) -> Bool {
    reactor.preconditionIsolated()
    guard let connection else { return false }
    self.receive = receive
    let myself = Unmanaged.passUnretained(self).toOpaque()
    let watching = dbus_connection_set_watch_functions(
      connection,
      { @Sendable watch, data in Wire.from(data)?.add(watch) ?? true ? 1 : 0 },
      { @Sendable watch, data in Wire.from(data)?.remove(watch) },
      { @Sendable watch, data in Wire.from(data)?.toggle(watch) },
      myself, nil)
    let filtering = dbus_connection_add_filter(
      connection,
      { @Sendable _, message, data in
        guard let message = Message.keeping(message), let wire = Wire.from(data), wire.receive?(message) == true else {
          return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
        return DBUS_HANDLER_RESULT_HANDLED
      }, myself, nil)
    dbus_connection_set_dispatch_status_function(connection, { @Sendable _, _, data in Wire.from(data)?.scheduleDispatch() }, myself, nil)
    scheduleDispatch()
    return watching != 0 && filtering != 0
  }

  /// Sends a message and returns its serial number; nil when the connection has ended.
  func send(_ message: Message) -> UInt32? {
    reactor.preconditionIsolated()
    guard let connection, dbus_connection_get_is_connected(connection) != 0 else { return nil }
    var serial: dbus_uint32_t = 0
    guard dbus_connection_send(connection, message.pointer, &serial) != 0 else { return nil }
    return serial
  }

  /// Bytes that the bus has not taken yet.
  var outgoingSize: Int { connection.map { Int(dbus_connection_get_outgoing_size($0)) } ?? 0 }

  /// Ends the connection; safe to repeat.
  func close() {
    reactor.preconditionIsolated()
    guard let connection else { return }
    self.connection = nil
    receive = nil
    dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    for watch in watches.values { watch.reactor.cancel() }
    watches = [:]
    dbus_connection_close(connection)
    dbus_connection_unref(connection)
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> Wire? {
    data.map { Unmanaged<Wire>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Dispatching

  private func scheduleDispatch() {
    guard !dispatchIsScheduled else { return }
    dispatchIsScheduled = true
    reactor.perform { self.dispatch() }
  }

  private func dispatch() {
    dispatchIsScheduled = false
    for _ in 0..<Self.messagesPerTurn {
      guard let connection, dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS else { return }
      dbus_connection_ref(connection)
      dbus_connection_dispatch(connection)
      dbus_connection_unref(connection)
    }
    scheduleDispatch()
  }

  // MARK: Watches

  private func add(_ watch: OpaquePointer?) -> Bool {
    guard let watch else { return true }
    let descriptor = dbus_watch_get_unix_fd(watch)
    if watches[descriptor] != nil {
      watches[descriptor]?.libdbus.append(watch)
      update(descriptor)
      return true
    }
    let interest = Self.interest([watch])
    guard let reactorWatch = try? reactor.watch(descriptor, for: interest, { [weak self] ready in self?.handle(descriptor, ready) }) else { return false }
    watches[descriptor] = ([watch], reactorWatch)
    return true
  }

  private func remove(_ watch: OpaquePointer?) {
    guard let watch else { return }
    for (descriptor, entry) in watches where entry.libdbus.contains(watch) {
      watches[descriptor]?.libdbus.removeAll { $0 == watch }
      if watches[descriptor]?.libdbus.isEmpty == true {
        entry.reactor.cancel()
        watches[descriptor] = nil
      } else {
        update(descriptor)
      }
    }
  }

  private func toggle(_ watch: OpaquePointer?) {
    guard let watch else { return }
    for (descriptor, entry) in watches where entry.libdbus.contains(watch) { update(descriptor) }
  }

  private func update(_ descriptor: Int32) {
    guard let entry = watches[descriptor] else { return }
    // It can only fail when the descriptor is gone, and then libdbus finds the end itself.
    try? entry.reactor.change(to: Self.interest(entry.libdbus))
  }

  private static func interest(_ watches: [OpaquePointer]) -> Readiness {
    var interest: Readiness = []
    for watch in watches where dbus_watch_get_enabled(watch) != 0 {
      let flags = dbus_watch_get_flags(watch)
      if flags & DBUS_WATCH_READABLE.rawValue != 0 { interest.insert(.readable) }
      if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
    }
    return interest
  }

  private func handle(_ descriptor: Int32, _ ready: Readiness) {
    var flags: UInt32 = 0
    if ready.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
    if ready.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
    if ready.contains(.error) { flags |= DBUS_WATCH_ERROR.rawValue }
    if ready.contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
    let always = DBUS_WATCH_ERROR.rawValue | DBUS_WATCH_HANGUP.rawValue
    // A watch may be taken away while the one before it is handled.
    for watch in watches[descriptor]?.libdbus ?? [] where watches[descriptor]?.libdbus.contains(watch) == true {
      guard dbus_watch_get_enabled(watch) != 0 else { continue }
      let relevant = flags & (dbus_watch_get_flags(watch) | always)
      if relevant != 0 { _ = dbus_watch_handle(watch, relevant) }
    }
    scheduleDispatch()
  }
}
