import Firmware

extension FuzzTarget {
  /// An envelope of SUIT: signed or not, with any algorithm.
  static let suit = FuzzTarget(name: "suit", about: "SUITEnvelope, FirmwareFile of a bare envelope", longest: 8192) { bytes in
    if let envelope = try? SUITEnvelope(bytes) {
      precondition(envelope.bytes == bytes, "the board gets what the file holds")
      precondition(envelope.sha256.map { $0.count == 32 } ?? true, "a digest of \(envelope.digest.count) bytes")
      precondition(envelope.trailingBytes >= 0 && envelope.trailingBytes < bytes.count, "bytes behind the file")
      precondition(envelope.payloads.allSatisfy { (0...bytes.count).contains($0.size) }, "a payload beside the file")
    }
    examine { () throws(PackageError) in try FirmwareFile(fileName: "root.suit", bytes: bytes) }
  }
}
