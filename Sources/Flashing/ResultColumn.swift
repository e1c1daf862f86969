import Bluetooth

/// A cell of a report: what kind of value it is decides how CSV and JSON write it.
public enum ResultCell: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  case real(Double)
  case absent
}

/// The columns of a result, in the order that every view, CSV and JSON has them (contract §4). Added to, never renamed or reordered.
public enum ResultColumn: String, CaseIterable, Sendable {
  case record, attemptID = "attempt_id", batchID = "batch_id", reportDay = "report_day", stationID = "station_id", workOrder = "work_order", lot
  case `operator`, unitID = "unit_id", profile, job, upgradeMode = "upgrade_mode", mac, dfuMAC = "dfu_mac", addressType = "address_type"
  case serialNumber = "serial_number", modelNumber = "model_number", hardwareRevision = "hardware_revision", firmwareBefore = "firmware_before"
  case firmwareAfter = "firmware_after", bootloaderBefore = "bootloader_before", bootloaderAfter = "bootloader_after", package
  case packageSHA256 = "package_sha256", imageHash = "image_hash", imageHashBefore = "image_hash_before", imageHashAfter = "image_hash_after"
  case imageState = "image_state", verifiedBy = "verified_by", settingsErased = "settings_erased", leftAs = "left_as", adapterLabel = "adapter_label"
  case adapterPath = "adapter_path", adapterMAC = "adapter_mac", outcome, good, failureCode = "failure_code", failurePhase = "failure_phase"
  case failureMessage = "failure_message", attempt, retries, startedAt = "started_at", finishedAt = "finished_at", duration = "duration_s"
  case uploadBytes = "upload_bytes", uploadSeconds = "upload_s", uploadSpeed = "upload_kB_per_s", resumedFrom = "resumed_from", rssi = "rssi_dbm"
  case toolVersion = "tool_version"
}

extension AttemptRecord {
  /// The value of one column, as every report and the database hold it.
  public func cell(_ column: ResultColumn) -> ResultCell {
    switch column {
    case .record: .of(record)
    case .attemptID: .of(attemptID)
    case .batchID: .integer(batchID)
    case .reportDay: .of(reportDay)
    case .stationID: .text(stationID)
    case .workOrder: .of(workOrder)
    case .lot: .of(lot)
    case .operator: .of(`operator`)
    case .unitID: .of(unitID)
    case .profile: .text(profile)
    case .job: .text(job.rawValue)
    case .upgradeMode: .of(upgradeMode?.rawValue)
    case .mac: .text(mac.description)
    case .dfuMAC: .of(dfuMAC?.description)
    case .addressType: .text(addressType.rawValue)
    case .serialNumber: .of(serialNumber)
    case .modelNumber: .of(modelNumber)
    case .hardwareRevision: .of(hardwareRevision)
    case .firmwareBefore: .of(firmwareBefore)
    case .firmwareAfter: .of(firmwareAfter)
    case .bootloaderBefore: .of(bootloaderBefore)
    case .bootloaderAfter: .of(bootloaderAfter)
    case .package: .of(package)
    case .packageSHA256: .of(packageSHA256)
    case .imageHash: .of(imageHash)
    case .imageHashBefore: .of(imageHashBefore)
    case .imageHashAfter: .of(imageHashAfter)
    case .imageState: .of(imageState?.rawValue)
    case .verifiedBy: .of(verifiedBy?.rawValue)
    case .settingsErased: .of(settingsErased?.rawValue)
    case .leftAs: .text(leftAs.rawValue)
    case .adapterLabel: .of(adapterLabel)
    case .adapterPath: .of(adapterPath)
    case .adapterMAC: .of(adapterMAC?.description)
    case .outcome: .of(outcome?.rawValue)
    case .good: .integer(good ? 1 : 0)
    case .failureCode: .of(failureCode?.rawValue)
    case .failurePhase: .of(failurePhase?.rawValue)
    case .failureMessage: .of(failureMessage)
    case .attempt: .integer(Int64(attempt))
    case .retries: .integer(Int64(retries))
    case .startedAt: .text(Timestamp.text(startedAt))
    case .finishedAt: .of(finishedAt.map(Timestamp.text))
    case .duration: .of(duration)
    case .uploadBytes: .of(uploadBytes.map(Int64.init))
    case .uploadSeconds: .of(uploadSeconds)
    case .uploadSpeed: .of(uploadSpeed)
    case .resumedFrom: .of(resumedFrom.map(Int64.init))
    case .rssi: .of(rssi.map(Int64.init))
    case .toolVersion: .text(toolVersion)
    }
  }
}

extension ResultCell {
  static func of(_ text: String?) -> ResultCell { text.map(ResultCell.text) ?? .absent }
  static func of(_ number: Int64?) -> ResultCell { number.map(ResultCell.integer) ?? .absent }
  static func of(_ number: Double?) -> ResultCell { number.map(ResultCell.real) ?? .absent }
}
