import Bluetooth
import Locks
import Synchronization

@testable import BlueZ

/// The kernel's management commands in memory: PHY masks and parameter lists as mgmt-api.txt has them.
final class FakeKernel: Sendable {
  struct State {
    var supported: UInt32 = 0x1FFF
    var configurable: UInt32 = 0x19FE
    var selected: UInt32 = 0x07FF
    var loads: [[UInt8]] = []
    var opened = 0
    var closed = 0
    /// Why no socket can be opened.
    var isUnavailable = false
    /// What a command is answered, by its code.
    var failures: [UInt16: ManagementFailure] = [:]
  }

  let state = Locked(State())

  var opener: RadioDesk.Opener {
    { () throws(ManagementFailure) in
      let isUnavailable = self.state.withLock { state in
        state.opened += 1
        return state.isUnavailable
      }
      if isUnavailable { throw .unavailable("Address family not supported by protocol") }
      return Port(kernel: self)
    }
  }

  private struct Port: ManagementPort {
    let kernel: FakeKernel

    func send(_ command: ManagementCommand, limit: Duration) async throws(ManagementFailure) -> [UInt8] {
      try kernel.answer(command)
    }

    func close() async { kernel.state.withLock { $0.closed += 1 } }
  }

  private func answer(_ command: ManagementCommand) throws(ManagementFailure) -> [UInt8] {
    let result = state.withLock { state -> Result<[UInt8], ManagementFailure> in
      if let failure = state.failures[command.code] { return .failure(failure) }
      switch command.code {
      case 0x0044: return .success(state.supported.littleEndianOctets + state.configurable.littleEndianOctets + state.selected.littleEndianOctets)
      case 0x0045:
        guard let mask = command.parameters.littleEndian32(at: 0), mask & ~state.supported == 0 else { return .failure(.refused(0x0D)) }
        let fixed = state.supported & ~state.configurable
        // As the kernel has it: bits that are not configurable must be set (Linux net/bluetooth/mgmt.c, set_phy_configuration).
        guard mask & fixed == fixed else { return .failure(.refused(0x0D)) }
        state.selected = mask
        return .success([])
      case 0x0035:
        state.loads.append(command.parameters)
        return .success([])
      default: return .failure(.refused(0x01))
      }
    }
    return try result.get()
  }
}
