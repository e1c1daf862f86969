/// A cell of a row, or a parameter of a statement: SQLite's five storage classes.
public enum SQLiteValue: Hashable, Sendable {
  case absent
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  public var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}
