import Firmware
import Testing

@Suite("CRC-16 and CRC-32")
struct ChecksumTests {
  private let digits = Array("123456789".utf8)

  @Test("the check values of both (facts/nordic-dfu.md §2.6; ISO 3309)")
  func checkValues() {
    #expect(CRC16(of: digits).value == 0x29b1)
    #expect(CRC32(of: digits).value == 0xcbf4_3926)
    #expect(CRC16(of: []).value == 0xffff)
    #expect(CRC32(of: []).value == 0)
    #expect(CRC16(of: digits).description == "0x29b1")
  }

  @Test("in pieces as in one")
  func pieces() {
    for cut in 0...digits.count {
      var (short, long) = (CRC16(), CRC32())
      for piece in [digits[..<cut], digits[cut...]] {
        short.update(piece)
        long.update(piece)
      }
      #expect(short == CRC16(of: digits))
      #expect(long == CRC32(of: digits))
    }
  }

  @Test("the values at the ends of objects are those of the prefixes", arguments: [1, 4, 4096, 10_000, Int.max])
  func ends(step: Int) {
    var dice = Dice(state: 8)
    let bytes = (0..<9001).map { _ in UInt8.random(in: 0...255, using: &dice) }
    var lengths = step < bytes.count ? Array(stride(from: step, to: bytes.count, by: step)) : []
    lengths.append(bytes.count)
    let ends = CRC32.atEnds(of: bytes, every: step)
    #expect(ends.count == lengths.count)
    // The builder's bitwise CRC is the independent one; a sample of it is enough.
    for (length, value) in zip(lengths, ends).suffix(3) { #expect(value == ZipBuilder.crc32(Array(bytes.prefix(length)))) }
    #expect(CRC32.atEnds(of: bytes, every: 0) == [])
    #expect(CRC32.atEnds(of: [], every: step) == [])
  }
}
