import Bluetooth
import DBus
import Reactor

extension BlueZCentral {
  func characteristics(of board: String, _ link: UInt64) -> [GATTCharacteristic] {
    links[board]?.id == link ? tree.characteristics(of: board).map(\.value) : []
  }

  func read(
    _ characteristic: BluetoothUUID, of service: BluetoothUUID, _ board: String, _ link: UInt64, limit: Duration
  ) async throws(CentralError) -> [UInt8] {
    let path = try find(characteristic, of: service, board, link)
    let answer = try await request(path, "ReadValue", [.properties([:])], board, link, limit: limit)
    guard let value = answer.first?.octets else { throw .refused("ReadValue answered something else than bytes") }
    return value
  }

  func write(
    _ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, _ board: String, _ link: UInt64, limit: Duration
  ) async throws(CentralError) {
    let path = try find(characteristic, of: service, board, link)
    // Always with its type: without one BlueZ takes a request wherever the characteristic allows it (facts/nordic-dfu.md §6.4).
    let options = DBusValue.properties(["type": .string(withResponse ? "request" : "command")])
    _ = try await request(path, "WriteValue", [.bytes(value), options], board, link, limit: limit)
  }

  func openChannel(
    notifying: BluetoothUUID, writing: BluetoothUUID?, of service: BluetoothUUID, _ board: String, _ link: UInt64, limit: Duration
  ) async throws(CentralError) -> any PacketChannel {
    let deadline = ContinuousClock.now + limit
    let path = try find(notifying, of: service, board, link)
    // bluetoothd gives no socket for indications (src/gatt-client.c): they come as changes of the property `Value`.
    let isIndicated = tree.onlyIndicates(path)
    // Notifications first: no answer can come before somebody listens.
    let notify = isIndicated ? nil : try await acquire("AcquireNotify", path, board, link, limit: limit)
    var write: (descriptor: OwnedDescriptor, mtu: Int)?
    if let writing {
      write = try await acquire("AcquireWrite", try find(writing, of: service, board, link), board, link, limit: left(until: deadline))
    }
    let agreed = tree.properties(path, BlueZName.gattCharacteristic)?["MTU"]?.integer
    let mtu = [notify?.mtu, write?.mtu, agreed].compactMap { $0 }.min() ?? BlueZChannel.leastMTU
    guard mtu > BlueZChannel.headerSize else { throw .refused("an MTU of \(mtu) is too small") }
    let channel = BlueZChannel(
      reading: notify?.descriptor, writing: write?.descriptor, mtu: mtu, reactor: reactor, sendLimit: limits.send, notificationsKept: limits.notificationsKept)
    try await channel.start()
    guard links[board]?.id == link else {
      channel.linkDown()
      throw lost
    }
    links[board]?.channels.append(channel)
    if isIndicated { try await listen(to: path, channel, board, link, limit: left(until: deadline)) }
    return channel
  }

  /// Subscribes to indications until the link ends.
  private func listen(to path: String, _ channel: BlueZChannel, _ board: String, _ link: UInt64, limit: Duration) async throws(CentralError) {
    // Before the subscription: an indication may overtake its answer.
    links[board]?.indications[path] = channel
    do throws(CentralError) {
      _ = try await request(path, "StartNotify", [], board, link, limit: limit)
    } catch {
      links[board]?.indications[path] = nil
      channel.linkDown()
      throw error
    }
  }

  /// A characteristic's value was said to be this.
  func valueChanged(_ path: String, _ value: [UInt8]) {
    for link in links.values { link.indications[path]?.deliver(value) }
  }

  private func acquire(
    _ method: String, _ path: String, _ board: String, _ link: UInt64, limit: Duration
  ) async throws(CentralError) -> (descriptor: OwnedDescriptor, mtu: Int) {
    let answer = try await request(path, method, [.properties([:])], board, link, limit: limit)
    guard answer.count == 2, let descriptor = answer[0].openDescriptor, descriptor.isOpen, let mtu = answer[1].integer else {
      throw .refused("\(method) answered something else than a socket and an MTU")
    }
    return (descriptor, mtu)
  }

  /// The characteristic's path now; both services and characteristics may have changed since the last look.
  private func find(_ characteristic: BluetoothUUID, of service: BluetoothUUID, _ board: String, _ link: UInt64) throws(CentralError) -> String {
    guard links[board]?.id == link else { throw lost }
    let found = tree.characteristics(of: board).first { $0.value.uuid == characteristic && $0.value.service == service }
    guard let found else { throw .attributeMissing(characteristic) }
    return found.path
  }

  private func request(
    _ path: String, _ method: String, _ arguments: [DBusValue], _ board: String, _ link: UInt64, limit: Duration
  ) async throws(CentralError) -> [DBusValue] {
    do throws(BlueZFailure) {
      let answer = try await call(path, BlueZName.gattCharacteristic, method, arguments, limit: limit)
      guard !demanding.contains(board) else { throw BlueZFailure.notPermitted("it asked for an encrypted link") }
      return answer
    } catch {
      // Whatever the words: a request that fails because the link went is a lost link.
      throw links[board]?.id == link ? error.onLink : lost
    }
  }

  /// Why there is no link: the stack's end, or the link's own.
  var lost: CentralError { service == nil ? .stackGone(awayReason) : .linkLost }
}
