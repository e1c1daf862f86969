/// Erases a slot and forgets an upload that was under way (image group, command 5; smp.md §3.2). The answer comes after the erase.
public struct ImageEraseRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.image
  public static let command: UInt8 = 5
  /// A whole slot of external flash takes its time (device-manager.md §5.7).
  public static let answerLimit = Duration.seconds(75)

  /// Which slot in the whole board: 2 × image + slot. Nil means the one opposite to the running image.
  public var slot: Int?

  public init(slot: Int? = nil) {
    self.slot = slot
  }

  public init(image: Int, slot: Int) {
    self.slot = 2 * image + slot
  }

  public var payload: CBORValue {
    guard let slot else { return .map([]) }
    return .object(["slot": .integer(slot)])
  }
}
