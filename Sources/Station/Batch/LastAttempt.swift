public import Bluetooth
public import Flashing

/// What a batch remembers of a board's last finished attempt until its end: what its rules ask for. Everything else is in the database.
public struct LastAttempt: Hashable, Sendable {
  public var outcome: Outcome?
  public var good: Bool
  public var failureCode: FailureCode?
  public var leftAs: LeftAs
  public var unitID: String?
  public var serialNumber: String?

  init(_ record: AttemptRecord) {
    outcome = record.outcome
    good = record.good
    failureCode = record.failureCode
    leftAs = record.leftAs
    unitID = record.unitID
    serialNumber = record.serialNumber
  }
}

/// A board that its last attempt did not leave in its application: somebody must look at it.
public struct LeftBoard: Hashable, Sendable {
  public var mac: BluetoothAddress
  public var unitID: String?
  public var leftAs: LeftAs

  public init(mac: BluetoothAddress, unitID: String?, leftAs: LeftAs) {
    self.mac = mac
    self.unitID = unitID
    self.leftAs = leftAs
  }
}
