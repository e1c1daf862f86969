import CCBOR

/// CBOR as SUIT envelopes and caches have it, integer keys included; for what a virtual line lays on its boards.
enum SUITWriter {
  static func unsigned(_ value: UInt64) -> [UInt8] { head { cbor_encode_uint(value, $0, $1) } }
  /// - Parameter value: negative.
  static func negative(_ value: Int64) -> [UInt8] { head { cbor_encode_negint(UInt64(bitPattern: ~value), $0, $1) } }
  static func bytes(_ value: [UInt8]) -> [UInt8] { head { cbor_encode_bytestring_start(value.count, $0, $1) } + value }
  static func text(_ value: String) -> [UInt8] { head { cbor_encode_string_start(value.utf8.count, $0, $1) } + Array(value.utf8) }
  static func list(_ items: [[UInt8]]) -> [UInt8] { head { cbor_encode_array_start(items.count, $0, $1) } + items.flatMap { $0 } }
  static func map(_ entries: [([UInt8], [UInt8])]) -> [UInt8] { head { cbor_encode_map_start(entries.count, $0, $1) } + entries.flatMap { $0.0 + $0.1 } }
  static func tagged(_ tag: UInt64, _ item: [UInt8]) -> [UInt8] { head { cbor_encode_tag(tag, $0, $1) } + item }

  private static func head(_ write: (UnsafeMutablePointer<UInt8>, Int) -> Int) -> [UInt8] {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { buffer in
      guard let base = buffer.baseAddress else { return [] }
      buffer.initialize(repeating: 0)
      return Array(buffer.prefix(write(base, 9)))
    }
  }
}
