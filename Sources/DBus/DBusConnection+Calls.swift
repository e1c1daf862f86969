import CDBus
import Reactor

struct OutstandingCall {
  var message: Message
  var continuation: CheckedContinuation<Result<[DBusValue], DBusError>, Never>
  var deadline: ReactorTimer
}

extension DBusConnection {
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
      await withCheckedContinuation { continuation in
        begin(id, message, continuation, limit)
      }
    } onCancel: {
      reactor.perform { [weak self] in self?.assumeIsolated { $0.complete(id, .failure(.cancelled)) } }
    }
    return try result.get()
  }

  private func begin(_ id: UInt64, _ message: Message, _ continuation: CheckedContinuation<Result<[DBusValue], DBusError>, Never>, _ limit: Duration) {
    // A cancellation that came before this point found no call to end.
    guard !Task.isCancelled else {
      continuation.resume(returning: .failure(.cancelled))
      return
    }
    let action = ledger.submit(id)
    if action == .refuse {
      continuation.resume(returning: .failure(.overloaded))
      return
    }
    let deadline = reactor.after(limit) { [weak self] in self?.assumeIsolated { $0.complete(id, .failure(.timedOut)) } }
    calls[id] = OutstandingCall(message: message, continuation: continuation, deadline: deadline)
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
    call.continuation.resume(returning: result)
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
