import FoundationEssentials
import Testing

/// What went wrong for people in this field (facts/field-reports.md): every row that concerns SMP or packages has a test that says so in its name.
@Suite("Field reports that have a test")
struct FieldReportRowsTests {
  /// The rows, and in a few words what was reported.
  static let rows: [(row: Int, report: String)] = [
    (3, "a manifest of format-version 1"), (4, "no image_index, or one that is text"), (9, "slot 1 is confirmed or pending already"),
    (10, "an image that stays pending while the old one runs"), (11, "the link is lost, or pairing asked, in the middle of a request"),
    (12, "the MTU stays 23"), (13, "the first chunk waits for a long erase"), (14, "the swap takes longer than expected"),
    (15, "answers that are lost, late, doubled or in another order"), (16, "an answer in several notifications"), (18, "rc 0, and both shapes of an error"),
    (19, "image lists without false flags or hashes"), (20, "an unsigned image; the file's hash is not the image's"),
    (21, "the same image runs already"), (22, "the answer says another thing than the board does"), (23, "Direct-XIP with a build for each slot"),
    (44, "a file called fw_slot1.bin"), (45, "Ed25519, and a pure signature without a hash"),
  ]

  @Test("the row has a test that is named after it", arguments: rows.map(\.row)) func named(row: Int) throws {
    let files = try Self.named(row)
    #expect(!files.isEmpty, "no display name begins with “field report \(row): ”, which is: \(Self.rows.first { $0.row == row }?.report ?? "")")
  }

  /// Files below Tests with a display name for this row.
  private static func named(_ row: Int) throws -> [String] {
    let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    return try FileManager.default.subpathsOfDirectory(atPath: tests).filter { path in
      guard path.hasSuffix(".swift") else { return false }
      return try String(contentsOfFile: "\(tests)/\(path)", encoding: .utf8).contains("\"field report \(row): ")
    }
  }
}
