/// How far and how fast the uploader goes.
public struct UploadLimits: Hashable, Sendable {
  /// Requests under way at once, of all lanes; URLSession opens no more connections to one host, and what waits there would already run out of its time.
  public var requestsAtOnce = 6
  /// Chunks of one request (facts/device-manager.md §7.4).
  public var batchChunks = 100
  /// Bytes of chunks of one request.
  public var batchBytes = 64 << 10
  /// The pause after the first failure; it doubles with each further one.
  public var firstPause = Duration.seconds(1)
  /// The longest pause that the uploader makes of itself.
  public var longestPause = Duration.seconds(300)
  /// The longest pause that a server is granted with `Retry-After`.
  public var longestRetryAfter = Duration.seconds(3600)
  /// Chunks in a row that are refused one by one, with none taken between them, before the lane is held: then it is hardly the chunks.
  public var rejectedInARow = 5
  /// Without a byte from the server.
  public var silence = Duration.seconds(30)
  /// One whole request.
  public var wholeRequest = Duration.seconds(120)
  /// For the answer to a request that is under way when the run is ended: its chunks would be there twice. Less than the contract's 5 s for a stop.
  public var lastAnswer = Duration.seconds(3)

  public init() {}
}
