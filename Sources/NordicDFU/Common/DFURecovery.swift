/// What may follow a failed update of one board (nordic-dfu.md §10.1).
public enum DFURecovery: Hashable, Sendable, CaseIterable {
  /// Connect again and start over, with half as many packets between receipts: the link, or the board's buffers, could not keep up.
  case gentler
  /// Start over once as a whole; the same end again makes the file suspect.
  case verify
  /// Never again with this package on this board: the board refuses it for what it is.
  case package
  /// Never again: the board does not speak as a bootloader of its kind.
  case never
}
