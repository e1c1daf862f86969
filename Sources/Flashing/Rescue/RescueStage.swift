/// Which of several images an attempt is at: told while it runs, no column of the reports.
public struct RescueStage: Hashable, Sendable {
  /// From 1. An image that is begun again keeps its number.
  public var number: Int
  /// Images in all, those that were flashed included, as far as the plan goes now.
  public var count: Int
  /// What the image brings, in words.
  public var part: String
  /// The version that the board tells afterwards; nil where the package does not say that of this part.
  public var version: String?

  public init(number: Int, count: Int, part: String, version: String?) {
    self.number = number
    self.count = count
    self.part = part
    self.version = version
  }
}
