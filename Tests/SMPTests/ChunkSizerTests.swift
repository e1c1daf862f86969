import Testing

@testable import SMP

/// Exact sizes of upload requests.
struct ChunkSizerTests {
  static let sha = [UInt8](repeating: 0x5A, count: 32)

  /// The lengths of all pieces of a file that begins at its first byte.
  static func lengths(_ upload: UploadStart, requestSize: Int, alignment: Int) -> [Int] {
    let sizer = ChunkSizer(upload, requestSize: requestSize, alignment: alignment)
    var lengths = [sizer.first]
    var offset = sizer.first
    while offset < upload.length, let last = lengths.last, last > 0 {
      lengths.append(sizer.length(at: offset))
      offset += sizer.length(at: offset)
    }
    return lengths
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var length: Int
    var requestSize: Int
    var image: Int
    var alignment: Int
    var packets: Int
    var first: Int
    /// Length and how often.
    var then: [(Int, Int)]
    var last: Int
    var testDescription: String { "\(length) bytes, B \(requestSize), image \(image), align \(alignment)" }
  }

  /// device-manager.md §5.5, the rows of the exact (Android) formula.
  static let rows = [
    Row(length: 70_832, requestSize: 244, image: 0, alignment: 1, packets: 321, first: 176, then: [(222, 1), (221, 295), (219, 23)], last: 202),
    Row(length: 70_832, requestSize: 495, image: 0, alignment: 1, packets: 151, first: 426, then: [(471, 139), (469, 10)], last: 247),
    Row(length: 70_832, requestSize: 495, image: 0, alignment: 4, packets: 152, first: 424, then: [(468, 150)], last: 208),
    Row(length: 70_832, requestSize: 2475, image: 0, alignment: 1, packets: 29, first: 2406, then: [(2451, 26), (2449, 1)], last: 2251),
    Row(length: 100_000, requestSize: 245, image: 1, alignment: 1, packets: 453, first: 170, then: [(223, 1), (222, 294), (220, 156)], last: 19),
  ]

  @Test("The whole sequence of pieces is the one of device-manager.md §5.5", arguments: rows)
  func sequence(row: Row) {
    let upload = UploadStart(length: row.length, sha: Self.sha, image: row.image)
    let expected = [row.first] + row.then.flatMap { [Int](repeating: $0.0, count: $0.1) } + [row.last]
    #expect(expected.count == row.packets)
    #expect(expected.reduce(0, +) == row.length)
    #expect(Self.lengths(upload, requestSize: row.requestSize, alignment: row.alignment) == expected)
  }

  @Test(
    "Golden lengths of smp.md §4.1: B − 69 first, B − 24 from offset 256, B − 26 from 65536",
    arguments: [(2475, 2406, 2451, 2449), (384, 315, 360, 358), (495, 426, 471, 469)])
  func golden(requestSize: Int, first: Int, middle: Int, late: Int) {
    let sizer = ChunkSizer(UploadStart(length: 400_000, sha: Self.sha), requestSize: requestSize)
    #expect(sizer.first == first)
    #expect(sizer.length(at: 256) == middle)
    #expect(sizer.length(at: 65_535) == middle)
    #expect(sizer.length(at: 65_536) == late)
    #expect(ChunkSizer(UploadStart(length: 400_000, sha: Self.sha, image: 1), requestSize: requestSize).first == first - 7)
  }

  @Test("A request as long as the limit is never over it, and one byte more would be: every request size, encoded", arguments: [0, 1])
  func exact(image: Int) throws {
    let file = [UInt8](repeating: 0, count: 200_000)
    for requestSize in Array(110...600) + [1024, 2475, 4096, 65_535, 70_000] {
      let upload = UploadStart(length: file.count, sha: Self.sha, image: image)
      let sizer = ChunkSizer(upload, requestSize: requestSize)
      func encoded(_ offset: Int, _ length: Int) throws -> Int {
        try ImageUploadRequest(offset: offset, data: file[offset..<(offset + length)], start: offset == 0 ? upload : nil).frame(sequence: 0).count
      }
      for offset in [0, 23, 24, 255, 256, 65_535, 65_536] {
        let length = offset == 0 ? sizer.first : sizer.length(at: offset)
        #expect(try encoded(offset, length) <= requestSize)
        if requestSize < 65_535 { #expect(try encoded(offset, length + 1) > requestSize) }
      }
    }
  }

  @Test("Pieces end on the grid, also after a resume at an odd offset; the last one ends where the file ends")
  func alignment() {
    let sizer = ChunkSizer(UploadStart(length: 10_001, sha: Self.sha), requestSize: 495, alignment: 16)
    #expect((1001 + sizer.length(at: 1001)).isMultiple(of: 16))
    #expect(sizer.length(at: 9_900) == 101)
    #expect(sizer.length(at: 10_001) == 0)
    #expect(sizer.length(at: 20_000) == 0)
    // A grid wider than a request cannot be kept: the piece is sent as it fits.
    #expect(ChunkSizer(UploadStart(length: 10_000, sha: Self.sha), requestSize: 100, alignment: 4096).length(at: 5000) == 77)
  }

  @Test("The longest string with its head fits exactly", arguments: Array(0..<600) + Array(65_530..<65_545))
  func longestString(room: Int) {
    let length = ChunkSizer.longestString(in: room)
    #expect(length == 0 || length + ChunkSizer.head(length) <= room)
    if length < 65_535 { #expect(length + 1 + ChunkSizer.head(length + 1) > room) }
  }
}
