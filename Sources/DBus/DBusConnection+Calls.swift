import CDBus
import Reactor

struct OutstandingCall {
  var message: Message
  var answered: DBusConnection.Answered
  var deadline: ReactorTimer
}

extension DBusConnection {
  /// What is called once with the answer of a call, or with why there is none.
  public typealias Answered = @Sendable (Result<[DBusValue], DBusError>) -> Void

  /// Calls a method and returns what it answers.
  ///
  /// Waits its turn when `callsOutstanding` are on the bus. Cancelling the task gives the call up: the other side may still have carried it out.
  /// - Parameter limit: the time for all of it, waiting included; then `timedOut` is thrown.
  public func call(
    destination: String, path: String, interface: String, member: String, arguments: [DBusValue] = [], limit: Duration
  ) async throws(DBusError) -> [DBusValue] {
    if let endReason { throw .closed(endReason) }
    guard wire.outgoingSize < Self.outgoingSizeLimit else { throw .overloaded }
    let message = try Message.call(destination, path, interface, member, arguments)
    let id = makeID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<[DBusValue], DBusError>, Never>) in
        // A cancellation that came before this point found no call to end.
        guard !Task.isCancelled else {
          continuation.resume(returning: .failure(.cancelled))
          return
        }
        begin(id, message, limit) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      reactor.perform { [weak self] in self?.assumeIsolated { $0.complete(id, .failure(.cancelled)) } }
    }
    return try result.get()
  }

  /// Calls a method and has `answered` called on the reactor's thread in the order of the wire: signals sent after the answer come after it.
  public func call(
    destination: String, path: String, interface: String, member: String, arguments: [DBusValue] = [], limit: Duration, answered: @escaping Answered
  ) throws(DBusError) {
    if let endReason { throw .closed(endReason) }
    guard wire.outgoingSize < Self.outgoingSizeLimit else { throw .overloaded }
    begin(makeID(), try Message.call(destination, path, interface, member, arguments), limit, answered)
  }

  private func begin(_ id: UInt64, _ message: Message, _ limit: Duration, _ answered: @escaping Answered) {
    // The way here may have led through other work of the reactor: the connection can have ended meanwhile.
    if let endReason {
      answered(.failure(.closed(endReason)))
      return
    }
    let action = ledger.submit(id)
    if action == .refuse {
      answered(.failure(.overloaded))
      return
    }
    let deadline = reactor.after(limit) { [weak self] in self?.assumeIsolated { $0.complete(id, .failure(.timedOut)) } }
    calls[id] = OutstandingCall(message: message, answered: answered, deadline: deadline)
    perform(action)
  }

  private func perform(_ action: CallLedger.Action) {
    guard case .send(let id) = action, let call = calls[id] else { return }
    if let serial = wire.send(call.message) {
      ledger.sent(id, serial: serial)
    } else {
      finish("the bus has gone away")
    }
  }

  /// The one place where a call ends; later ends of the same call find nothing.
  func complete(_ id: UInt64, _ result: Result<[DBusValue], DBusError>) {
    guard let call = calls.removeValue(forKey: id) else { return }
    call.deadline.cancel()
    call.answered(result)
    if let next = ledger.remove(id), endReason == nil { perform(next) }
  }

  func receiveReply(_ message: Message) {
    guard let id = ledger.call(answeredBy: dbus_message_get_reply_serial(message.pointer)) else { return }
    do throws(DBusError) {
      let values = try MessageReader.arguments(of: message.pointer)
      if let name = dbus_message_get_error_name(message.pointer) {
        complete(id, .failure(.remote(name: String(cString: name), message: values.first?.text ?? "")))
      } else {
        complete(id, .success(values))
      }
    } catch {
      complete(id, .failure(error))
    }
  }

  /// A call of the bus itself.
  func callBus(_ member: String, _ arguments: [DBusValue], limit: Duration) async throws(DBusError) -> [DBusValue] {
    try await call(destination: Self.busName, path: Self.busPath, interface: Self.busName, member: member, arguments: arguments, limit: limit)
  }
}
