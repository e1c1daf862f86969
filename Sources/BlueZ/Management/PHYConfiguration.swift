import Bluetooth

/// Which PHYs an adapter has, which of them may be switched, and which are on.
///
/// Source: BlueZ doc/mgmt-api.txt, "Read PHY Configuration Command" (0x0044) and "Set PHY Configuration Command" (0x0045): bits 0–8 BR/EDR, 9–10 LE 1M,
/// 11–12 LE 2M, 13–14 LE Coded, each TX then RX. Bits that are not configurable must stay as they are (facts/bluez.md §4).
struct PHYConfiguration: Hashable {
  static let readCode: UInt16 = 0x0044
  static let setCode: UInt16 = 0x0045
  static let twoM: UInt32 = 1 << 11 | 1 << 12

  var supported: UInt32
  var configurable: UInt32
  var selected: UInt32

  init(supported: UInt32, configurable: UInt32, selected: UInt32) {
    self.supported = supported
    self.configurable = configurable
    self.selected = selected
  }

  /// Reads the answer to 0x0044; nil when it is shorter than its three masks.
  init?(_ parameters: [UInt8]) {
    guard let supported = parameters.littleEndian32(at: 0), let configurable = parameters.littleEndian32(at: 4),
      let selected = parameters.littleEndian32(at: 8)
    else { return nil }
    self.init(supported: supported, configurable: configurable, selected: selected)
  }

  static func read(_ index: UInt16) -> ManagementCommand { ManagementCommand(code: readCode, index: index, parameters: []) }

  static func set(_ selected: UInt32, _ index: UInt16) -> ManagementCommand {
    ManagementCommand(code: setCode, index: index, parameters: selected.littleEndianOctets)
  }

  /// The fastest PHY that links may use now.
  var phy: RadioParameters.PHY { selected & Self.twoM == Self.twoM ? .twoM : .oneM }

  /// The mask to set for a wish: everything that is on, and 2M added or taken out; nil when the adapter cannot do that.
  func selection(for wish: RadioParameters.PHY) -> UInt32? {
    let fixed = selected & ~Self.twoM | supported & ~configurable
    switch wish {
    case .twoM:
      guard supported & Self.twoM == Self.twoM else { return nil }
      return fixed | Self.twoM
    case .oneM: return phy == .twoM && configurable & Self.twoM != Self.twoM ? nil : fixed
    }
  }
}
