import Bluetooth
import Flashing
import Testing

/// The words that all rooms share: columns, times, JSON, identity.
struct WordsTests {
  @Test("The columns are those of contract §4, in its order")
  func columns() {
    let contract = """
      record, attempt_id, batch_id, report_day, station_id, work_order, lot, operator, unit_id, profile, job, upgrade_mode, mac, dfu_mac, address_type, \
      serial_number, model_number, hardware_revision, firmware_before, firmware_after, bootloader_before, bootloader_after, package, \
      package_sha256, image_hash, image_hash_before, image_hash_after, image_state, verified_by, settings_erased, left_as, adapter_label, adapter_path, \
      adapter_mac, outcome, good, failure_code, failure_phase, failure_message, attempt, retries, started_at, finished_at, duration_s, upload_bytes, upload_s, \
      upload_kB_per_s, resumed_from, rssi_dbm, tool_version
      """
    #expect(ResultColumn.allCases.map(\.rawValue).joined(separator: ", ") == contract)
  }

  @Test(
    "Times as RFC 3339 (values from `date -u -d @N`)",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
      (1_796_003_416_042, "2026-11-30T01:50:16.042Z"), (-1, "1969-12-31T23:59:59.999Z"), (4_102_444_800_000, "2100-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func timestamps(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp.text(milliseconds) == text)
  }

  @Test("JSON keeps the order of keys and escapes what RFC 8259 asks for")
  func json() {
    let value = JSONText.object([
      .init("z", .text("a\"b\\c\n\u{1}\u{7F}ü")), .init("a", .list([.integer(-61), .real(0.5), .bool(true), .null])), .init("n", .real(.nan)),
    ])
    #expect(value.line == #"{"z":"a\"b\\c\n\u0001\u007fü","a":[-61,0.5,true,null],"n":null}"#)
  }

  @Test(
    "Identity: what must be read is read, or the board is refused",
    arguments: [
      (IdentityRule(), BoardIdentity(), nil),
      (IdentityRule(model: "M"), BoardIdentity(model: "M"), nil),
      (IdentityRule(model: "M"), BoardIdentity(model: "N"), .identityModel),
      (IdentityRule(model: "M"), BoardIdentity(), .identityUnreadable),
      (IdentityRule(hardware: "1"), BoardIdentity(hardware: "2"), .identityHardware),
      (IdentityRule(manufacturer: "x"), BoardIdentity(manufacturer: "y"), .identityManufacturer),
      (IdentityRule(needsSerial: true), BoardIdentity(), .identitySerialMissing),
    ] as [(IdentityRule, BoardIdentity, FailureCode?)])
  func identity(_ rule: IdentityRule, _ board: BoardIdentity, _ code: FailureCode?) {
    #expect(rule.objection(to: board)?.code == code)
  }

  @Test("Values from the air: NULs, blanks, broken UTF-8, too long")
  func airText() {
    #expect(BoardIdentity.text(Array("1.0\0\0".utf8)) == "1.0")
    #expect(BoardIdentity.text(Array("  r 2 \n".utf8)) == "r 2")
    #expect(BoardIdentity.text([]) == nil)
    #expect(BoardIdentity.text([0x20, 0]) == nil)
    #expect(BoardIdentity.text([0xFF, 0x41]) == "\u{FFFD}A")
    #expect(BoardIdentity.text(Array(repeating: 0x41, count: 2000))?.count == BoardIdentity.valueLimit)
  }
}
