public import Bluetooth

extension BluetoothAddress {
  /// The name under which the firmware loader of this board is told to advertise: the same every time, so that a board which an earlier attempt left there is
  /// found again, and another one for each of a lot's neighbouring addresses.
  ///
  /// Eight characters fit an advertisement beside its flags and the service (facts/device-manager.md §1.7).
  public var loaderName: String {
    let (digits, space) = (5, UInt64(60_466_176))  // 36⁵
    let text = String(bits % space, radix: 36, uppercase: true)
    return "FL_" + String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
