import BlueZ
import Bluetooth
import Firmware
import Flashing
import Glibc
import Reactor

/// Upgrades one board over bluetoothd with Flashline's rooms as a library: `upgrade-one-board PACKAGE ADDRESS`.
///
/// Without hardware: `flashline line --boards 1 --state DIR`, then this program with what DIR/environment says. A program with a Bluetooth stack of its
/// own gives `BoardUpgrade` a closure that connects, and needs neither BlueZ nor Reactor (Sources/Flashing/Flashing.docc).
@main
struct UpgradeOneBoard {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let board = BluetoothAddress(arguments[2]) else {
      print("usage: upgrade-one-board PACKAGE ADDRESS")
      exit(2)
    }
    do {
      let order = try UpdateOrder(FirmwarePackage(path: arguments[1]))
      let ending = try await upgrade(board, order)
      print(words(ending))
      exit(ending.isGood ? 0 : 1)
    } catch {
      print("upgrade-one-board: \(error)")
      exit(1)
    }
  }

  /// One upgrade on the first adapter that bluetoothd has.
  static func upgrade(_ board: BluetoothAddress, _ order: UpdateOrder) async throws -> BoardUpgrade.Ending {
    let reactor = try Reactor()
    let central = BlueZCentral(on: reactor)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await central.run() }
      defer { group.cancelAll() }
      let adapter = try await firstAdapter(of: central)
      try await central.prepare(adapter, radio: .kernel)
      let upgrade = BoardUpgrade(.update(order), of: board, on: adapter, of: central)
      group.addTask { for await event in upgrade.events { tell(event) } }
      let ending = await upgrade.run()
      await central.shutDown()
      return ending
    }
  }

  struct NoAdapter: Error {}

  static func firstAdapter(of central: BlueZCentral) async throws -> AdapterHandle {
    try await withThrowingTaskGroup(of: AdapterHandle?.self) { group in
      group.addTask {
        for await adapters in central.adapters() { if let first = adapters.first { return first.handle } }
        return nil
      }
      group.addTask {
        try await Task.sleep(for: .seconds(10))
        return nil
      }
      defer { group.cancelAll() }
      guard let adapter = try await group.next() ?? nil else { throw NoAdapter() }
      return adapter
    }
  }

  static func tell(_ event: BoardUpgrade.Event) {
    switch event {
    case .phase(let phase): print(phase.rawValue)
    case .progress(let bytes, let total): print("  \(bytes) of \(total) bytes")
    case .paused: print("paused")
    case .resumed: print("goes on")
    }
    // A pipe would show it at the end only.
    fflush(nil)
  }

  static func words(_ ending: BoardUpgrade.Ending) -> String {
    let versions = "\(ending.firmwareBefore ?? "?") -> \(ending.firmwareAfter ?? "?")"
    let resumed = ending.resumedFrom.map { ", went on at byte \($0)" } ?? ""
    return "\(ending.outcome.rawValue): \(versions)\(resumed)" + (ending.failure.map { ": \($0.message) [\($0.code.rawValue)]" } ?? "")
  }
}
