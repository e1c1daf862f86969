import CLinux
import DBus
import FoundationEssentials
import Glibc
import Reactor
import Testing

@testable import VirtualLine

/// A line's host on a bus of its own, in this process, and a client of it; times of the stack are shortened.
struct StackBench: Sendable {
  static let limit: Duration = .seconds(10)

  let folder: String
  let reactor: Reactor
  let bus: PrivateBus
  let host: LineHost
  let client: DBusConnection

  /// Runs `body` with a line and ends everything afterwards.
  static func with(
    adapters: Int = 2, boards: Int = 2, scale: Double = 0.05, script: LineScript = LineScript(), _ body: (StackBench) async throws -> Void
  ) async throws {
    var template = Array("/tmp/flashline-vline.XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    var options = LineOptions(state: folder)
    (options.adapters, options.boards, options.timeScale, options.imageSize) = (adapters, boards, scale, 4096)
    let reactor = try Reactor()
    let bus = try await PrivateBus.start(in: folder, on: reactor)
    let host = LineHost(options, script: script, boards: try LineBoards.make(options, script), address: bus.address, reactor: reactor)
    try await host.start()
    let client = try await DBusConnection.open(bus.address, on: reactor)
    let bench = StackBench(folder: folder, reactor: reactor, bus: bus, host: host, client: client)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(bench))
    } catch {
      result = .failure(error)
    }
    await client.close()
    await host.stop()
    await bus.stop()
    try? FileManager.default.removeItem(atPath: folder)
    try result.get()
  }

  static func board(_ number: Int, on hci: Int) -> String { "/org/bluez/hci\(hci)/dev_C0_DE_00_00_00_0\(number + 1)" }

  @discardableResult
  func call(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], as other: DBusConnection? = nil) async throws(DBusError)
    -> [DBusValue]
  {
    try await (other ?? client).call(
      destination: "org.bluez", path: path, interface: interface, member: member, arguments: arguments, limit: Self.limit)
  }

  /// The name of the error that a call ends with; nil when it succeeds.
  func failure(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = []) async -> String? {
    do throws(DBusError) {
      try await call(path, interface, member, arguments)
      return nil
    } catch {
      return error.remoteName ?? "\(error)"
    }
  }

  func objects() async throws -> [String: [String: DBusValue]] {
    let entries = try #require(try await call("/", StackFaces.objects, "GetManagedObjects").first?.entries)
    var objects: [String: [String: DBusValue]] = [:]
    for entry in entries {
      let path = try #require(entry.key.text)
      objects[path] = try #require(entry.value.entries?.first?.value.properties)
    }
    return objects
  }

  /// The signals of a member as they come.
  func signals(_ member: String) async throws -> AsyncStream<DBusSignal> {
    try await client.signals(DBusMatch(sender: "org.bluez", member: member), limit: Self.limit)
  }

  /// Finds a board on an adapter, unless it is known there, and leaves the discovery off.
  func find(_ number: Int, on hci: Int) async throws {
    if try await objects()[Self.board(number, on: hci)] != nil { return }
    let added = try await signals("InterfacesAdded")
    try await call("/org/bluez/hci\(hci)", StackFaces.adapter, "StartDiscovery")
    _ = try #require(await added.first { $0.arguments.first?.text == Self.board(number, on: hci) })
    try await call("/org/bluez/hci\(hci)", StackFaces.adapter, "StopDiscovery")
  }

  /// Finds and connects a board and waits for its services.
  func connect(_ number: Int, on hci: Int) async throws {
    try await find(number, on: hci)
    let changes = try await signals("PropertiesChanged")
    try await call(Self.board(number, on: hci), StackFaces.board, "Connect")
    _ = try #require(await changes.first { $0.path == Self.board(number, on: hci) && $0.arguments[1].properties?["ServicesResolved"]?.truth == true })
  }

  static let noOptions = DBusValue.properties([:])

  /// Both packet sockets of the SMP characteristic.
  func channel(_ number: Int, on hci: Int) async throws -> (writer: OwnedDescriptor, reader: OwnedDescriptor, mtu: Int) {
    let path = Self.board(number, on: hci) + "/service0020/char0021"
    let writer = try await call(path, StackFaces.characteristic, "AcquireWrite", [Self.noOptions])
    let reader = try await call(path, StackFaces.characteristic, "AcquireNotify", [Self.noOptions])
    return (try #require(writer.first?.openDescriptor), try #require(reader.first?.openDescriptor), try #require(writer.last?.integer))
  }

  /// The next packet of a socket; nil when it is closed.
  static func receive(_ socket: OwnedDescriptor) async throws -> [UInt8]? {
    try await ownThread(named: "receive") {
      var ready = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 10_000) > 0 else { return nil }
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = recv(socket.number, &buffer, buffer.count, 0)
      return count > 0 ? Array(buffer.prefix(count)) : nil
    }
  }

  static func transmit(_ packet: [UInt8], to socket: OwnedDescriptor) -> Bool {
    send(socket.number, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count
  }
}
