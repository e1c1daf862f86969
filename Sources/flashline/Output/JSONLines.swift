import Flashing
import Station

/// The events as JSON Lines on stdout (contract §3).
struct JSONLines: EventSink {
  let writer: LineWriter

  func emit(_ event: StationEvent, at time: Int64) {
    writer.write(event.json(at: time).line, isDroppable: event.isProgress)
  }
}

extension StationEvent {
  /// Progress is thrown away first when a reader is slow.
  var isProgress: Bool { if case .boardProgress = self { true } else { false } }
}

/// Several listeners, each in its own way.
struct SinkGroup: EventSink {
  let sinks: [any EventSink]

  func emit(_ event: StationEvent, at time: Int64) {
    for sink in sinks { sink.emit(event, at: time) }
  }
}
