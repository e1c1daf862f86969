/// A job that passed the preflight check: which boards get which image.
public struct JobOrder: Sendable {
  /// By the profile's name; never empty.
  public var kinds: [LineJob.Kind]
  /// What is odd but does not stop the job, one line each.
  public var warnings: [String]
}
