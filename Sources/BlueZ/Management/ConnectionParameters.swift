import Bluetooth

/// What the kernel asks for when it connects to one board.
///
/// Source: BlueZ doc/mgmt-api.txt, "Load Connection Parameters Command" (0x0035): a count, then for each board its address (least octet first), the
/// type (1 LE public, 2 LE random), least and largest interval (1.25 ms), latency, supervision timeout (10 ms).
struct ConnectionParameters: Hashable {
  static let loadCode: UInt16 = 0x0035
  /// The kernel's own values (Linux 6.1 `hci_alloc_dev`; facts/bluez.md §4), for what is not wished: 30–50 ms, 420 ms.
  static let kernelIntervals: ClosedRange<UInt16> = 24...40
  static let kernelTimeout: UInt16 = 42

  /// In 1.25 ms.
  var intervals: ClosedRange<UInt16>
  /// In 10 ms.
  var timeout: UInt16

  /// Nil when nothing is wished. Values are held within the specification's bounds (Bluetooth Core 5.4, Vol 4, Part E, 7.8.12).
  init?(_ radio: RadioParameters) {
    guard radio.connectionInterval != nil || radio.supervisionTimeout != nil else { return nil }
    let interval = radio.connectionInterval.map { Self.steps($0, of: .microseconds(1250), in: 6...3200) }
    intervals = interval.map { $0...$0 } ?? Self.kernelIntervals
    // Longer than two intervals: 2 × 1.25 ms are a quarter of a step.
    let least = UInt16(clamping: Int(intervals.upperBound) / 4 + 1)
    timeout = max(radio.supervisionTimeout.map { Self.steps($0, of: .milliseconds(10), in: 10...3200) } ?? Self.kernelTimeout, least)
  }

  private static func steps(_ time: Duration, of step: Duration, in range: ClosedRange<UInt16>) -> UInt16 {
    let steps = (time / step).rounded()
    return steps >= Double(range.upperBound) ? range.upperBound : steps <= Double(range.lowerBound) ? range.lowerBound : UInt16(steps)
  }

  /// One board of the list.
  struct Board: Hashable {
    var address: BluetoothAddress
    var type: AddressType
  }

  /// The command that gives all these boards the same parameters, and takes every other board off the adapter's list.
  func load(for boards: [Board], _ index: UInt16) -> ManagementCommand {
    var parameters = UInt16(clamping: boards.count).littleEndianOctets
    for board in boards.prefix(Int(UInt16.max)) {
      parameters += board.address.octets.reversed() + [board.type == .public ? 1 : 2]
      parameters += intervals.lowerBound.littleEndianOctets + intervals.upperBound.littleEndianOctets + UInt16(0).littleEndianOctets
      parameters += timeout.littleEndianOctets
    }
    return ManagementCommand(code: Self.loadCode, index: index, parameters: parameters)
  }
}
