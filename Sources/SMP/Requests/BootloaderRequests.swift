/// Asks for the bootloader's name, such as `MCUboot` (OS group, command 8 without a query; smp.md §3.1).
public struct BootloaderNameRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 8

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> String {
    try body.requiredText("bootloader")
  }
}

/// Asks MCUboot how it exchanges images (OS group, command 8, query `mode`; smp.md §3.1).
public struct BootloaderModeRequest: SMPRequest, Hashable {
  public struct Response: Hashable, Sendable {
    public var mode: BootloaderMode
    /// True when the bootloader refuses an image older than the running one.
    public var refusesDowngrade: Bool

    public init(mode: BootloaderMode, refusesDowngrade: Bool) {
      self.mode = mode
      self.refusesDowngrade = refusesDowngrade
    }
  }

  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 8

  public init() {}

  public var payload: CBORValue { .object(["query": .text("mode")]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Response {
    Response(mode: BootloaderMode(rawValue: try body.integer("mode")), refusesDowngrade: try body.flag("no-downgrade"))
  }
}

/// Asks which slot of the immutable bootloader runs (OS group, command 8, query `active_b0_slot`; nRF Connect SDK only, smp.md §3.1).
public struct BootloaderActiveSlotRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 8

  public init() {}

  public var payload: CBORValue { .object(["query": .text("active_b0_slot")]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Int {
    try body.size("active")
  }
}
