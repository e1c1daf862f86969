/// What may follow a failed update of one board (nordic-dfu.md §10.1).
public enum DFURecovery: Hashable, Sendable, CaseIterable {
  /// Connect again and start over as before: the board remembers an update that was never finished.
  case again
  /// Connect again and start over, with half as many packets between receipts: the link, or the board's buffers, could not keep up.
  case gentler
  /// Start over once as a whole; the same end again makes the file suspect.
  case verify
  /// Never again with this package on this board: the board refuses it for what it is.
  case package
  /// Never again: the board does not speak as a bootloader of its kind, or the operator stopped.
  case never

  /// True when another try may end well.
  public var isRetry: Bool {
    switch self {
    case .again, .gentler, .verify: true
    case .package, .never: false
    }
  }
}
