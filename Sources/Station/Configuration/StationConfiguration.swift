/// What `station.conf` says, typed, with every default filled in (contract §5).
///
/// Relative paths are already below the folder of the file.
public struct StationConfiguration: Hashable, Sendable {
  /// The file that was read; nil when there is none and only defaults hold.
  public var file: String?
  public var id: String
  public var name: String
  /// The IANA name of the zone of report days and `--until`.
  public var timezone: String
  public var database: String
  public var reports: String
  public var profiles: String
  public var require: Set<RequiredOption>
  public var adapters: AdapterRules
  public var limits: StationLimits
  public var log: LogRules
  public var cloud: CloudRules

  /// Reads a configuration file, or takes the defaults when `path` is nil.
  ///
  /// - Parameters:
  ///   - hostName: the default of `[station] id`.
  ///   - timezone: the default of `[station] timezone`.
  public init(path: String?, hostName: String, timezone: String = LocalTime.machineZone) throws(ConfigurationError) {
    var file: IniFile?
    if let path { file = try IniFile(path: path) }
    try self.init(file, hostName: hostName, timezone: timezone)
  }

  init(_ file: IniFile?, hostName: String, timezone machineZone: String) throws(ConfigurationError) {
    let values = try IniValues(file, keys: StationKeys.all)
    self.file = file?.file
    id = try values.optional(StationKeys.id, "at most 64 characters") { $0.count <= 64 ? $0 : nil } ?? hostName
    name = try values.optional(StationKeys.name, "at most 64 characters") { $0.count <= 64 ? $0 : nil } ?? id
    timezone =
      try values.optional(StationKeys.timezone, "the name of a time zone, like Europe/Berlin") { LocalTime(zone: $0) == nil ? nil : $0 } ?? machineZone
    database = try values.path(StationKeys.database) ?? "flashline.db"
    reports = try values.path(StationKeys.reports) ?? "reports"
    profiles = try values.path(StationKeys.profiles) ?? "Profiles"
    let options = RequiredOption.allCases.map(\.rawValue).joined(separator: ", ")
    require = Set(try values.list(StationKeys.require, of: "some of \(options)") { RequiredOption(rawValue: $0) })
    adapters = try AdapterRules(values)
    limits = try StationLimits(values)
    log = LogRules(level: try values.choice(StationKeys.level), journal: try values.flag(StationKeys.journal))
    cloud = try CloudRules(values)
  }

  /// The file to read: the one that was asked for, else the first of the usual places that exists; nil when there is none.
  ///
  /// A file that was asked for is returned even when it does not exist, so that reading it tells so.
  public static func search(asked: String?, exists: (String) -> Bool = { TextFile.exists($0) }) -> String? {
    if let asked { return asked }
    return usualPlaces.first(where: exists)
  }

  static let usualPlaces = ["./station.conf", "/etc/flashline/station.conf"]
}

/// Options of a job that a station may insist on (`[station] require`).
public enum RequiredOption: String, Hashable, Sendable, CaseIterable {
  case `operator`, lot, workOrder = "work_order"

  /// The option that gives it.
  public var option: String {
    switch self {
    case .operator: "--operator"
    case .lot: "--lot"
    case .workOrder: "--work-order"
    }
  }
}

/// `[log]`: what goes to the log and where.
public struct LogRules: Hashable, Sendable {
  public enum Level: String, Hashable, Sendable, CaseIterable {
    case error, warning, info, debug
  }

  public var level: Level
  /// Whether the log goes to the systemd journal instead of stderr.
  public var journal: Bool
}
