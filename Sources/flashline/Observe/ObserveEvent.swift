import Bluetooth
import Cloud
import Flashing
import Station

/// What `observe` tells, in the style of contract §3: the screen draws it, `--json` prints it, one line each. No case carries a secret.
enum ObserveEvent: Sendable {
  case started(station: String, queue: String, isUploadOnly: Bool, boards: [BluetoothAddress])
  case adapterAdded(LineAdapter)
  case adapterRemoved(LineAdapter)
  /// An adapter failed and a remedy was tried on it.
  case adapterHealing(LineAdapter, AdapterRemedy, because: String, obstacle: String?)
  /// A stream is open.
  case connected(BluetoothAddress, adapter: String, deviceID: String, host: String)
  /// A link or a try has ended; `again` is nil when the board is left alone.
  case disconnected(BluetoothAddress, adapter: String, reason: String, chunks: Int, again: Duration?)
  /// A chunk is on the disk.
  case chunk(BluetoothAddress, adapter: String, number: Int, bytes: Int)
  /// Chunks of the board never came, at least so many.
  case gap(BluetoothAddress, adapter: String, missing: Int)
  /// A notification without a chunk in it.
  case malformed(BluetoothAddress, adapter: String)
  /// The queue is full, or nearly so: the board is stopped and keeps its chunks. `isLost`: this one came and could not be kept.
  case full(BluetoothAddress, adapter: String, isLost: Bool)
  /// The board is left alone; why, and what to do.
  case refused(BluetoothAddress, reason: String)
  case upload(UploadEvent)
  /// How the queue stands.
  case standing([LaneStatus])
  /// No board is observed any more; what waits is uploaded.
  case draining
  case fault(FailureCode, message: String)
  case finished(reason: EndReason, exit: Int32)

  /// Why observing ended.
  enum EndReason: String, Sendable {
    case time, boards, drained, `operator`, fault
  }

  /// The event's name for programs; nil for what is told otherwise.
  var name: String? {
    switch self {
    case .started: "observe.started"
    case .adapterAdded: "adapter.added"
    case .adapterRemoved: "adapter.removed"
    case .adapterHealing: "adapter.healing"
    case .connected: "observe.connected"
    case .disconnected: "observe.disconnected"
    case .chunk: "observe.chunk"
    case .gap: "observe.gap"
    case .malformed: "observe.malformed"
    case .full: "observe.full"
    case .refused: "observe.refused"
    case .upload(.uploaded): "observe.uploaded"
    case .upload(.waiting): "observe.waiting"
    case .upload(.held): "observe.held"
    case .upload(.rejected): "observe.rejected"
    case .upload(.drained), .upload(.failed), .standing: nil
    case .draining: "observe.draining"
    case .fault: "station.fault"
    case .finished: "observe.finished"
    }
  }
}
