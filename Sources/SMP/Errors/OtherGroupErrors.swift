// The groups that the line job does not use itself: their errors may still come, beside an answer or by a user's command.
// All numbers: smp.md §1.5.

/// Errors of the statistics group (2).
public enum StatisticsError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case groupNotFound
  case nameNotFound
  case sizeNotHandled
  case walkAborted

  public var sentence: String {
    switch self {
    case .unknown: "the board's statistics report an error without a reason"
    case .groupNotFound: "the board has no such group of statistics"
    case .nameNotFound: "the board has no statistic of this name"
    case .sizeNotHandled: "the board cannot report a statistic of this size"
    case .walkAborted: "the board stopped in the middle of its statistics"
    }
  }
}

/// Errors of the settings group (3).
public enum SettingsError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case keyTooLong
  case keyNotFound
  case readNotSupported
  case rootKeyNotFound
  case writeNotSupported
  case deleteNotSupported

  public var sentence: String {
    switch self {
    case .unknown: "the board's settings report an error without a reason"
    case .keyTooLong: "the name of the setting is too long"
    case .keyNotFound: "the board has no setting of this name"
    case .readNotSupported: "this setting cannot be read"
    case .rootKeyNotFound: "the board has no settings under this name"
    case .writeNotSupported: "this setting cannot be written"
    case .deleteNotSupported: "this setting cannot be deleted"
    }
  }
}

/// Errors of the file system group (8).
public enum FileSystemError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case invalidName
  case notFound
  case isDirectory
  case openFailed
  case seekFailed
  case readFailed
  case truncateFailed
  case deleteFailed
  case writeFailed
  case offsetInvalid
  case offsetBeyondEnd
  case hashTypeUnknown
  case mountPointNotFound
  case readOnly
  case empty

  public var sentence: String {
    switch self {
    case .unknown: "the board's file system reports an error without a reason"
    case .invalidName: "the file name is not valid on the board"
    case .notFound: "the board has no such file"
    case .isDirectory: "this name is a directory on the board"
    case .openFailed: "the board cannot open the file"
    case .seekFailed: "the board cannot move inside the file"
    case .readFailed: "the board cannot read the file"
    case .truncateFailed: "the board cannot shorten the file"
    case .deleteFailed: "the board cannot delete the file"
    case .writeFailed: "the board cannot write the file"
    case .offsetInvalid: "the file on the board is not as long as this offset"
    case .offsetBeyondEnd: "the offset is beyond the end of the file"
    case .hashTypeUnknown: "the board does not know this kind of checksum"
    case .mountPointNotFound: "the board has no file system under this path"
    case .readOnly: "the board's file system can only be read"
    case .empty: "the file is empty"
    }
  }
}

/// Errors of the shell group (9).
public enum ShellError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case commandTooLong
  case empty

  public var sentence: String {
    switch self {
    case .unknown: "the board's shell reports an error without a reason"
    case .commandTooLong: "the command is too long for the board's shell"
    case .empty: "the command is empty"
    }
  }
}

/// Errors of the enumeration group (10).
public enum EnumerationError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case tooManyEntries
  case noHeap
  case indexTooLarge

  public var sentence: String {
    switch self {
    case .unknown: "the board cannot list its command groups and gives no reason"
    case .tooManyEntries: "more command groups were named than the board can list"
    case .noHeap: "the board has no memory left to list its command groups"
    case .indexTooLarge: "the board has no command group of this index"
    }
  }
}

/// Errors of the transport group (11); the numbers between have no documented meaning yet.
public enum TransportError: Int, SMPGroupCode, Hashable, CaseIterable {
  case invalidMode = 5
  case allContextsUsed = 6
  case notBridged = 8
  case connectParameterMissing = 14
  case connectParameterInvalid = 15
  case connectParameterUnsupported = 16
  case connectFailed = 17

  public var sentence: String {
    switch self {
    case .invalidMode: "the board's transport has no such mode"
    case .allContextsUsed: "all transports of the board are in use"
    case .notBridged: "the board is not connected to another transport"
    case .connectParameterMissing: "a parameter for connecting the board's transport is missing"
    case .connectParameterInvalid: "a parameter for connecting the board's transport is invalid"
    case .connectParameterUnsupported: "the board does not support a parameter for connecting its transport"
    case .connectFailed: "the board could not connect its transport"
    }
  }
}

/// Errors of Zephyr's basic group (63).
public enum ZephyrBasicError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case flashOpen
  case flashConfigurationQuery
  case eraseFailed

  public var sentence: String {
    switch self {
    case .unknown: "the board reports an error without a reason while erasing its settings"
    case .flashOpen: "the board cannot open the flash of its settings"
    case .flashConfigurationQuery: "the board cannot read the flash layout of its settings"
    case .eraseFailed: "the board cannot erase its settings"
    }
  }
}

/// Errors of Memfault's group (128).
public enum MemfaultError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case noProjectKey

  public var sentence: String {
    switch self {
    case .unknown: "the board's diagnostics report an error without a reason"
    case .noProjectKey: "the board has no project key for its diagnostics"
    }
  }
}
