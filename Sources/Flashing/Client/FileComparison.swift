import Firmware
import SMP

/// Compares a file on a board with bytes that are here, by whatever the board can tell of it.
struct FileComparison: Sendable {
  let client: SMPClient
  let name: String

  /// Bytes of the file on the board; nil when there is none or the firmware does not say.
  func length() async throws -> Int? {
    do {
      return try await client.send(FileStatusRequest(name: name))
    } catch SMPClientError.refused {
      return nil
    }
  }

  /// How many bytes of the content the board has already, proven by a hash; 0 when it has none, others, or computes no hash.
  func commonBeginning(with content: [UInt8]) async throws -> Int {
    guard let length = try await length(), (1...max(1, content.count)).contains(length), length <= content.count else { return 0 }
    return try await begins(with: content[..<length]) ? length : 0
  }

  /// Whether the file begins with these bytes; false when the board computes no hash.
  func begins(with bytes: some Collection<UInt8> & Sendable) async throws -> Bool {
    guard let hash = try await hash(length: bytes.count) else { return false }
    return try Self.agrees(hash, Array(bytes))
  }

  /// Proves after an upload that the file is the content. Throws `lengthMismatch` or `hashMismatch`.
  ///
  /// - Returns: whether the board told anything, and by which hash the content was compared.
  func prove(_ content: [UInt8]) async throws -> (isProven: Bool, check: FileHashKind?) {
    let length = try await length()
    if let length, length != content.count { throw SMPClientError.file(.lengthMismatch(expected: content.count, actual: length)) }
    let kind = try await check(content)
    return (length != nil || kind != nil, kind)
  }

  /// Compares the whole file; nil when the board computes no hash of it. Throws `lengthMismatch` or `hashMismatch`.
  func check(_ content: [UInt8]) async throws -> FileHashKind? {
    // A board computes nothing over an empty file (file system error 16).
    guard !content.isEmpty, let hash = try await hash(length: nil) else { return nil }
    guard hash.length == content.count else { throw SMPClientError.file(.lengthMismatch(expected: content.count, actual: hash.length)) }
    guard try Self.agrees(hash, content) else { throw SMPClientError.file(.hashMismatch(hash.kind)) }
    return hash.kind
  }

  /// The board's hash, the stronger one first; nil when it computes neither.
  private func hash(length: Int?) async throws -> FileHash? {
    for kind in [FileHashKind.sha256, .crc32] {
      do {
        return try await client.send(FileHashRequest(name: name, kind: kind, length: length))
      } catch SMPClientError.refused(let error) where error.isUnsupported {
        return nil
      } catch SMPClientError.refused {
        // Of another kind, perhaps.
        continue
      }
    }
    return nil
  }

  private static func agrees(_ hash: FileHash, _ bytes: [UInt8]) throws -> Bool {
    guard hash.offset == 0, hash.length == bytes.count else { return false }
    switch (hash.kind, hash.output) {
    case (.crc32, .number(let number)): return number == UInt64(CRC32(of: bytes).value)
    case (.sha256, .bytes(let told)):
      do throws(PackageError) {
        return try Digest(.sha256, of: bytes).bytes == told
      } catch {
        throw SMPClientError.malformed("this computer cannot compute SHA-256: \(error.description)")
      }
    default: throw SMPClientError.malformed("the board's \(hash.kind) of the file has another form than documented")
    }
  }
}
