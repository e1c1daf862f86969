/// Every key of `station.conf` with its default (contract §5). The shipped file shows the same list, and a test compares the two.
enum StationKeys {
  static let id = IniKey("station", "id", .described("the name of this computer"))
  static let name = IniKey("station", "name", .described("the id"))
  static let timezone = IniKey("station", "timezone", .described("the time zone of this computer"))
  static let database = IniKey("station", "database", .value("flashline.db"))
  static let reports = IniKey("station", "reports", .value("reports"))
  static let profiles = IniKey("station", "profiles", .value("Profiles"))
  static let require = IniKey("station", "require", .value("none"))

  static let use = IniKey("adapters", "use", .value("all"))
  static let exclude = IniKey("adapters", "exclude", .value("none"))
  static let label = IniKey("adapters", "label.", .described("the USB path"), isFamily: true)
  static let phy = IniKey("adapters", "phy", .value("2M"))
  static let connectionInterval = IniKey("adapters", "connection_interval", .value("15ms"))
  static let supervisionTimeout = IniKey("adapters", "supervision_timeout", .value("2s"))

  static let attempts = IniKey("limits", "attempts", .value("3"))
  static let stationRetries = IniKey("limits", "station_retries", .value("3"))
  static let connectTimeout = IniKey("limits", "connect_timeout", .value("20s"))
  static let boardTimeout = IniKey("limits", "board_timeout", .value("10m"))
  static let stallTimeout = IniKey("limits", "stall_timeout", .value("15s"))
  static let swapTimeout = IniKey("limits", "swap_timeout", .value("3m"))
  static let adapterTimeout = IniKey("limits", "adapter_timeout", .value("2m"))
  static let busTimeout = IniKey("limits", "bus_timeout", .value("2m"))
  static let pauseTimeout = IniKey("limits", "pause_timeout", .value("30m"))
  static let quarantineAfter = IniKey("limits", "quarantine_after", .value("3"))
  static let stopAfterSameFailures = IniKey("limits", "stop_after_same_failures", .value("5"))

  static let level = IniKey("log", "level", .value("info"))
  static let journal = IniKey("log", "journal", .value("no"))

  static let projectKeyFile = IniKey("cloud", "project_key_file", .described("the key that a board tells, where one is asked"))
  static let allowedHosts = IniKey("cloud", "allowed_hosts", .value("none"))
  static let releases = IniKey("cloud", "releases", .value("https://api.memfault.com"))
  static let queue = IniKey("cloud", "queue", .value("cloud-queue.db"))
  static let queueLimit = IniKey("cloud", "queue_limit", .value("67108864"))

  /// In the order of the shipped file.
  static let all = [
    id, name, timezone, database, reports, profiles, require,
    use, exclude, label, phy, connectionInterval, supervisionTimeout,
    attempts, stationRetries, connectTimeout, boardTimeout, stallTimeout, swapTimeout, adapterTimeout, busTimeout, pauseTimeout, quarantineAfter,
    stopAfterSameFailures,
    level, journal, projectKeyFile, allowedHosts, releases, queue, queueLimit,
  ]
}
