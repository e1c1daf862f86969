import Bluetooth
import Reactor

/// A way to the kernel's management commands; the socket, or a test.
protocol ManagementPort: Sendable {
  func send(_ command: ManagementCommand, limit: Duration) async throws(ManagementFailure) -> [UInt8]
  func close() async
}

extension ManagementSocket: ManagementPort {}

/// Sets the radio parameters of adapters and boards, as well as the kernel lets it: nothing here ever fails, and nothing blocks.
///
/// The only caller of Load Connection Parameters: the command replaces an adapter's whole list. Lives on the reactor, inside the central.
struct RadioDesk: Sendable {
  typealias Opener = @Sendable () throws(ManagementFailure) -> any ManagementPort

  let open: Opener
  /// For one command.
  let limit: Duration

  /// What holds on an adapter after its PHY has been set for these wishes.
  func apply(_ wishes: RadioParameters, to adapter: AdapterHandle) async -> RadioStanding {
    await standing(of: adapter, wishes, changes: true)
  }

  /// What `apply` would come to; changes nothing.
  func look(at adapter: AdapterHandle, _ wishes: RadioParameters) async -> RadioStanding {
    await standing(of: adapter, wishes, changes: false)
  }

  /// Gives the kernel the adapter's whole list: these boards, each with the wishes.
  ///
  /// - Returns: why it could not, or nil.
  func load(_ wishes: RadioParameters, for boards: [ConnectionParameters.Board], on adapter: AdapterHandle) async -> ManagementFailure? {
    guard let parameters = ConnectionParameters(wishes), let index = UInt16(exactly: adapter.hciIndex) else { return nil }
    do throws(ManagementFailure) {
      try await withPort { port throws(ManagementFailure) in
        _ = try await port.send(parameters.load(for: boards, index), limit: limit)
      }
      return nil
    } catch {
      return error
    }
  }

  private func standing(of adapter: AdapterHandle, _ wishes: RadioParameters, changes: Bool) async -> RadioStanding {
    guard wishes != .kernel, let index = UInt16(exactly: adapter.hciIndex) else { return RadioStanding() }
    // Reading the PHYs needs what everything else needs, too: it also tells whether the rest will work.
    var standing = RadioStanding(inForce: wishes)
    do throws(ManagementFailure) {
      try await withPort { port throws(ManagementFailure) in
        guard let now = PHYConfiguration(try await port.send(PHYConfiguration.read(index), limit: limit)) else { throw .malformed }
        guard let wish = wishes.phy else { return }
        guard let selection = now.selection(for: wish) else {
          standing.inForce.phy = now.phy
          standing.notes.append("the adapter cannot do \(wish == .twoM ? "2M" : "without 2M")")
          return
        }
        if changes, selection != now.selected {
          do throws(ManagementFailure) {
            _ = try await port.send(PHYConfiguration.set(selection, index), limit: limit)
          } catch {
            standing.inForce.phy = now.phy
            standing.notes.append("the PHY stays at \(now.phy.rawValue): \(error.words)")
          }
        }
      }
    } catch {
      standing = RadioStanding(notes: [error.words])
    }
    return standing
  }

  private func withPort(_ body: (any ManagementPort) async throws(ManagementFailure) -> Void) async throws(ManagementFailure) {
    let port = try open()
    do throws(ManagementFailure) {
      try await body(port)
    } catch {
      await port.close()
      throw error
    }
    await port.close()
  }
}
