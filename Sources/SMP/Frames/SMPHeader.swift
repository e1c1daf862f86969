/// The eight bytes before every SMP payload, multi-byte fields big-endian (smp.md §1.1).
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | bits 7…5 reserved 0, bits 4…3 version, bits 2…0 operation |
/// | 1 | 1 | flags |
/// | 2 | 2 | payload length |
/// | 4 | 2 | group |
/// | 6 | 1 | sequence |
/// | 7 | 1 | command |
public struct SMPHeader: Hashable, Sendable {
  /// Bytes of a header.
  public static let size = 8

  public var version: SMPVersion
  public var operation: SMPOperation
  public var flags: UInt8
  /// Bytes of the payload, as the sender announced them.
  public var length: UInt16
  public var group: SMPGroup
  public var sequence: UInt8
  public var command: UInt8

  public init(
    version: SMPVersion = .v2, operation: SMPOperation, flags: UInt8 = 0, length: UInt16 = 0, group: SMPGroup, sequence: UInt8, command: UInt8
  ) {
    self.version = version
    self.operation = operation
    self.flags = flags
    self.length = length
    self.group = group
    self.sequence = sequence
    self.command = command
  }

  /// Reads the header at the front of the bytes; nil when they are fewer than eight, or the first is none that a header begins with.
  public init?(_ bytes: some Collection<UInt8>) {
    var rest = bytes.makeIterator()
    func next() -> UInt8? { rest.next() }
    guard let first = next(), let flags = next(), let length1 = next(), let length0 = next(), let group1 = next(), let group0 = next(),
      let sequence = next(), let command = next(), let operation = Self.operation(ofFirst: first)
    else { return nil }
    self.init(
      version: SMPVersion(rawValue: first >> 3), operation: operation, flags: flags, length: UInt16(length1) << 8 | UInt16(length0),
      group: SMPGroup(rawValue: UInt16(group1) << 8 | UInt16(group0)), sequence: sequence, command: command)
  }

  /// The operation in a header's first byte; nil when reserved bits are set or the operation does not exist. Every version is accepted.
  static func operation(ofFirst byte: UInt8) -> SMPOperation? {
    byte & 0b1110_0000 == 0 ? SMPOperation(rawValue: byte & 0b111) : nil
  }

  /// The eight bytes.
  public var bytes: [UInt8] {
    [
      version.rawValue << 3 | operation.rawValue, flags, UInt8(length >> 8), UInt8(length & 0xFF), UInt8(group.rawValue >> 8),
      UInt8(group.rawValue & 0xFF), sequence, command,
    ]
  }
}
