public import Bluetooth

/// One attempt: one claim of a board by one worker, with all columns of contract §4.
///
/// Times are milliseconds since 1970 (UTC), durations seconds (monotonic), speeds kB/s with kB = 1000 bytes, hashes lower-case hexadecimal.
/// What is absent is nil, and empty in a report.
public struct AttemptRecord: Hashable, Sendable {
  /// Commit order; nil until the store has committed the finished attempt.
  public var record: Int64?
  /// The store's number of this attempt, given by `RecordStore.begin`.
  public var attemptID: Int64?
  public var batchID: Int64
  /// Local day of `finishedAt` (`YYYY-MM-DD`); the store fixes it at commit.
  public var reportDay: String?
  public var stationID: String
  public var workOrder: String?
  public var lot: String?
  public var `operator`: String?
  public var unitID: String?
  public var profile: String
  public var job: JobKind
  public var upgradeMode: UpgradeMode?
  public var mac: BluetoothAddress
  public var dfuMAC: BluetoothAddress?
  public var addressType: AddressType
  public var serialNumber: String?
  public var modelNumber: String?
  public var hardwareRevision: String?
  public var firmwareBefore: String?
  public var firmwareAfter: String?
  public var bootloaderBefore: String?
  public var bootloaderAfter: String?
  /// File name of the package, without its folder.
  public var package: String?
  public var packageSHA256: String?
  public var imageHash: String?
  public var imageHashBefore: String?
  public var imageHashAfter: String?
  public var imageState: ImageState?
  public var verifiedBy: Verification?
  public var settingsErased: SettingsErased?
  public var leftAs: LeftAs = .untouched
  public var adapterLabel: String?
  public var adapterPath: String?
  public var adapterMAC: BluetoothAddress?
  /// Nil while the attempt is open.
  public var outcome: Outcome?
  public var good = false
  public var failureCode: FailureCode?
  public var failurePhase: Phase?
  public var failureMessage: String?
  /// Counts per board and batch, from 1.
  public var attempt: Int
  /// Recoveries inside this attempt (a link that was made again, a request that was repeated).
  public var retries = 0
  public var startedAt: Int64
  public var finishedAt: Int64?
  public var duration: Double?
  /// Bytes that the board acknowledged in this attempt.
  public var uploadBytes: Int?
  public var uploadSeconds: Double?
  public var uploadSpeed: Double?
  /// The offset at which the board took an earlier upload up again.
  public var resumedFrom: Int?
  public var rssi: Int?
  public var toolVersion: String
  /// Whether this attempt is the board's final result in its batch (not a column of the reports).
  public var isFinal = false
  /// Which of several images is on its way (not a column of the reports); nil for an update of one image.
  public var stage: RescueStage?

  /// The address by which the board was admitted: a rescue meets it in its bootloader.
  public var admittedAs: BluetoothAddress { job == .rescue ? dfuMAC ?? mac : mac }

  public init(
    batchID: Int64, stationID: String, profile: String, job: JobKind, mac: BluetoothAddress, addressType: AddressType, attempt: Int, startedAt: Int64,
    toolVersion: String
  ) {
    self.batchID = batchID
    self.stationID = stationID
    self.profile = profile
    self.job = job
    self.mac = mac
    self.addressType = addressType
    self.attempt = attempt
    self.startedAt = startedAt
    self.toolVersion = toolVersion
  }
}
