/// One step of the schema. A step that was released is never edited: a later one corrects it.
struct Migration {
  let name: String
  let sql: String

  /// All steps in order; `PRAGMA user_version` counts how many a database has taken.
  static let all = [firstSchema, bootloaderAddresses]

  /// A board that is met in its bootloader is found by the address that it has there.
  static let bootloaderAddresses = Migration(
    name: "bootloader addresses", sql: "CREATE INDEX attempts_by_bootloader ON attempts (dfu_mac, record) WHERE dfu_mac IS NOT NULL")
}
