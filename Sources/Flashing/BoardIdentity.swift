/// What a board says of itself in its Device Information Service.
public struct BoardIdentity: Hashable, Sendable {
  /// 2A24
  public var model: String?
  /// 2A25
  public var serial: String?
  /// 2A26
  public var firmware: String?
  /// 2A27
  public var hardware: String?
  /// 2A29
  public var manufacturer: String?

  public init(model: String? = nil, serial: String? = nil, firmware: String? = nil, hardware: String? = nil, manufacturer: String? = nil) {
    self.model = model
    self.serial = serial
    self.firmware = firmware
    self.hardware = hardware
    self.manufacturer = manufacturer
  }

  /// The longest value that is kept, in bytes: an attribute holds no more (Bluetooth Core, Vol 3, Part F, 3.2.9).
  public static let valueLimit = 512

  /// Text of a characteristic: UTF-8 up to the first NUL, repaired where broken, without blanks around it; nil when nothing is left.
  public static func text(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes.prefix(valueLimit).prefix { $0 != 0 }, as: UTF8.self)
    let inner = text.drop(while: \.isWhitespace)
    guard let last = inner.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(inner[...last])
  }
}

/// What must be read from a board before anything is written to it (profile `[identity]`).
public struct IdentityRule: Hashable, Sendable {
  public var model: String?
  public var hardware: String?
  public var manufacturer: String?
  /// A board without a serial number is refused.
  public var needsSerial: Bool

  public init(model: String? = nil, hardware: String? = nil, manufacturer: String? = nil, needsSerial: Bool = false) {
    self.model = model
    self.hardware = hardware
    self.manufacturer = manufacturer
    self.needsSerial = needsSerial
  }

  /// Nil when the board may be written to; else why not.
  public func objection(to board: BoardIdentity) -> BoardFailure? {
    if let failure = compare(model, board.model, .identityModel, "model number") { return failure }
    if let failure = compare(hardware, board.hardware, .identityHardware, "hardware revision") { return failure }
    if let failure = compare(manufacturer, board.manufacturer, .identityManufacturer, "manufacturer") { return failure }
    if needsSerial, board.serial == nil {
      return BoardFailure(.identitySerialMissing, in: .identify, "the board tells no serial number")
    }
    return nil
  }

  private func compare(_ wanted: String?, _ read: String?, _ code: FailureCode, _ what: String) -> BoardFailure? {
    guard let wanted else { return nil }
    guard let read else { return BoardFailure(.identityUnreadable, in: .identify, "the board tells no \(what); wanted is \(wanted)") }
    return read == wanted ? nil : BoardFailure(code, in: .identify, "the board's \(what) is \(read); wanted is \(wanted)")
  }
}
