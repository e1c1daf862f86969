import Locks
import Synchronization

/// What the tasks of one run of the uploader know together.
final class UploadDesk: Sendable {
  private struct State {
    var running: Set<UploadTrack> = []
    var heldLanes: Set<LaneID> = []
    var heldKeys: [String: String] = [:]
    /// What was learned of a server, for the next chunks of a track.
    var courses: [UploadTrack: UploadCourse] = [:]
    var failure: ChunkQueueError?
  }

  private let state = Locked(State())

  /// Tracks that have something to send and nobody who does it, now taken as running.
  func start(_ lanes: [WaitingLane]) -> [UploadTrack] {
    state.withLock { state in
      lanes.filter { !state.heldLanes.contains($0.id) }.map(\.track).filter { state.running.insert($0).inserted }
    }
  }

  func end(_ track: UploadTrack, _ course: UploadCourse) {
    state.withLock { state in
      state.running.remove(track)
      state.courses[track] = course
    }
  }

  var isIdle: Bool { state.withLock { $0.running.isEmpty } }

  func course(_ track: UploadTrack) -> UploadCourse? { state.withLock { $0.courses[track] } }

  /// The oldest lane of a track that is not held.
  func next(_ lanes: [WaitingLane], of track: UploadTrack) -> WaitingLane? {
    state.withLock { state in lanes.first { $0.track == track && !state.heldLanes.contains($0.id) } }
  }

  func hold(_ lane: LaneID) { state.withLock { _ = $0.heldLanes.insert(lane) } }

  func hold(keyFile: String, reason: String) { state.withLock { $0.heldKeys[keyFile] = reason } }

  func reason(keyFile: String) -> String? { state.withLock { $0.heldKeys[keyFile] } }

  /// The first failure of the queue itself, which ends the run.
  var failure: ChunkQueueError? { state.withLock { $0.failure } }

  func fail(_ failure: ChunkQueueError) {
    state.withLock { state in if state.failure == nil { state.failure = failure } }
  }
}
