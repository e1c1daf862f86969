import CCrypto
// Foundation: Thread.
import Foundation
import Glibc

/// SHA-256, of files piece by piece: an artefact may be larger than anybody wants in memory.
enum FileHash {
  private static let pieceSize = 1 << 16

  /// Why there is none.
  enum Failure: Error {
    /// The system's word for it.
    case unreadable(Int32)
    /// More bytes than the limit.
    case tooLarge
    /// libcrypto refuses: no memory, or a system policy that forbids SHA-256.
    case unavailable
  }

  /// Lower-case hexadecimal; nil when there is no such file. Only regular files are read, and no link is followed. Reads on a thread of its own.
  static func sha256(of path: String, limit: Int) async throws(Failure) -> String? {
    let result: Result<String?, Failure> = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        do throws(Failure) { continuation.resume(returning: .success(try read(path, limit))) } catch { continuation.resume(returning: .failure(error)) }
      }
    }
    return try result.get()
  }

  /// Of bytes in memory.
  static func sha256(of bytes: [UInt8]) throws(Failure) -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1, length == 32 else { throw .unavailable }
    return hex(digest.prefix(32))
  }

  /// Whether a text is the SHA-256 of something: 64 hexadecimal digits in lower case.
  static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
  }

  private static func read(_ path: String, _ limit: Int) throws(Failure) -> String? {
    // O_NONBLOCK: a pipe that lies there by mistake has no end.
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unreadable(errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(EINVAL) }
    guard status.st_size <= limit else { throw .tooLarge }
    return try hash(descriptor, limit)
  }

  private static func hash(_ descriptor: Int32, _ limit: Int) throws(Failure) -> String {
    guard let context = EVP_MD_CTX_new() else { throw .unavailable }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw .unavailable }
    var piece = [UInt8](repeating: 0, count: pieceSize)
    var whole = 0
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(errno) }
      guard count > 0 else { break }
      whole += count
      // The file may grow meanwhile.
      guard whole <= limit else { throw .tooLarge }
      guard EVP_DigestUpdate(context, piece, count) == 1 else { throw .unavailable }
    }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &digest, &length) == 1, length == 32 else { throw .unavailable }
    return hex(digest.prefix(32))
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
