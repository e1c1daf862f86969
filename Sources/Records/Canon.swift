import CCrypto
import Flashing

/// The canonical row that the audit chain hashes, and the hash.
///
/// Canon 1 of a result: a JSON array of the number 1 and the first 50 result columns in order (`[1,17,23,…]`); of what befell a
/// batch: `[1,"batch_end",batch_id,job,profiles,packages,lot,work_order,station_id,started_at,ended_at,end_reason,missing]`, or the same with
/// `batch_continued` when a stopped batch goes on.
/// No blanks, text as UTF-8, absent is `null`, reals with the shortest digits that read back the same.
///
/// An entry's hash is the lower-case hexadecimal SHA-256 of the previous entry's hash (as its 64 hexadecimal characters; 64 zeros before the
/// first) followed by the canonical row, so that anyone can check it: `printf '%s%s' "$previous" "$canonical" | sha256sum`.
enum Canon {
  static let version = 1
  static let genesis = String(repeating: "0", count: 64)

  /// How many of the result columns a canon version covers; new columns need a new version, old entries keep theirs.
  static func columns(version: Int) -> ArraySlice<ResultColumn>? {
    version == 1 ? ResultColumn.allCases.prefix(50) : nil
  }

  /// - Parameter row: all result columns of one attempt.
  static func result(_ row: [ResultCell], version: Int = version) -> String? {
    columns(version: version).map { columns in
      JSONText.list([.integer(Int64(version))] + row.prefix(columns.count).map { JSONText($0) }).line
    }
  }

  /// - Parameter batch: the columns `batchColumns` of one row of `batches`.
  static func batch(_ event: BatchEvent, _ batch: [ResultCell]) -> String {
    // Lists are JSON already; a row that somebody changed must not break out of its place, so they are hashed as strings.
    JSONText.list([.integer(Int64(version)), .text(event.rawValue)] + batch.map { JSONText($0) }).line
  }

  static let batchColumns = "batch_id, job, profiles, packages, lot, work_order, station_id, started_at, ended_at, end_reason, missing"
  /// Where `ended_at` stands among `batchColumns`.
  static let batchEndColumn = 8

  /// The values of a canonical row as JSON text each; they are never lists or objects, so a comma outside quotes ends one.
  static func elements(of canonical: String) -> [String] {
    var elements = [""]
    var (isQuoted, isEscaped) = (false, false)
    for scalar in canonical.unicodeScalars.dropFirst().dropLast() {
      if scalar == "," && !isQuoted {
        elements.append("")
        continue
      }
      if scalar == "\"" && !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && scalar == "\\" && !isEscaped
      elements[elements.count - 1].unicodeScalars.append(scalar)
    }
    return elements
  }

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

/// What befalls a batch and is chained.
enum BatchEvent: String, CaseIterable {
  case end = "batch_end"
  case continued = "batch_continued"
}
