/// Makes a board's firmware crash, to see what comes of it (crash group, command 0, write; device-manager.md §6). An answer may never come.
public struct CrashRequest: SMPRequest, Hashable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A division by zero.
    case div0
    /// A jump to address 0.
    case jump0
    /// A read at address 0.
    case ref0
    /// A failed assertion.
    case assert
    /// The watchdog is left to run out.
    case wdog
  }

  public static let operation = SMPOperation.write
  public static let group = SMPGroup.crash
  public static let command: UInt8 = 0

  public var kind: Kind

  public init(_ kind: Kind) {
    self.kind = kind
  }

  public var payload: CBORValue { .object(["t": .text(kind.rawValue)]) }
}
