public import Bluetooth
import DBus

/// What is wished of an adapter's links.
struct RadioWishes {
  var parameters: RadioParameters
  /// Set once the kernel has said that it will never take connection parameters from this process.
  var isHopeless = false
}

extension BlueZCentral {
  public func standing(of adapter: AdapterHandle, wishing radio: RadioParameters) async -> RadioStanding {
    await radioDesk.look(at: adapter, radio)
  }

  /// Sets the PHY now and keeps the rest for the connections to come; the caller has the adapter's turn.
  func applyRadio(_ radio: RadioParameters, to adapter: AdapterHandle) async -> RadioStanding {
    // Numbers of adapters that are gone, so that plugging in and out for ever does not fill the table.
    wishes = wishes.filter { tree.path(of: $0.key) != nil }
    wishes[adapter] = RadioWishes(parameters: radio)
    return await radioDesk.apply(radio, to: adapter)
  }

  /// Has the kernel use the wished parameters for the connection that is about to begin; the caller has the adapter's turn.
  ///
  /// Loaded before every connection: a board's own request replaces what was loaded before (facts/bluez.md §4), and the list holds all boards of
  /// interest each time, which are those with a link on this adapter and the one that gets one.
  func loadParameters(for board: String, on adapter: AdapterHandle, _ path: String) async {
    guard let wish = wishes[adapter], !wish.isHopeless else { return }
    let others = links.keys.filter { $0 != board && $0.hasPrefix(path + "/") }.sorted()
    let boards = ([board] + others).compactMap(listed)
    guard !boards.isEmpty, let failure = await radioDesk.load(wish.parameters, for: boards, on: adapter) else { return }
    // Everything else may work next time; the connection goes on with the kernel's defaults.
    if failure.isLasting { wishes[adapter]?.isHopeless = true }
  }

  private func listed(_ board: String) -> ConnectionParameters.Board? {
    guard let properties = tree.properties(board, BlueZName.device), let address = properties["Address"]?.text.flatMap(BluetoothAddress.init) else {
      return nil
    }
    return ConnectionParameters.Board(address: address, type: properties["AddressType"]?.text == "public" ? .public : .random)
  }
}
