import Locks
import Synchronization

/// The record of a running attempt, written by the session and readable at any moment: what a stop, a limit or a crash finds is what is recorded.
public final class AttemptJournal: Sendable {
  private let state: Locked<AttemptRecord>
  private let observer: any SessionObserver

  public init(_ record: AttemptRecord, observer: any SessionObserver) {
    state = Locked(record)
    self.observer = observer
  }

  public var record: AttemptRecord { state.withLock { $0 } }

  public func update(_ change: (inout AttemptRecord) -> Void) {
    state.withLock { change(&$0) }
  }

  /// Notes that the board is about to be written to, before it is: from here on it is not untouched, whatever happens.
  func touch(leaving state: LeftAs) {
    update { if $0.leftAs == .untouched { $0.leftAs = state } }
  }

  /// Enters a phase; the observer writes it down before the session goes on.
  func enter(_ phase: Phase) async throws {
    try await observer.entered(phase, record)
  }

  func progress(_ bytes: Int, of total: Int, at now: Duration) {
    observer.progressed(bytes, of: total, at: now, record)
  }
}

/// Who watches an attempt: the station (events, the table `phases`).
public protocol SessionObserver: Sendable {
  /// A phase begins. A throw (the phase could not be recorded) ends the attempt as the station's fault.
  func entered(_ phase: Phase, _ record: AttemptRecord) async throws

  /// The board acknowledged bytes of the upload; must return at once.
  func progressed(_ bytes: Int, of total: Int, at now: Duration, _ record: AttemptRecord)
}
