/// What a part of an update replaces: the mask of Legacy DFU's start request (nordic-dfu.md §2.3), one of its four accepted values.
public enum DFUImageType: UInt8, Hashable, Sendable, CaseIterable {
  case softDevice = 1
  case bootloader = 2
  case softDeviceAndBootloader = 3
  case application = 4

  /// True when the board starts its bootloader again afterwards, so that the next part needs a new connection (nordic-dfu.md §2.7).
  public var isSystemPart: Bool { self != .application }
}
