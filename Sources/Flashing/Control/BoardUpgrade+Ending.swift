extension BoardUpgrade {
  /// What an upgrade came to: what was read back from the board, never what was sent.
  public struct Ending: Hashable, Sendable {
    /// `passed` when the wanted thing was done and read back, `skipped` when there was nothing to do, `aborted` after `cancel()`.
    public var outcome: Outcome
    /// The board runs the wanted image, confirmed, in its application.
    public var isGood: Bool
    /// Why it did not end well; nil for `passed` and `skipped`.
    public var failure: BoardFailure?
    /// What was last read of the wanted image; nil when the board was not asked.
    public var imageState: ImageState?
    public var leftAs: LeftAs
    public var serialNumber: String?
    public var modelNumber: String?
    public var firmwareBefore: String?
    public var firmwareAfter: String?
    /// The byte at which the board took an earlier upload up again.
    public var resumedFrom: Int?
    /// Bytes that the board acknowledged.
    public var uploadBytes: Int?
    /// Of the upload, pauses left out, in kB/s (1 kB = 1000 bytes).
    public var uploadSpeed: Double?
    /// Links that were made again and requests that were repeated.
    public var retries: Int

    init(_ record: AttemptRecord) {
      // A finished record has an outcome; one without was never finished, which is nobody's success.
      outcome = record.outcome ?? .error
      isGood = record.good
      failure = record.failureCode.map { BoardFailure($0, in: record.failurePhase ?? .discover, record.failureMessage ?? "") }
      imageState = record.imageState
      leftAs = record.leftAs
      serialNumber = record.serialNumber
      modelNumber = record.modelNumber
      firmwareBefore = record.firmwareBefore
      firmwareAfter = record.firmwareAfter
      resumedFrom = record.resumedFrom
      uploadBytes = record.uploadBytes
      uploadSpeed = record.uploadSpeed
      retries = record.retries
    }

    init(_ failure: BoardFailure) {
      outcome = FailureRule.of(failure.code).outcome
      isGood = false
      self.failure = failure
      leftAs = .untouched
      retries = 0
    }
  }
}
