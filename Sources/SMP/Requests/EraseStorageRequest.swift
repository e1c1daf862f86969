/// Erases the board's storage partition: settings, and with them bonds (smp.md §3.8). Group 63, command 0, write, an empty map.
///
/// Answered after the erase, which may take long; builds without the group refuse it.
public struct EraseStorageRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.write
  public static let group = SMPGroup.zephyrBasic
  public static let command: UInt8 = 0
  public static let answerLimit = Duration.seconds(75)

  public init() {}

  public var payload: CBORValue { .map([]) }
}
