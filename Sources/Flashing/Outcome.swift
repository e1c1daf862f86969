/// How one attempt ended (contract §4).
public enum Outcome: String, Hashable, Sendable, CaseIterable {
  /// The wanted thing was done and read back after the last reset.
  case passed
  /// Nothing to do; that was read back.
  case skipped
  /// Nothing was written and nothing will be.
  case refused
  /// The board's fault.
  case failed
  /// The board went silent past a limit.
  case timeout
  /// The station's fault.
  case error
  /// The operator's stop, or a crash of the station.
  case aborted

  /// Judged outcomes count for yield and for `--count`; the others are listed apart.
  public var isJudged: Bool { self == .passed || self == .failed || self == .timeout }
}

/// What a job does to boards; results of different jobs are never mixed.
public enum JobKind: String, Hashable, Sendable, CaseIterable {
  case update
  case rescue
}

/// What is promised about a new image (facts/device-manager.md §1.5).
public enum UpgradeMode: String, Hashable, Sendable, CaseIterable {
  /// The image runs, unconfirmed: the next reset reverts it.
  case testOnly
  /// The image is made permanent before the reset.
  case confirmOnly
  /// The image runs on trial, is seen alive, and is then confirmed.
  case testAndConfirm
  /// The image lies in the other slot; nothing is swapped.
  case uploadOnly
}

/// Where an attempt is; the words of the column `failure_phase` and of the table `phases`.
public enum Phase: String, Hashable, Sendable, CaseIterable {
  case discover, connect, identify, prepare, upload, test, reset, reconnect, confirm, verify, detach, rescue
}

/// What was last read of the wanted image.
public enum ImageState: String, Hashable, Sendable, CaseIterable {
  case confirmed, testing, pending, stored, unknown
}

/// What the result stands on.
public enum Verification: String, Hashable, Sendable, CaseIterable {
  case imageHash, version, none
}

/// Whether the board's settings were erased.
public enum SettingsErased: String, Hashable, Sendable, CaseIterable {
  case yes, no, refused
}

/// In which state the board was left, as far as the station can know.
public enum LeftAs: String, Hashable, Sendable, CaseIterable {
  /// Nothing was written to it.
  case untouched
  /// It runs an application that stays.
  case application
  /// It runs an application that the next reset reverts.
  case unconfirmed
  case bootloader
  case unknown
}

/// Why a batch ended.
public enum EndReason: String, Hashable, Sendable, CaseIterable {
  case count, until, idle, boards, sameFailures, `operator`, fault
}
