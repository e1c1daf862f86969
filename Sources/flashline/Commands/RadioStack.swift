import BlueZ
import Bluetooth
import DBus
import Flashing
import Reactor
import Station
import Udev

/// The rim as the commands use it: one reactor, udev's adapters, and bluetoothd over the system bus.
struct RadioStack: Sendable {
  let reactor: Reactor
  let source: UdevAdapters
  let central: BlueZCentral
  private let connection: Task<Void, Never>

  /// The thread of the rim; touches no radio and no bus yet.
  static func makeReactor() throws(ProgramError) -> Reactor {
    do throws(ReactorError) {
      return try Reactor()
    } catch {
      throw .fault("the system gives no descriptors (\(error.description))", "end other programs and try again")
    }
  }

  /// Opens both sides; a system without udev or without a bus cannot flash anything.
  static func open(on reactor: Reactor) async throws(ProgramError) -> RadioStack {
    let source: UdevAdapters
    do throws(UdevError) {
      source = try await UdevAdapters(on: reactor)
    } catch {
      throw .fault("udev does not answer (\(error.description))", "check that systemd-udevd runs", .adapterFailed)
    }
    try await probeBus(reactor)
    let central = BlueZCentral(on: reactor)
    return RadioStack(reactor: reactor, source: source, central: central, connection: Task.detached(executorPreference: reactor) { await central.run() })
  }

  /// Without a bus at the start nothing will work, and waiting would only hide it; a bus that goes away later is waited for.
  private static func probeBus(_ reactor: Reactor) async throws(ProgramError) {
    do throws(DBusError) {
      let bus = try await DBusConnection.open(.system, on: reactor)
      await bus.close()
    } catch {
      throw .fault(
        "the system bus cannot be reached (\("\(error)".escaped(limit: 300)))",
        "start D-Bus (systemctl start dbus bluetooth), or correct DBUS_SYSTEM_BUS_ADDRESS", .busGone)
    }
  }

  /// Ends discovery and links, then the connection.
  func close() async {
    await central.shutDown()
    connection.cancel()
  }

  /// The adapters once both sides have spoken and bluetoothd has taken what it takes, or after `limit` what is known then.
  func adapters(_ rules: AdapterRules, limit: Duration) async -> [LineAdapter] {
    let join = AdapterJoin(rules: rules)
    let latest = LatestViews()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await list in source.adapters() { if await latest.set(hardware: list) { return } } }
      group.addTask { for await list in central.adapters() { if await latest.set(stack: list) { return } } }
      group.addTask { await reactor.sleep(limit) }
      // Whichever sees both lists complete, or the limit.
      await group.next()
      group.cancelAll()
    }
    let (hardware, stack) = await (latest.hardware ?? [], latest.stack ?? [])
    return join.adapters(hardware: hardware, stack: stack)
  }
}

/// What udev and bluetoothd said last.
private actor LatestViews {
  private(set) var hardware: [AdapterHardware]?
  private(set) var stack: [AdapterState]?

  /// True when bluetoothd has every USB adapter that udev has.
  func set(hardware list: [AdapterHardware]) -> Bool {
    hardware = list
    return isComplete
  }

  func set(stack list: [AdapterState]) -> Bool {
    stack = list
    return isComplete
  }

  private var isComplete: Bool {
    guard let hardware, let stack else { return false }
    return hardware.allSatisfy { adapter in adapter.usbPath == nil || stack.contains { $0.handle.hciIndex == adapter.hciIndex } }
  }
}
