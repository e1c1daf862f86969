public import Bluetooth

/// Which adapters the line uses: `[adapters] use` and `exclude` of station.conf, and the join of udev's view with the stack's.
///
/// Pure: lists in, lists out. The join goes through the present hci index, which both sides report for the same moment; the identity that
/// everything else keeps is the USB path, so an adapter survives being plugged in again under another number.
public struct AdapterSelection: Hashable, Sendable {
  /// USB paths, `vid:pid` or addresses; empty means all.
  public var use: [String]
  public var exclude: [String]
  /// Label by USB path.
  public var labels: [String: String]

  public init(use: [String] = [], exclude: [String] = [], labels: [String: String] = [:]) {
    self.use = use
    self.exclude = exclude
    self.labels = labels
  }

  /// Every adapter with its label and the reason why it is not usable, sorted by path.
  public func join(hardware: [AdapterHardware], stack: [AdapterState]) -> [LineAdapter] {
    hardware.map { adapter in
      let state = stack.first { $0.handle.hciIndex == adapter.hciIndex }
      let label = adapter.usbPath.flatMap { labels[$0] } ?? adapter.usbPath ?? "hci\(adapter.hciIndex)"
      return LineAdapter(
        hardware: adapter, label: label, handle: state?.handle,
        usability: objection(adapter, state, stackIsEmpty: stack.isEmpty).map(LineAdapter.Usability.unusable) ?? .usable)
    }.sorted { $0.path < $1.path }
  }

  private func objection(_ adapter: AdapterHardware, _ state: AdapterState?, stackIsEmpty: Bool) -> String? {
    guard adapter.usbPath != nil else { return "not a USB adapter" }
    if names(exclude, adapter, state) { return "excluded by station.conf" }
    if !use.isEmpty, !names(use, adapter, state) { return "not among [adapters] use of station.conf" }
    guard state != nil else {
      return stackIsEmpty
        ? "bluetoothd does not answer" : "bluetoothd does not take it (another adapter has the same address, or it does not start)"
    }
    return nil
  }

  private func names(_ list: [String], _ adapter: AdapterHardware, _ state: AdapterState?) -> Bool {
    list.contains { entry in
      if entry == adapter.usbPath { return true }
      if let address = BluetoothAddress(entry) { return address == state?.handle.address }
      guard let vendor = adapter.vendorID, let product = adapter.productID else { return false }
      return entry.lowercased() == Self.hex(vendor) + ":" + Self.hex(product)
    }
  }

  /// Four hexadecimal digits, as `lsusb` prints them.
  public static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
