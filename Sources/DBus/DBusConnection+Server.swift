import CDBus
import Reactor

extension DBusConnection {
  /// Becomes the owner of a well-known name, or fails when somebody else is.
  public func requestName(_ name: String, limit: Duration) async throws(DBusError) {
    // DBUS_NAME_FLAG_DO_NOT_QUEUE = 4; answers 1 primary owner, 2 in queue, 3 exists, 4 already owner (D-Bus Specification, RequestName).
    let answer = try await callBus("RequestName", [.string(name), .uint32(4)], limit: limit).first?.integer
    guard answer == 1 || answer == 4 else {
      throw .remote(name: "org.freedesktop.DBus.Error.AddressInUse", message: "\(name) belongs to another program")
    }
  }

  /// Answers the calls of others with `handler` from now on, each in a task of its own on the reactor, begun in the order of the wire.
  ///
  /// Without a handler (nil) callers are told that the method is unknown.
  public func serve(_ handler: (@Sendable (DBusCall) async -> DBusReply)?) {
    server = endReason == nil ? handler : nil
  }

  /// Sends a signal, to everybody whose rules fit or to one receiver.
  public func emit(path: String, interface: String, member: String, arguments: [DBusValue] = [], to destination: String? = nil) throws(DBusError) {
    if let endReason { throw .closed(endReason) }
    guard wire.outgoingSize < Self.outgoingSizeLimit else { throw .overloaded }
    let message = try Message.signal(path, interface, member, arguments, to: destination)
    if wire.send(message) == nil { throw .closed("the bus has gone away") }
  }

  // MARK: What comes in

  func receiveCall(_ message: Message) -> Bool {
    guard let server else { return false }
    let head = MessageHead(message.pointer)
    let arguments: [DBusValue]
    do throws(DBusError) {
      arguments = try MessageReader.arguments(of: message.pointer)
    } catch {
      answer(message, .error(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "too many values, or nested too deep"))
      return true
    }
    guard served.count < Self.callsServed else {
      answer(message, .error(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: "\(Self.callsServed) calls are being answered already"))
      return true
    }
    let call = DBusCall(sender: head.sender, path: head.path, interface: head.interface, member: head.member, arguments: arguments)
    let id = makeID()
    served[id] = Task(executorPreference: reactor) { [weak self] in
      let reply = await server(call)
      await self?.finishServing(id, message, reply)
    }
    return true
  }

  private func finishServing(_ id: UInt64, _ message: Message, _ reply: DBusReply) {
    served[id] = nil
    if endReason == nil { answer(message, reply) }
  }

  private func answer(_ call: Message, _ reply: DBusReply) {
    guard dbus_message_get_no_reply(call.pointer) == 0 else { return }
    let message: Message
    do throws(DBusError) {
      message = try Message.reply(reply, to: call)
    } catch {
      // The handler's values cannot be sent: its caller shall not wait for ever.
      let failure = DBusReply.error(name: "org.freedesktop.DBus.Error.Failed", message: "the answer could not be put into a message: \(error)")
      guard let substitute = try? Message.reply(failure, to: call) else { return }
      message = substitute
    }
    _ = wire.send(message)
  }
}
