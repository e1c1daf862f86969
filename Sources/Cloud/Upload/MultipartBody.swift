/// Several chunks in one body (RFC 2046, 5.1; parts with a length, as Memfault's chunks API wants them: facts/device-manager.md §7.4).
struct MultipartBody: Hashable, Sendable {
  /// Characters of a boundary: 128 bits.
  static let boundaryLength = 32

  let boundary: String
  let bytes: [UInt8]

  var contentType: String { "multipart/mixed; boundary=\(boundary)" }

  /// - Parameter roll: numbers for the boundary, until one is found that occurs in no chunk.
  init(_ parts: [[UInt8]], roll: () -> UInt64) {
    var boundary = Self.boundary(roll)
    while parts.contains(where: { Self.occurs(boundary, in: $0) }) { boundary = Self.boundary(roll) }
    self.boundary = boundary
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parts.reduce(64) { $0 + $1.count + 128 })
    for part in parts {
      bytes += "--\(boundary)\r\nContent-Type: application/octet-stream\r\nContent-Length: \(part.count)\r\n\r\n".utf8
      bytes += part
      bytes += "\r\n".utf8
    }
    bytes += "--\(boundary)--\r\n".utf8
    self.bytes = bytes
  }

  private static func boundary(_ roll: () -> UInt64) -> String {
    (0..<boundaryLength / 16).map { _ in
      let text = String(roll(), radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }.joined()
  }

  private static func occurs(_ boundary: String, in part: [UInt8]) -> Bool {
    let wanted = Array(boundary.utf8)
    guard part.count >= wanted.count else { return false }
    return (0...part.count - wanted.count).contains { part[$0] == wanted[0] && part[$0..<$0 + wanted.count].elementsEqual(wanted) }
  }
}
