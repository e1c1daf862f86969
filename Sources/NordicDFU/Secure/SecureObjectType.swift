/// The two kinds of object that Secure DFU transfers (nordic-dfu.md §3.3).
public enum SecureObjectType: UInt8, Hashable, Sendable, CaseIterable {
  /// The init packet.
  case command = 1
  /// A piece of the image.
  case data = 2
}
