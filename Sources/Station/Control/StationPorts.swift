public import Bluetooth
public import Flashing

/// What the station stands on; the program wires the rim to it, tests wire their own.
public struct StationPorts: Sendable {
  public var source: any AdapterSource
  public var central: any Central
  public var store: any RecordStore
  public var events: any EventSink
  public var time: Timekeeper
  /// Nil: no board's diagnostics are taken.
  public var collector: (any DiagnosticCollector)?

  public init(
    source: any AdapterSource, central: any Central, store: any RecordStore, events: any EventSink, time: Timekeeper,
    collector: (any DiagnosticCollector)? = nil
  ) {
    self.source = source
    self.central = central
    self.store = store
    self.events = events
    self.time = time
    self.collector = collector
  }

  func emit(_ event: StationEvent) { events.emit(event, at: time.wall()) }
}
