/// Which refusals end an upload: the groups use the same numbers in different ways.
public enum UploadRefusals: Hashable, Sendable {
  /// `no memory` is a lack of buffers and passes.
  case image
  /// `no memory` is a partition that is too small; EUNKNOWN and EMSGSIZE may be tried again (`SUITRefusal`).
  case suit
}

/// The limits of one upload.
public struct UploadSettings: Hashable, Sendable {
  /// Requests outstanding at most (`TransportLimits.depth`).
  public var depth: Int
  /// Bytes of the longest request, header included (`TransportLimits.requestSize`).
  public var requestSize: Int
  /// Pieces end at multiples of this many bytes.
  public var alignment: Int

  /// The first request waits while the board erases its slot (smp.md §4.3).
  public var firstTimeout = Duration.seconds(40)
  public var laterTimeout = Duration.seconds(10)
  /// The last request may wait for a check of the whole image.
  public var lastTimeout = Duration.seconds(20)

  /// Times the first request is sent in a row.
  public var firstAttempts = 3
  /// Time-outs in a row without a byte of progress.
  public var timeoutLimit = 5
  /// Rounds of answers in a row without a byte of progress.
  public var stallLimit = 16
  /// The first wait after `busy` or `no memory`; each one after it is twice as long.
  public var firstWait = Duration.milliseconds(100)
  public var longestWait = Duration.seconds(2)
  /// Waits in a row without a byte of progress.
  public var waitLimit = 12
  /// Times the whole upload begins again.
  public var restartLimit = 3
  /// Answers in a row without a loss after which a shrunken window grows by one.
  public var growAfter = 64
  /// Whose refusals they are.
  public var refusals = UploadRefusals.image

  public init(depth: Int, requestSize: Int, alignment: Int = 1) {
    self.depth = max(1, depth)
    self.requestSize = requestSize
    self.alignment = alignment
  }

  public init(_ limits: TransportLimits, alignment: Int = 1) {
    self.init(depth: limits.depth, requestSize: limits.requestSize, alignment: alignment)
  }
}
