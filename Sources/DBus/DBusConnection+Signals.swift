import CDBus
import Reactor

struct Observer {
  var match: DBusMatch
  var handler: @Sendable (DBusSignal) -> Void
  /// Called when the connection ends.
  var end: (@Sendable () -> Void)?
}

/// Who owns a well-known name, as far as we have been told.
struct NameOwner {
  var isKnown = false
  var uniqueName: String?
  var handlers: [@Sendable (String?) -> Void] = []
}

/// A running observation; keep it to end it.
public struct DBusObservation: Hashable, Sendable {
  let id: UInt64
}

extension DBusConnection {
  /// Calls `handler` on the reactor's thread for each signal that fits, in the order of the wire and of the replies.
  ///
  /// Signals sent after this returns are not missed. `end` is called once if the connection ends first.
  @discardableResult
  public func observe(
    _ match: DBusMatch, limit: Duration, end: (@Sendable () -> Void)? = nil, _ handler: @escaping @Sendable (DBusSignal) -> Void
  ) async throws(DBusError) -> DBusObservation {
    if let name = match.wellKnownSender { try await learnOwner(of: name, limit: limit) }
    let observation = DBusObservation(id: makeID())
    if let endReason { throw .closed(endReason) }
    observers[observation.id] = Observer(match: match, handler: handler, end: end)
    do throws(DBusError) {
      _ = try await callBus("AddMatch", [.string(match.rule)], limit: limit)
    } catch {
      observers[observation.id] = nil
      throw error
    }
    return observation
  }

  /// Ends an observation; safe to repeat.
  public func stop(_ observation: DBusObservation) {
    guard let observer = observers.removeValue(forKey: observation.id), endReason == nil else { return }
    // The answer is of no interest: at worst the bus sends us signals that nobody observes.
    guard let message = try? Message.call(Self.busName, Self.busPath, Self.busName, "RemoveMatch", [.string(observer.match.rule)]) else { return }
    dbus_message_set_no_reply(message.pointer, 1)
    _ = wire.send(message)
    observer.end?()
  }

  /// The signals that fit, as a stream; it ends with the connection, and when the reader leaves more than `signalsKept` unread.
  public func signals(_ match: DBusMatch, limit: Duration) async throws(DBusError) -> AsyncStream<DBusSignal> {
    let (stream, continuation) = AsyncStream.makeStream(of: DBusSignal.self, bufferingPolicy: .bufferingOldest(Self.signalsKept))
    let observation = try await observe(match, limit: limit, end: { continuation.finish() }) { signal in
      if case .dropped = continuation.yield(signal) { continuation.finish() }
    }
    continuation.onTermination = { [weak self, reactor] _ in
      reactor.perform { [weak self] in self?.assumeIsolated { $0.stop(observation) } }
    }
    return stream
  }

  // MARK: Names

  /// Who owns a well-known name now; nil when nobody does.
  public func owner(of name: String, limit: Duration) async throws(DBusError) -> String? {
    try await learnOwner(of: name, limit: limit)
    return owners[name]?.uniqueName
  }

  /// Calls `handler` on the reactor's thread with the owner of the moment, and again at each change, until the connection ends.
  public func observeOwner(of name: String, limit: Duration, _ handler: @escaping @Sendable (String?) -> Void) async throws(DBusError) {
    try await learnOwner(of: name, limit: limit)
    owners[name]?.handlers.append(handler)
    handler(owners[name]?.uniqueName)
  }

  private func learnOwner(of name: String, limit: Duration) async throws(DBusError) {
    if let endReason { throw .closed(endReason) }
    if owners[name]?.isKnown == true { return }
    if owners[name] == nil { owners[name] = NameOwner() }
    let match = DBusMatch(sender: Self.busName, path: Self.busPath, interface: Self.busName, member: "NameOwnerChanged", argument0: name)
    _ = try await callBus("AddMatch", [.string(match.rule)], limit: limit)
    var current: String?
    do throws(DBusError) {
      current = try await callBus("GetNameOwner", [.string(name)], limit: limit).first?.text
    } catch  where error.remoteName == "org.freedesktop.DBus.Error.NameHasNoOwner" {
      current = nil
    }
    // A change that was told meanwhile is newer than this answer.
    guard let known = owners[name]?.isKnown, !known else { return }
    owners[name]?.isKnown = true
    owners[name]?.uniqueName = current
  }

  // MARK: What comes in

  func receiveSignal(_ message: Message) {
    let head = MessageHead(message.pointer)
    let fromBus = head.sender == Self.busName
    let isOwnerChange = fromBus && head.interface == Self.busName && head.member == "NameOwnerChanged"
    let fitting = observers.filter { $0.value.match.fits(head, owner: $0.value.match.wellKnownSender.flatMap { owners[$0]?.uniqueName }) }
    guard isOwnerChange || !fitting.isEmpty, let arguments = try? MessageReader.arguments(of: message.pointer) else { return }
    let signal = DBusSignal(sender: head.sender, path: head.path, interface: head.interface, member: head.member, arguments: arguments)
    if isOwnerChange { changeOwner(signal) }
    for (id, observer) in fitting.sorted(by: { $0.key < $1.key }) {
      if let wanted = observer.match.argument0, arguments.first?.text != wanted { continue }
      // One of the earlier handlers may have ended this observation.
      if observers[id] != nil { observer.handler(signal) }
    }
  }

  /// `NameOwnerChanged(name, old owner, new owner)`; empty means nobody.
  private func changeOwner(_ signal: DBusSignal) {
    guard signal.arguments.count == 3, let name = signal.arguments[0].text, let new = signal.arguments[2].text, owners[name] != nil else { return }
    owners[name]?.isKnown = true
    owners[name]?.uniqueName = new.isEmpty ? nil : new
    for handler in owners[name]?.handlers ?? [] { handler(owners[name]?.uniqueName) }
  }
}
