/// One step of the schema. A step that was released is never edited: a later one corrects it.
struct Migration {
  let name: String
  let sql: String

  /// All steps in order; `PRAGMA user_version` counts how many a database has taken.
  static let all = [firstSchema]
}
