extension Migration {
  /// Migration 1. Times are RFC 3339 text (UTC, ms) so that they sort as text and read well in the `sqlite3` shell; lists are JSON arrays.
  static let firstSchema = Migration(
    name: "first schema",
    sql: """
      CREATE TABLE batches (
        batch_id INTEGER PRIMARY KEY AUTOINCREMENT,
        job TEXT NOT NULL,
        profiles TEXT NOT NULL,
        packages TEXT NOT NULL,
        lot TEXT,
        work_order TEXT,
        station_id TEXT NOT NULL,
        operator TEXT,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        end_reason TEXT,
        missing TEXT NOT NULL DEFAULT '[]'
      ) STRICT;
      CREATE INDEX batches_by_key ON batches (job, profiles, packages, batch_id);

      CREATE TABLE boards (
        mac TEXT NOT NULL,
        address_type TEXT NOT NULL,
        dfu_mac TEXT,
        unit_id TEXT,
        serial_number TEXT,
        model_number TEXT,
        hardware_revision TEXT,
        lot TEXT,
        work_order TEXT,
        first_seen TEXT NOT NULL,
        last_seen TEXT NOT NULL,
        PRIMARY KEY (mac, address_type)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE attempts (
        record INTEGER UNIQUE,
        attempt_id INTEGER PRIMARY KEY AUTOINCREMENT,
        batch_id INTEGER NOT NULL REFERENCES batches (batch_id),
        report_day TEXT,
        station_id TEXT NOT NULL,
        work_order TEXT,
        lot TEXT,
        operator TEXT,
        unit_id TEXT,
        profile TEXT NOT NULL,
        job TEXT NOT NULL,
        upgrade_mode TEXT,
        mac TEXT NOT NULL,
        dfu_mac TEXT,
        address_type TEXT NOT NULL,
        serial_number TEXT,
        model_number TEXT,
        hardware_revision TEXT,
        firmware_before TEXT,
        firmware_after TEXT,
        bootloader_before TEXT,
        bootloader_after TEXT,
        package TEXT,
        package_sha256 TEXT,
        image_hash TEXT,
        image_hash_before TEXT,
        image_hash_after TEXT,
        image_state TEXT,
        verified_by TEXT,
        settings_erased TEXT,
        left_as TEXT NOT NULL,
        adapter_label TEXT,
        adapter_path TEXT,
        adapter_mac TEXT,
        outcome TEXT,
        good INTEGER NOT NULL,
        failure_code TEXT,
        failure_phase TEXT,
        failure_message TEXT,
        attempt INTEGER NOT NULL,
        retries INTEGER NOT NULL,
        started_at TEXT NOT NULL,
        finished_at TEXT,
        duration_s REAL,
        upload_bytes INTEGER,
        upload_s REAL,
        upload_kB_per_s REAL,
        resumed_from INTEGER,
        rssi_dbm INTEGER,
        tool_version TEXT NOT NULL,
        is_final INTEGER NOT NULL DEFAULT 0,
        FOREIGN KEY (mac, address_type) REFERENCES boards (mac, address_type)
      ) STRICT;
      CREATE INDEX attempts_by_batch ON attempts (batch_id, mac, address_type, record);
      CREATE INDEX attempts_by_board ON attempts (mac, address_type, job, record);
      CREATE INDEX attempts_by_serial ON attempts (serial_number, mac) WHERE serial_number IS NOT NULL;
      CREATE INDEX attempts_by_day ON attempts (report_day, record);
      CREATE INDEX attempts_by_finish ON attempts (finished_at);
      CREATE INDEX attempts_open ON attempts (attempt_id) WHERE record IS NULL;

      CREATE TABLE phases (
        phase_id INTEGER PRIMARY KEY,
        attempt_id INTEGER NOT NULL REFERENCES attempts (attempt_id),
        phase TEXT NOT NULL,
        entered_at TEXT NOT NULL
      ) STRICT;
      CREATE INDEX phases_by_attempt ON phases (attempt_id, phase_id);

      CREATE TABLE audit (
        sequence INTEGER PRIMARY KEY,
        record INTEGER UNIQUE REFERENCES attempts (record),
        batch_id INTEGER NOT NULL REFERENCES batches (batch_id),
        canonical TEXT NOT NULL,
        hash TEXT NOT NULL
      ) STRICT;
      CREATE INDEX audit_by_batch ON audit (batch_id, sequence) WHERE record IS NULL;
      """)
}
