public import Bluetooth
import Flashing

/// Port: takes the diagnostics of a board that has passed, where its profile says so (`[observe] after_pass`).
///
/// The board's record is kept by then and its link is down; whatever comes of it changes nothing about its result.
public protocol DiagnosticCollector: Sendable {
  /// Connects to the board and takes what it has for so long; then its link is down again. Also under cancellation.
  ///
  /// - Parameter pairing: how boards of its profile are paired; nil: not at all.
  func collect(
    from board: BluetoothAddress, on adapter: LineAdapter, _ handle: AdapterHandle, pairing: PairingMethod?, for length: Duration
  ) async -> DiagnosticCollection
}

/// What came of collecting a board's diagnostics.
public struct DiagnosticCollection: Hashable, Sendable {
  /// Chunks that are in the queue.
  public var chunks: Int
  /// Chunks that never came, or could not be kept.
  public var lost: Int
  /// Why it did not work, or not to the end; one line.
  public var trouble: String?

  public init(chunks: Int = 0, lost: Int = 0, trouble: String? = nil) {
    self.chunks = chunks
    self.lost = lost
    self.trouble = trouble
  }
}

extension StationController {
  /// What the profile wants of a board that passed, by the worker that flashed it: nothing else happens on its adapter meanwhile.
  ///
  /// The job ends after it (at most its length and the way to a link later); a stop ends it at once.
  func collect(_ record: AttemptRecord, _ kind: LineJob.Kind, _ adapter: LineAdapter, _ handle: AdapterHandle) async {
    let length = kind.profile.observe.afterPass
    guard let collector = ports.collector, length > .zero, record.outcome == .passed, record.good else { return }
    guard reason == nil, ledger.closing == nil, !control.isPaused, !Task.isCancelled else { return }
    collecting += 1
    defer { collecting -= 1 }
    let collection = await collector.collect(from: record.mac, on: adapter, handle, pairing: kind.profile.pairing, for: length)
    ports.emit(.boardObserved(record, collection))
  }
}
