/// An adapter as the station speaks of it: the USB path is the identity, the label is for people.
public struct AdapterName: Hashable, Comparable, Sendable {
  public var usbPath: String
  public var label: String

  public init(usbPath: String, label: String? = nil) {
    self.usbPath = usbPath
    self.label = label ?? usbPath
  }

  /// By label, the order in which people see them.
  public static func < (left: Self, right: Self) -> Bool {
    (left.label, left.usbPath) < (right.label, right.usbPath)
  }
}
