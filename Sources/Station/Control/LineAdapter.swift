public import Bluetooth

/// One adapter of the line: where it is plugged in, joined with what the Bluetooth stack calls it now.
public struct LineAdapter: Hashable, Sendable {
  /// Whether a worker may use it, or the reason why not.
  public enum Usability: Hashable, Sendable {
    case usable
    case unusable(String)
  }

  public var hardware: AdapterHardware
  /// The operator's name for it: `label.<usb path>` of station.conf, else the USB path.
  public var label: String
  /// What the stack calls it; nil while the stack does not have it.
  public var handle: AdapterHandle?
  public var usability: Usability

  public init(hardware: AdapterHardware, label: String, handle: AdapterHandle?, usability: Usability) {
    self.hardware = hardware
    self.label = label
    self.handle = handle
    self.usability = usability
  }

  /// The identity of an adapter: its USB path; an adapter that is not on USB goes by its present number, and is never used.
  public var path: String { hardware.usbPath ?? "hci\(hardware.hciIndex)" }

  public var isUsable: Bool { usability == .usable }
}
