/// What the uploader tells while it works. No case carries a secret.
public enum UploadEvent: Hashable, Sendable {
  /// The server took so many chunks of a lane, and they are removed.
  case uploaded(LaneID, chunks: Int)
  /// A lane is tried again after a while; why.
  case waiting(LaneID, Duration, reason: String)
  /// A lane is left alone until the next start; why, and what to do. Its chunks are kept.
  case held(LaneID, reason: String)
  /// The server does not take a chunk, not even alone: it was set aside, and the lane goes on.
  case rejected(LaneID, status: Int)
  /// Nothing is left that could be sent now: every lane is empty or held.
  case drained
  /// The queue itself failed; the uploader ends.
  case failed(ChunkQueueError)
}
