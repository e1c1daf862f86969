public import Bluetooth

/// How the operator names adapters: the kernel's USB path, a product or an address; never hciN.
public enum AdapterSelector: Hashable, Sendable, CustomStringConvertible {
  /// The kernel's name of the USB device, like `1-2.3`.
  case usbPath(String)
  /// USB vendor and product, like `0a12:0001`.
  case product(vendor: UInt16, product: UInt16)
  case address(BluetoothAddress)

  /// Reads one of the three forms; anything else is nil.
  public init?(_ text: String) {
    if let address = BluetoothAddress(text) {
      self = .address(address)
    } else if Self.isUSBPath(text) {
      self = .usbPath(text)
    } else {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.count == 4 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
      guard let vendor = UInt16(parts[0], radix: 16), let product = UInt16(parts[1], radix: 16) else { return nil }
      self = .product(vendor: vendor, product: product)
    }
  }

  /// Bus, a dash, and the ports on the way to the device with dots between (Linux, `usb_alloc_dev`).
  static func isUSBPath(_ text: String) -> Bool {
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return false }
    let numbers = [halves[0]] + halves[1].split(separator: ".", omittingEmptySubsequences: false)
    return numbers.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy { $0.isASCII && $0.isNumber } }
  }

  /// Whether it names this adapter; the address is known only once the Bluetooth stack has the adapter.
  public func names(_ hardware: AdapterHardware, address: BluetoothAddress?) -> Bool {
    switch self {
    case .usbPath(let path): hardware.usbPath == path
    case .product(let vendor, let product): hardware.vendorID == vendor && hardware.productID == product
    case .address(let wanted): address == wanted
    }
  }

  public var description: String {
    switch self {
    case .usbPath(let path): path
    case .product(let vendor, let product): Self.hex(vendor) + ":" + Self.hex(product)
    case .address(let address): address.description
    }
  }

  private static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// `[adapters]`: which adapters work, what they are called, and the radio parameters asked for.
public struct AdapterRules: Hashable, Sendable {
  public enum PHY: String, Hashable, Sendable, CaseIterable {
    /// As the kernel and the board settle it (measured: 1M).
    case kernel
    case oneM = "1M"
    case twoM = "2M"
  }

  /// Nil is all.
  public var use: [AdapterSelector]?
  public var exclude: [AdapterSelector]
  /// Labels by USB path.
  public var labels: [String: String]
  public var phy: PHY
  /// Nil leaves it to the kernel and the board. A multiple of 1.25 ms.
  public var connectionInterval: Duration?
  /// Nil leaves it to the kernel and the board. A multiple of 10 ms.
  public var supervisionTimeout: Duration?

  /// What is wished of every adapter's links.
  public var radio: RadioParameters {
    let phy: RadioParameters.PHY? =
      switch phy {
      case .kernel: nil
      case .oneM: .oneM
      case .twoM: .twoM
      }
    return RadioParameters(phy: phy, connectionInterval: connectionInterval, supervisionTimeout: supervisionTimeout)
  }

  /// What people call the adapter at a USB path.
  public func label(_ usbPath: String) -> String { labels[usbPath] ?? usbPath }

  /// Why the operator's rules keep an adapter out; nil when it may work.
  public func exclusion(of hardware: AdapterHardware, address: BluetoothAddress?) -> String? {
    if let selector = exclude.first(where: { $0.names(hardware, address: address) }) { return "excluded by [adapters] exclude (\(selector))" }
    if let use, !use.contains(where: { $0.names(hardware, address: address) }) { return "not listed in [adapters] use" }
    return nil
  }

  init(_ values: IniValues) throws(ConfigurationError) {
    let forms = "USB paths (1-2.3), products (0a12:0001) or addresses"
    use = try values.value(StationKeys.use, "all, or \(forms)") { (text) -> [AdapterSelector]?? in
      if text == "all" { return .some(nil) }
      return Self.selectors(text).map { .some($0) }
    }
    exclude = try values.list(StationKeys.exclude, of: forms) { AdapterSelector($0) }
    labels = try Self.labels(values)
    phy = try values.choice(StationKeys.phy)
    connectionInterval = try Self.radioTime(values, StationKeys.connectionInterval, step: .microseconds(1250), in: .microseconds(7500)...(.seconds(4)))
    supervisionTimeout = try Self.radioTime(values, StationKeys.supervisionTimeout, step: .milliseconds(10), in: .milliseconds(100)...(.seconds(32)))
    // Bluetooth Core 5.4, Vol 4, Part E, 7.8.12: longer than (1 + latency) × interval × 2; our latency is 0.
    if let interval = connectionInterval, let timeout = supervisionTimeout, timeout <= interval * 2 {
      throw values.complaint(
        StationKeys.supervisionTimeout, "\(StationKeys.supervisionTimeout.label) is not longer than two connection intervals",
        "write more than \(DurationText.text(interval * 2))")
    }
  }

  private static func selectors(_ text: String) -> [AdapterSelector]? {
    let parts = text.split { $0 == "," || $0 == " " || $0 == "\t" }
    let selectors = parts.compactMap { AdapterSelector(String($0)) }
    return selectors.count == parts.count && !parts.isEmpty ? selectors : nil
  }

  private static func labels(_ values: IniValues) throws(ConfigurationError) -> [String: String] {
    var labels: [String: String] = [:]
    for (path, entry) in values.family(StationKeys.label) {
      guard AdapterSelector.isUSBPath(path) else {
        throw values.complaint(entry, "[adapters] \(entry.key.escaped()) does not end in a USB path", "write label.1-2.3 = …, as flashline adapters shows it")
      }
      guard entry.value.count <= 32 else { throw values.complaint(entry, "this label has \(entry.value.count) characters", "shorten it to 32") }
      if let other = labels.first(where: { $0.value == entry.value }) {
        throw values.complaint(entry, "two adapters are called \(entry.value.shown) (\(other.key) and \(path))", "give each its own label")
      }
      labels[path] = entry.value
    }
    return labels
  }

  private static func radioTime(_ values: IniValues, _ key: IniKey, step: Duration, in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration? {
    let words = "kernel, or \(IniValues.durationWords(range)) in steps of \(DurationText.text(step))"
    return try values.value(key, words) { (text) -> Duration?? in
      if text == "kernel" { return .some(nil) }
      guard let time = IniValues.duration(text, in: range) else { return nil }
      let steps = time / step
      return steps == steps.rounded() ? .some(time) : nil
    }
  }
}
