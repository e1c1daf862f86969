/// What ends a batch (job options `--count`, `--until`, `--idle`, `--boards`).
public struct BatchBounds: Hashable, Sendable {
  /// Without any other bound a job ends when nothing new came for so long (contract §2).
  public static let defaultIdle = Duration.seconds(300)

  /// Distinct boards judged.
  public var count: Int?
  /// No board starts at or after this monotonic time.
  public var until: Duration?
  /// Nothing new for so long.
  public var idle: Duration?
  /// All of these are done, and no others are touched.
  public var boards: BoardList?

  public init(count: Int? = nil, until: Duration? = nil, idle: Duration? = nil, boards: BoardList? = nil) {
    self.count = count
    self.until = until
    self.boards = boards
    self.idle = idle ?? (count == nil && until == nil && boards == nil ? Self.defaultIdle : nil)
  }
}
