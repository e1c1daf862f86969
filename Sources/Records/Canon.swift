import CCrypto
import Flashing

/// The canonical row that the audit chain hashes, and the hash.
///
/// Canon 1 of a result: a JSON array of the number 1 and the first 49 result columns in order (`[1,17,23,…]`); of a batch end:
/// `[1,"batch_end",batch_id,job,profiles,packages,lot,work_order,station_id,started_at,ended_at,end_reason,missing]`.
/// No blanks, text as UTF-8, absent is `null`, reals with the shortest digits that read back the same.
///
/// An entry's hash is the lower-case hexadecimal SHA-256 of the previous entry's hash (as its 64 hexadecimal characters; 64 zeros before the
/// first) followed by the canonical row, so that anyone can check it: `printf '%s%s' "$previous" "$canonical" | sha256sum`.
enum Canon {
  static let version = 1
  static let genesis = String(repeating: "0", count: 64)

  /// How many of the result columns a canon version covers; new columns need a new version, old entries keep theirs.
  static func columns(version: Int) -> ArraySlice<ResultColumn>? {
    version == 1 ? ResultColumn.allCases.prefix(49) : nil
  }

  /// - Parameter row: all result columns of one attempt.
  static func result(_ row: [ResultCell], version: Int = version) -> String? {
    columns(version: version).map { columns in
      JSONText.array([String(version)] + row.prefix(columns.count).map(JSONText.value))
    }
  }

  /// - Parameter batch: the columns `batchColumns` of one row of `batches`.
  static func batchEnd(_ batch: [ResultCell]) -> String {
    // Lists are JSON already; a row that somebody changed must not break out of its place, so they are hashed as strings.
    JSONText.array([String(version), JSONText.string("batch_end")] + batch.map(JSONText.value))
  }

  static let batchColumns = "batch_id, job, profiles, packages, lot, work_order, station_id, started_at, ended_at, end_reason, missing"

  /// The canon version of a stored row: the number after the bracket.
  static func version(of canonical: String) -> Int? {
    guard canonical.utf8.first == UInt8(ascii: "[") else { return nil }
    return Int(canonical.dropFirst().prefix { $0 != "," })
  }

  static func hash(_ previous: String, _ canonical: String) throws(RecordError) -> String {
    let bytes = Array(previous.utf8) + Array(canonical.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
      throw .notWritable("the audit chain: libcrypto cannot compute SHA-256: check the installation of libssl3")
    }
    return digest.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }
}
