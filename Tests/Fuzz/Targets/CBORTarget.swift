import SMP

extension FuzzTarget {
  /// What was read is what is written and read again.
  static let cbor = FuzzTarget(name: "cbor", about: "CBORValue", longest: 4096) { bytes in
    guard let (value, length) = try? CBORValue.decodePrefix(bytes) else { return }
    precondition((1...bytes.count).contains(length), "an item of \(length) of \(bytes.count) bytes")
    let written = value.encoded()
    guard let again = try? CBORValue(decoding: written) else { preconditionFailure("what was written cannot be read") }
    // Writing sorts the keys of maps, so that only a second time can be compared; NaN is equal to nothing, so bytes are.
    precondition(again.encoded() == written, "what was written reads as something else")
    _ = (value["images"], value.integer, value.text, value.bytes, value.bool, value.array, String(describing: value))
  }
}
