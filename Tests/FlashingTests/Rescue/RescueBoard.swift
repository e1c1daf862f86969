import Bluetooth
import LineFixture
import Locks
import Synchronization

@testable import VirtualLine

/// One virtual board with a Nordic bootloader, and what was asked of it.
final class RescueBoard: Sendable {
  struct State {
    var board: DFUBoard
    var link: RescueLink?
    /// Whoever waits for the response to a write request.
    var response: (id: Int, answer: CheckedContinuation<CentralError?, Never>)?
    var lastRequest = 0
    var serial: String?
    /// Its bootloader advertises to the station alone after a jump: an address and nothing else (facts/nordic-dfu.md §2.8).
    var isDirected = false
    /// Receipt intervals that were asked for, in order.
    var receipts: [UInt8] = []
    var starts = 0
  }

  let state: Locked<State>

  init(_ board: DFUBoard) {
    var board = board
    _ = board.powerOn()
    state = Locked(State(board: board))
  }

  var board: DFUBoard { state.withLock { $0.board } }
  var receipts: [UInt8] { state.withLock { $0.receipts } }
  /// Transfers that were begun.
  var starts: Int { state.withLock { $0.starts } }
  var isConnected: Bool { state.withLock { $0.link != nil } }

  func advertisement() -> Advertisement? {
    state.withLock { state in
      guard state.board.advertises, state.link == nil else { return nil }
      let face = state.board.face
      if state.isDirected, state.board.mode == .bootloader, state.board.wasAsked {
        return Advertisement(address: face.address, addressType: .random, rssi: -50)
      }
      return Advertisement(address: face.address, addressType: .random, name: face.name, rssi: -50, services: Set(face.services))
    }
  }

  func advertiseDirected() { state.withLock { $0.isDirected = true } }

  /// Whether a characteristic is only for a station that has the application's bond.
  func demandsBond(_ characteristic: BluetoothUUID) -> Bool {
    board.dfu.sharesBond && [.buttonlessDFUBonded, .secureDFUControlPoint, .secureDFUPacket].contains(characteristic)
  }

  func note(_ value: [UInt8], at characteristic: BluetoothUUID) {
    state.withLock { state in
      guard characteristic == .legacyDFUControlPoint else { return }
      if value.count == 3, value[0] == 8 { state.receipts.append(value[1]) }
      if value.first == 1 { state.starts += 1 }
    }
  }

  /// The write that waits is answered, once.
  func answer(_ error: CentralError?, to id: Int? = nil) {
    state.withLock { state -> CheckedContinuation<CentralError?, Never>? in
      guard let response = state.response, id == nil || response.id == id else { return nil }
      state.response = nil
      return response.answer
    }?.resume(returning: error)
  }
}

extension RescueBoard {
  static let address = BluetoothAddress(bits: 0xC0DE_0000_0001)

  /// A board that lacks nothing but its application.
  static func virtual(
    _ faults: [BoardFault] = [], at address: BluetoothAddress = address, serial: String = "SN1", kind: BoardKind = .metawear,
    manufacturer: String = RescueFirmware.manufacturer, _ change: (inout DFUSettings) -> Void = { _ in }
  ) -> DFUBoard {
    var settings = BoardSettings()
    settings.kind = kind
    settings.dfu.start = .bootloader
    settings.dfu.application = nil
    settings.dfu.drainMilliseconds = 1
    change(&settings.dfu)
    return DFUBoard(
      identity: BoardIdentity(
        address: address, name: "MetaWear", serial: serial, model: RescueFirmware.model, hardware: RescueFirmware.hardware, manufacturer: manufacturer),
      settings: settings, faults: faults)
  }
}
