/// Which command groups a virtual board's firmware has built in beside os and image, and what is in them.
///
/// The keys of `groups` in the faults file's settings; each may be left out.
public struct GroupSettings: Hashable, Sendable, Codable {
  /// Of statistics (2), settings (3), file system (8), shell (9), enumeration (10), Memfault (128). What is not named is answered with `rc` 8, as by
  /// Zephyr: so are logs, crash and run, which Zephyr does not have.
  public var built = known
  /// Checksums that the file system computes; empty: the command is not built.
  public var hashes = ["crc32", "sha256"]
  /// Whether a file can be asked for its length.
  public var fileStatus = true
  /// Bytes that all files together may have.
  public var fileSpace = 256 * 1024
  /// Bytes of a piece of a download; 0 is what the buffer allows.
  public var downloadChunk = 0
  /// OS task statistics are built.
  public var tasks = true
  /// OS memory pool statistics are built; few builds have them.
  public var pools = true
  /// The slot of an immutable bootloader that runs; nil when the board has none.
  public var activeB0Slot: Int?
  /// The project key of Memfault's group; empty when the board has none.
  public var projectKey = ""
  /// What Memfault's group tells of the board; nil: as the Device Information Service does.
  public var softwareType = "app"
  public var deviceSerial: String?
  public var hardwareVersion: String?
  public var currentVersion: String?
  /// Keys of its device information that are not in the answer.
  public var withheld: [String] = []
  /// Memfault's group refuses everybody.
  public var isDiagnosticsDenied = false

  public static let known = [2, 3, 8, 9, 10, 128]
  /// The keys of command 0 of group 128 (smp.md §3.10).
  static let deviceInformation = ["device_serial", "hardware_version", "software_type", "current_version"]
  private static let textLimit = 512

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case built, hashes, fileStatus, fileSpace, downloadChunk, tasks, pools, activeB0Slot, projectKey
    case softwareType, deviceSerial, hardwareVersion, currentVersion, withheld
    case isDiagnosticsDenied = "diagnosticsDenied"
  }

  /// Reads what is there; unknown keys are an error.
  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    built = try values.decodeIfPresent(built, .built)
    hashes = try values.decodeIfPresent(hashes, .hashes)
    fileStatus = try values.decodeIfPresent(fileStatus, .fileStatus)
    fileSpace = try values.decodeIfPresent(fileSpace, .fileSpace)
    downloadChunk = try values.decodeIfPresent(downloadChunk, .downloadChunk)
    tasks = try values.decodeIfPresent(tasks, .tasks)
    pools = try values.decodeIfPresent(pools, .pools)
    activeB0Slot = try values.decodeIfPresent(activeB0Slot, .activeB0Slot)
    projectKey = try values.decodeIfPresent(projectKey, .projectKey)
    softwareType = try values.decodeIfPresent(softwareType, .softwareType)
    deviceSerial = try values.decodeIfPresent(deviceSerial, .deviceSerial)
    hardwareVersion = try values.decodeIfPresent(hardwareVersion, .hardwareVersion)
    currentVersion = try values.decodeIfPresent(currentVersion, .currentVersion)
    withheld = try values.decodeIfPresent(withheld, .withheld)
    isDiagnosticsDenied = try values.decodeIfPresent(isDiagnosticsDenied, .isDiagnosticsDenied)
  }

  /// What is wrong with the values; nil when nothing is.
  var complaint: String? {
    if let other = built.first(where: { !Self.known.contains($0) }) {
      return "built: \(other) is none of \(Self.known.map(String.init).joined(separator: ", "))"
    }
    if let other = hashes.first(where: { !["crc32", "sha256"].contains($0) }) { return "hashes: \"\(other)\" is neither crc32 nor sha256" }
    if !(0...(64 << 20)).contains(fileSpace) { return "fileSpace: \(fileSpace) is not between 0 and \(64 << 20)" }
    if !(0...65_535).contains(downloadChunk) { return "downloadChunk: \(downloadChunk) is not between 0 and 65535" }
    if let other = withheld.first(where: { !Self.deviceInformation.contains($0) }) {
      return "withheld: \"\(other)\" is none of \(Self.deviceInformation.joined(separator: ", "))"
    }
    for (name, text) in [
      ("softwareType", softwareType), ("deviceSerial", deviceSerial), ("hardwareVersion", hardwareVersion), ("currentVersion", currentVersion),
    ] {
      if let text, text.utf8.count > Self.textLimit { return "\(name): longer than \(Self.textLimit) bytes" }
    }
    if projectKey.utf8.count > Self.textLimit { return "projectKey: longer than \(Self.textLimit) bytes" }
    if let activeB0Slot, !(0...1).contains(activeB0Slot) { return "activeB0Slot: \(activeB0Slot) is neither 0 nor 1" }
    return nil
  }
}
