/// Asks for one detail of the running application (OS group, command 7; smp.md §3.1).
///
/// One letter a request: several come back as one line that cannot be taken apart safely, because fields may be empty or hold spaces.
public struct ApplicationRequest: SMPRequest, Hashable {
  public enum Detail: String, Hashable, Sendable, CaseIterable {
    case kernelName = "s"
    case nodeName = "n"
    case kernelRelease = "r"
    case kernelVersion = "v"
    case buildTime = "b"
    case machine = "m"
    case processor = "p"
    /// From Zephyr 4.3 the full board target.
    case hardwarePlatform = "i"
    case operatingSystem = "o"
  }

  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 7

  public var detail: Detail

  public init(_ detail: Detail) {
    self.detail = detail
  }

  public var payload: CBORValue { .object(["format": .text(detail.rawValue)]) }

  /// The detail as text; may be empty.
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> String {
    try body.requiredText("output")
  }
}
