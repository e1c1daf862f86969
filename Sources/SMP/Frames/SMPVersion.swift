/// The protocol version of a frame (bits 4…3 of the first header byte); 2 and 3 are reserved but kept as they come.
public struct SMPVersion: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue & 0b11
  }

  /// The legacy protocol: errors are plain `rc`. MCUboot, Mynewt and Zephyr before 3.5 know only this one.
  public static let v1 = SMPVersion(rawValue: 0)
  /// Errors come as `err {group, rc}`.
  public static let v2 = SMPVersion(rawValue: 1)
}
