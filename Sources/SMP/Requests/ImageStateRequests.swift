/// Reads what images a board has and in which state (image group, command 0; smp.md §3.2).
public struct ImageStateReadRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.image
  public static let command: UInt8 = 0

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> ImageState {
    try ImageState(body)
  }
}

/// Sets an image to be tested, or confirms one (image group, command 0; smp.md §3.2).
public struct ImageStateWriteRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.image
  public static let command: UInt8 = 0

  public var hash: [UInt8]?
  public var confirm: Bool

  private init(hash: [UInt8]?, confirm: Bool) {
    self.hash = hash
    self.confirm = confirm
  }

  /// Starts this image once at the next reset; it is reverted at the one after, unless it was confirmed.
  public static func test(_ hash: [UInt8]) -> Self {
    Self(hash: hash, confirm: false)
  }

  /// Keeps an image for good: the one with this hash, or the running one.
  public static func confirm(_ hash: [UInt8]? = nil) -> Self {
    Self(hash: hash, confirm: true)
  }

  public var payload: CBORValue {
    guard let hash else { return .object(["confirm": .bool(confirm)]) }
    return .object(["hash": .bytes(hash), "confirm": .bool(confirm)])
  }

  /// The images after the change.
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> ImageState {
    try ImageState(body)
  }
}
