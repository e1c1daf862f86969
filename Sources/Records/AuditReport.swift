public import Flashing

/// What a check of the audit chain found.
public struct AuditReport: Hashable, Sendable {
  /// Entries that fit, from the first.
  public var entries: Int
  /// Of these, results; the others are ends of batches.
  public var results: Int
  /// The hash of the newest entry, or of the last one that fits.
  public var head: String
  /// The first row that does not fit; nil when all do.
  public var fault: AuditFault?

  public var isSound: Bool { fault == nil }

  public var json: JSONText {
    .object([
      .init("ok", .bool(isSound)), .init("entries", .integer(Int64(entries))), .init("results", .integer(Int64(results))), .init("head", .text(head)),
      .init("fault", fault?.json ?? .null),
    ])
  }
}

/// The first row that does not fit the audit chain.
public struct AuditFault: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// An entry of the audit is missing: the numbers have a gap.
    case entryMissing
    /// An entry does not continue the one before it: it was changed, moved, or others were removed.
    case entryChanged
    /// The row differs from what the audit keeps of it.
    case rowChanged
    /// The audit keeps a row that is no longer there.
    case rowRemoved
    /// A row that the audit does not know.
    case rowAdded
    /// The kept head does not occur: the newest rows were cut off, or the whole was replaced.
    case headMissing
  }

  public var kind: Kind
  /// Number of the audit entry, where there is one.
  public var sequence: Int64?
  public var record: Int64?
  public var batchID: Int64?
  /// One sentence in an operator's words.
  public var message: String

  public var json: JSONText {
    func number(_ value: Int64?) -> JSONText { value.map(JSONText.integer) ?? .null }
    return .object([
      .init("kind", .text(kind.rawValue)), .init("sequence", number(sequence)), .init("record", number(record)), .init("batch_id", number(batchID)),
      .init("message", .text(message)),
    ])
  }
}
