public import Bluetooth

/// Joins udev's view of the adapters with the Bluetooth stack's.
///
/// The join goes through the hci index, which both sides report for the same moment; the identity that everything else keeps is the USB path, so an
/// adapter survives being plugged in again under another number.
public struct AdapterJoin: Hashable, Sendable {
  public var rules: AdapterRules

  public init(rules: AdapterRules) {
    self.rules = rules
  }

  /// Every adapter with its label and, where it is not usable, the reason; sorted by path.
  public func adapters(hardware: [AdapterHardware], stack: [AdapterState]) -> [LineAdapter] {
    hardware.map { adapter in
      let state = stack.first { $0.handle.hciIndex == adapter.hciIndex }
      return LineAdapter(
        hardware: adapter, label: adapter.usbPath.map(rules.label) ?? "hci\(adapter.hciIndex)", handle: state?.handle,
        usability: objection(adapter, state, stackIsEmpty: stack.isEmpty).map(LineAdapter.Usability.unusable) ?? .usable)
    }.sorted { $0.path < $1.path }
  }

  private func objection(_ adapter: AdapterHardware, _ state: AdapterState?, stackIsEmpty: Bool) -> String? {
    if adapter.usbPath == nil { return "not a USB adapter" }
    if let exclusion = rules.exclusion(of: adapter, address: state?.handle.address) { return exclusion }
    if state != nil { return nil }
    return stackIsEmpty ? "bluetoothd does not answer" : "bluetoothd does not take it: another adapter has the same address, or it does not start"
  }
}

/// Follows both views and yields the joined list after each change, the newest first when the reader is slow.
public struct AdapterWatch: Sendable {
  let source: any AdapterSource
  let central: any Central
  let join: AdapterJoin

  public init(source: any AdapterSource, central: any Central, join: AdapterJoin) {
    self.source = source
    self.central = central
    self.join = join
  }

  private enum View: Sendable {
    case hardware([AdapterHardware])
    case stack([AdapterState])
  }

  /// Ends when the reader's task is cancelled. Nothing is yielded before both sides have spoken once.
  public func run(_ changed: (_ adapters: [LineAdapter], _ stackIsEmpty: Bool) async -> Void) async {
    let (views, feed) = AsyncStream.makeStream(of: View.self, bufferingPolicy: .bufferingNewest(64))
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await list in source.adapters() { feed.yield(.hardware(list)) } }
      group.addTask { for await list in central.adapters() { feed.yield(.stack(list)) } }
      var hardware: [AdapterHardware]?
      var stack: [AdapterState]?
      for await view in views {
        switch view {
        case .hardware(let list): hardware = list
        case .stack(let list): stack = list
        }
        if let hardware, let stack { await changed(join.adapters(hardware: hardware, stack: stack), stack.isEmpty) }
      }
      group.cancelAll()
    }
  }
}
