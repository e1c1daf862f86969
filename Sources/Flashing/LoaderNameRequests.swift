import SMP

/// Tells a bare metal board under which name its firmware loader is to advertise (settings group, command 0, write; facts/device-manager.md §§1.7 and 9).
struct LoaderNameRequest: SMPRequest, Hashable {
  static let operation = SMPOperation.write
  static let group = SMPGroup.settings
  static let command: UInt8 = 0
  static let isRepeatable = true

  var name: String

  var payload: CBORValue { .object(["name": .text("fw_loader/adv_name"), "val": .bytes(Array(name.utf8))]) }
}

/// Keeps the settings over a restart (settings group, command 3, write).
struct LoaderNameSaveRequest: SMPRequest, Hashable {
  static let operation = SMPOperation.write
  static let group = SMPGroup.settings
  static let command: UInt8 = 3
  static let isRepeatable = true

  var payload: CBORValue { .map([]) }
}
