/// What a board's diagnostics call it (Memfault's group, command 0; smp.md §3.10).
public struct DiagnosticIdentity: Hashable, Sendable {
  public var serial: String
  public var hardwareVersion: String
  public var softwareType: String
  public var currentVersion: String

  public init(serial: String, hardwareVersion: String, softwareType: String, currentVersion: String) {
    self.serial = serial
    self.hardwareVersion = hardwareVersion
    self.softwareType = softwareType
    self.currentVersion = currentVersion
  }
}

/// Asks for a board's identity in the diagnostics service (Memfault's group, command 0, read).
public struct DiagnosticIdentityRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.memfault
  public static let command: UInt8 = 0

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> DiagnosticIdentity {
    DiagnosticIdentity(
      serial: try body.requiredText("device_serial"), hardwareVersion: try body.requiredText("hardware_version"),
      softwareType: try body.requiredText("software_type"), currentVersion: try body.requiredText("current_version"))
  }
}

/// The key with which a board's diagnostics are delivered, as the board tells it: a secret, so that it prints as nothing but a word.
public struct BoardProjectKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The secret itself.
  public let secret: String

  public init(_ secret: String) {
    self.secret = secret
  }

  public var description: String { "(a project key)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Asks for the project key of a board's diagnostics (Memfault's group, command 1, read).
public struct ProjectKeyRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.memfault
  public static let command: UInt8 = 1

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> BoardProjectKey {
    BoardProjectKey(try body.requiredText("project_key"))
  }
}
