/// The bytes of one try, taken from the front; what is not there any more is zero or empty.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Two bytes, the lower one first.
  mutating func word() -> UInt16 {
    let low = UInt16(byte())
    return UInt16(byte()) << 8 | low
  }

  mutating func long() -> UInt32 {
    let low = UInt32(word())
    return UInt32(word()) << 16 | low
  }

  /// At most so many bytes.
  mutating func take(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return [UInt8](rest.prefix(count))
  }

  /// Everything before the next zero, which is taken away, too.
  mutating func takeText() -> [UInt8] {
    let text = [UInt8](rest.prefix { $0 != 0 })
    rest = rest.dropFirst(text.count + 1)
    return text
  }

  mutating func takeRest() -> [UInt8] {
    defer { rest = [] }
    return [UInt8](rest)
  }
}
