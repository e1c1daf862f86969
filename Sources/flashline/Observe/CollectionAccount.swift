import Cloud
import Locks
import Station
import Synchronization

/// Counts what one visit after a pass brings.
final class CollectionAccount: Sendable {
  private struct State {
    var collection = DiagnosticCollection()
    var wasConnected = false
  }

  private let state = Locked(State())

  func note(_ event: ObserveEvent) {
    state.withLock { state in
      switch event {
      case .connected: state.wasConnected = true
      case .chunk: state.collection.chunks += 1
      case .gap(_, _, let missing): state.collection.lost += missing
      case .full(_, _, let isLost): state.collection.lost += isLost ? 1 : 0
      default: break
      }
    }
  }

  func trouble(_ words: String) {
    state.withLock { $0.collection.trouble = words }
  }

  /// - Parameter ending: nil when the visit did not end in time, which it always does.
  func collection(_ ending: ObserveBook.Ending?) -> DiagnosticCollection {
    state.withLock { state in
      var collection = state.collection
      switch ending {
      case .observed(.stopped, _, _)?: break
      case .observed(let end, _, _)?: collection.trouble = collection.trouble ?? ObserveBook.words(end)
      case .failed(let failure)?: collection.trouble = collection.trouble ?? "\(failure): \(failure.remedy)"
      case .refused(let line)?: collection.trouble = collection.trouble ?? line
      case .full?: collection.trouble = collection.trouble ?? "the queue is full: see why nothing is uploaded (flashline observe --upload-only)"
      case .forgotten?, .broken?, nil:
        if !state.wasConnected { collection.trouble = collection.trouble ?? "no connection came about in time" }
      }
      return collection
    }
  }
}
