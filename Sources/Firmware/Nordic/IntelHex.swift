/// An Intel HEX file: runs of bytes at addresses (Intel, "Hexadecimal Object File Format Specification", 1988; facts/nordic-dfu.md §4.5).
public struct IntelHex: Hashable, Sendable {
  /// Bytes that follow each other without a gap, in the file and in the flash.
  public struct Run: Hashable, Sendable {
    public let address: UInt64
    public fileprivate(set) var bytes: [UInt8]
    /// Where it begins in the file, from 1.
    public let line: Int

    var end: UInt64 { address + UInt64(bytes.count) }
  }

  /// What goes into the flash of a board, and where it begins.
  public struct Image: Hashable, Sendable {
    public let address: UInt32
    public let bytes: [UInt8]
  }

  /// Where the SoftDevice begins, behind the master boot record.
  public static let softDeviceStart: UInt64 = 0x1000
  /// Here the flash of every nRF5 chip has ended long ago; UICR lies above.
  public static let flashEnd: UInt64 = 0x1000_0000
  /// What gaps are filled with: erased flash.
  static let filler: UInt8 = 0xff

  /// In the order of the file.
  public let runs: [Run]

  /// Reads a file with its checksums. Start addresses (types 03 and 05) are passed over, as is all that follows the end record.
  public init(_ text: [UInt8]) throws(PackageError) {
    var runs: [Run] = []
    var base: UInt64 = 0
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == UInt8(ascii: "\n") }) {
      number += 1
      guard let record = try Record(line, number) else { continue }
      switch record.type {
      case 0x00: try Self.add(record, at: base + UInt64(record.offset), number, to: &runs)
      case 0x01:
        self.runs = runs
        return
      case 0x02: base = UInt64(try record.word(number)) << 4
      case 0x04: base = UInt64(try record.word(number)) << 16
      case 0x03, 0x05: break
      default: throw .hexBroken(line: number, "record type \(record.type) is unknown")
      }
    }
    throw .hexBroken(line: number, "the file ends without an end record")
  }

  private static func add(_ record: Record, at address: UInt64, _ line: Int, to runs: inout [Run]) throws(PackageError) {
    guard !record.data.isEmpty else { return }
    guard address + UInt64(record.data.count) <= UInt64(UInt32.max) + 1 else { throw .hexBroken(line: line, "its address has more than 32 bits") }
    let follows = runs.last?.end == address
    if follows {
      runs[runs.count - 1].bytes += record.data
    } else {
      runs.append(Run(address: address, bytes: record.data, line: line))
    }
  }

  /// The image between two addresses: what lies outside is left out, gaps are filled like erased flash.
  ///
  /// - Parameters:
  ///   - start: the lowest address; `softDeviceStart` drops the master boot record.
  ///   - end: the first address beyond; UICR is dropped.
  ///   - limit: most bytes of the image.
  public func image(from start: UInt64 = 0, to end: UInt64 = flashEnd, limit: Int) throws(PackageError) -> Image {
    let inside = runs.compactMap { $0.clipped(start, end) }.sorted { ($0.address, $0.line) < ($1.address, $1.line) }
    guard let first = inside.first, let last = inside.map(\.end).max(), let address = UInt32(exactly: first.address) else { throw .hexEmpty }
    let span = last - first.address
    guard let count = Int(exactly: span), count <= limit else { throw .hexTooLarge(span, limit: limit) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for run in inside {
      let offset = Int(run.address - first.address)
      guard offset >= bytes.count else { throw .hexBroken(line: run.line, "it fills an address a second time") }
      bytes.append(contentsOf: repeatElement(Self.filler, count: offset - bytes.count))
      bytes += run.bytes
    }
    return Image(address: address, bytes: bytes)
  }
}

extension IntelHex.Run {
  fileprivate func clipped(_ start: UInt64, _ end: UInt64) -> Self? {
    guard start < end, self.end > start, address < end else { return nil }
    let (first, last) = (max(address, start), min(self.end, end))
    return Self(address: first, bytes: Array(bytes[Int(first - address)..<Int(last - address)]), line: line)
  }
}

/// One line: `:`, then in hexadecimal the count, u16 offset (big-endian), type, data and the checksum.
private struct Record {
  let offset: UInt16
  let type: UInt8
  let data: [UInt8]

  /// Nil for an empty line.
  init?(_ line: ArraySlice<UInt8>, _ number: Int) throws(PackageError) {
    let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
    let text = line.drop { blanks.contains($0) }
    guard let mark = text.first else { return nil }
    guard mark == UInt8(ascii: ":") else { throw .hexBroken(line: number, "it does not begin with a colon") }
    var bytes: [UInt8] = []
    var digits = text.dropFirst()
    while let last = digits.last, blanks.contains(last) { digits.removeLast() }
    guard digits.count <= 2 * (255 + 5) else { throw .hexBroken(line: number, "it is too long") }
    while let high = digits.popFirst() {
      guard let low = digits.popFirst(), let high = Self.digit(high), let low = Self.digit(low) else {
        throw .hexBroken(line: number, "it is not made of pairs of hexadecimal digits")
      }
      bytes.append(high << 4 | low)
    }
    guard bytes.count >= 5, bytes.count == 5 + Int(bytes[0]) else { throw .hexBroken(line: number, "its length is not the one that it names") }
    guard bytes.reduce(0, &+) == 0 else { throw .hexBroken(line: number, "its checksum does not fit") }
    offset = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
    type = bytes[3]
    data = Array(bytes[4..<bytes.count - 1])
  }

  /// The two bytes, high first, of an address record.
  func word(_ line: Int) throws(PackageError) -> UInt16 {
    guard data.count == 2 else { throw .hexBroken(line: line, "an address record needs two bytes") }
    return UInt16(data[0]) << 8 | UInt16(data[1])
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
