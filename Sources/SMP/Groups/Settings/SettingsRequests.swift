/// The value of one of a board's settings (settings group, command 0; smp.md §3.4).
public struct SettingValue: Hashable, Sendable {
  public var bytes: [UInt8]
  /// Bytes that the board can return at most, where it cut the value or limited the request.
  public var largest: Int?

  public init(bytes: [UInt8], largest: Int? = nil) {
    self.bytes = bytes
    self.largest = largest
  }
}

/// Reads a setting (settings group, command 0, read).
public struct SettingReadRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.settings
  public static let command: UInt8 = 0

  public var name: String
  /// Bytes to return at most; nil leaves it to the board.
  public var largest: Int?

  public init(name: String, largest: Int? = nil) {
    self.name = name
    self.largest = largest
  }

  public var payload: CBORValue {
    guard let largest else { return .object(["name": .text(name)]) }
    return .object(["name": .text(name), "max_size": .integer(largest)])
  }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> SettingValue {
    guard let bytes = try body.optionalBytes("val") else { throw .missing("val") }
    return SettingValue(bytes: bytes, largest: try body.optionalInteger("max_size"))
  }
}

/// Sets a setting in the board's memory (settings group, command 0, write); only `SettingsSaveRequest` makes it last.
public struct SettingWriteRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.settings
  public static let command: UInt8 = 0
  public static let isRepeatable = true

  public var name: String
  public var bytes: [UInt8]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  public var payload: CBORValue { .object(["name": .text(name), "val": .bytes(bytes)]) }
  public var expectedSize: Int { 64 + name.utf8.count + bytes.count }
}

/// Deletes a setting (settings group, command 1, write).
public struct SettingDeleteRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.settings
  public static let command: UInt8 = 1

  public var name: String

  public init(name: String) {
    self.name = name
  }

  public var payload: CBORValue { .object(["name": .text(name)]) }
}

/// Has the firmware take over what was written (settings group, command 2, write).
public struct SettingsCommitRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.settings
  public static let command: UInt8 = 2

  public init() {}

  public var payload: CBORValue { .map([]) }
}

/// Loads all settings from the board's storage again (settings group, command 3, read): what was written and not saved is gone.
public struct SettingsLoadRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.settings
  public static let command: UInt8 = 3
  /// A read on the wire that changes the board.
  public static let isRepeatable = false

  public init() {}

  public var payload: CBORValue { .map([]) }
}

/// Writes all settings to the board's storage, so that they outlast a restart (settings group, command 3, write).
public struct SettingsSaveRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.settings
  public static let command: UInt8 = 3
  public static let isRepeatable = true
  /// Flash may have to be erased on the way (device-manager.md §5.7, the default of a request).
  public static let answerLimit = Duration.seconds(40)

  public init() {}

  public var payload: CBORValue { .map([]) }
}
