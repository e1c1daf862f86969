import Bluetooth
import DBus

/// What our agent answers while one board is being paired, and to everybody else: a value, no I/O.
///
/// Source: BlueZ doc/agent-api.txt, "Agent hierarchy".
struct PairingAgent {
  static let path = "/flashline/agent"
  static let interface = "org.bluez.Agent1"
  /// What our agent can do while no board is being paired: say yes.
  static let watching = "NoInputNoOutput"
  private static let rejected = DBusReply.error(name: "org.bluez.Error.Rejected", message: "this board is not being paired")

  /// The board's object path.
  var board: String
  var method: PairingMethod

  /// What the station can do for the board to prove itself: nothing, or enter its passkey.
  var capability: String {
    switch method {
    case .justWorks: Self.watching
    case .passkey: "KeyboardOnly"
    }
  }

  /// Only bluetoothd is answered, and only for the board that is being paired now.
  static func answer(_ call: DBusCall, from service: String?, _ pairing: PairingAgent?) -> DBusReply {
    guard call.path == path, call.interface == interface else { return .unknownMethod(call) }
    guard let service, call.sender == service else { return rejected }
    switch call.member {
    case "Release", "Cancel": return .nothing
    default:
      guard let pairing, call.arguments.first?.text == pairing.board else { return rejected }
      return pairing.answer(call)
    }
  }

  /// The board for which bluetoothd asks whether it may be paired, although nobody asked it to pair.
  static func unasked(_ call: DBusCall, from service: String?, _ pairing: PairingAgent?) -> String? {
    guard call.path == path, call.interface == interface, call.member == "RequestAuthorization", let service, call.sender == service else { return nil }
    guard let board = call.arguments.first?.text, board != pairing?.board else { return nil }
    return board
  }

  private func answer(_ call: DBusCall) -> DBusReply {
    switch (call.member, method) {
    case ("RequestPasskey", .passkey(let passkey)): .values([.uint32(passkey)])
    // Asked on some ways to just works; never a comparison of numbers, for which nobody looks at the board.
    case ("RequestAuthorization", .justWorks): .nothing
    default: Self.rejected
    }
  }
}
