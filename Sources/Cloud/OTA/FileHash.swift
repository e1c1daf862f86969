import CCrypto
import Glibc

/// SHA-256 of a file, read piece by piece: an artefact may be larger than anybody wants in memory.
enum FileHash {
  private static let pieceSize = 1 << 16

  /// Why a file has none.
  enum Failure: Error {
    /// The system's word for it.
    case unreadable(Int32)
    /// More bytes than the limit.
    case tooLarge
    /// libcrypto refuses: no memory, or a system policy that forbids SHA-256.
    case unavailable
  }

  /// Lower-case hexadecimal; nil when there is no such file. Only regular files are read, and no link is followed.
  static func sha256(of path: String, limit: Int) throws(Failure) -> String? {
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
      let count = read(descriptor, &piece, piece.count)
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
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.prefix(32).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
