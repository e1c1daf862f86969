/// Bytes from hexadecimal text; white space is ignored. Empty for anything else, so that a typing mistake fails the test.
func hex(_ text: String) -> [UInt8] {
  var digits: [UInt8] = []
  for character in text where !character.isWhitespace {
    guard let digit = character.hexDigitValue else { return [] }
    digits.append(UInt8(digit))
  }
  guard digits.count.isMultiple(of: 2) else { return [] }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Bytes as upper-case hexadecimal text.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}

/// A small generator of repeatable random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
