import Bluetooth

/// The chunks that a board has to hand out: a list first, then made ones. What has left does not come again.
struct ChunkSource: Sendable {
  /// Address and number at the beginning of a made chunk.
  static let headSize = 8

  private let listed: [[UInt8]]
  private let generated: DiagnosticSettings.Generated
  private let board: UInt32
  private var nextListed = 0
  /// Bytes of the listed chunk at hand that have left.
  private var offset = 0
  private var nextGenerated = 0

  init(_ settings: DiagnosticSettings, address: BluetoothAddress) {
    listed = settings.chunks.compactMap { Self.bytes($0) }.filter { !$0.isEmpty }
    generated = settings.generated
    board = UInt32(truncatingIfNeeded: address.bits)
  }

  var waiting: Int { listed.count - nextListed + max(0, generated.count - nextGenerated) }

  /// The next chunk, at most so long.
  mutating func next(most: Int) -> [UInt8]? {
    guard most > 0 else { return nil }
    if nextListed < listed.count {
      let chunk = Array(listed[nextListed].dropFirst(offset).prefix(most))
      offset += chunk.count
      if offset >= listed[nextListed].count { (nextListed, offset) = (nextListed + 1, 0) }
      return chunk
    }
    guard nextGenerated < generated.count else { return nil }
    defer { nextGenerated += 1 }
    return Array(made(nextGenerated).prefix(most))
  }

  private func made(_ number: Int) -> [UInt8] {
    let head = [board, UInt32(truncatingIfNeeded: number)].flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    var state = generated.seed ^ UInt64(board) << 32 ^ UInt64(truncatingIfNeeded: number)
    var bytes = head
    bytes.reserveCapacity(generated.size)
    while bytes.count < generated.size {
      // SplitMix64 (Steele, Lea, Flood 2014).
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      mixed ^= mixed >> 31
      for shift in stride(from: 56, through: 0, by: -8) where bytes.count < generated.size { bytes.append(UInt8(truncatingIfNeeded: mixed >> shift)) }
    }
    return bytes
  }

  /// Nil for what is no hexadecimal text with an even number of digits.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = nibble(digits[start]), let low = nibble(digits[start + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
