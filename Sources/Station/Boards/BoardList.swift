public import Bluetooth
import Flashing

/// The boards that a job is restricted to (`--boards FILE`), with the unit numbers that they get.
public struct BoardList: Hashable, Sendable {
  /// One board of the list; what is empty in the file is nil, but never both `mac` and `serialNumber`.
  public struct Entry: Hashable, Sendable {
    public var unitID: String?
    public var mac: BluetoothAddress?
    public var serialNumber: String?
    /// In the file; 0 for an entry that comes from elsewhere.
    public var line: Int

    public init(unitID: String?, mac: BluetoothAddress?, serialNumber: String? = nil, line: Int = 0) {
      self.unitID = unitID
      self.mac = mac
      self.serialNumber = serialNumber
      self.line = line
    }

    /// What messages and `missing` call the board: its unit, else its address, else its serial number.
    public var title: String { unitID ?? mac?.description ?? serialNumber.map { "serial " + $0 } ?? "line \(line)" }
  }

  /// What a list knows of a board on the air, before its serial number was read.
  public enum Standing: Hashable, Sendable {
    case listed(Entry)
    /// Some entries name only serial numbers: it may be one of them.
    case perhaps
    case notListed
  }

  /// What a list says of a board whose serial number was read.
  public enum Verdict: Hashable, Sendable {
    case listed(Entry)
    case notListed
    /// The address is listed with another serial number.
    case otherSerial(Entry)
  }

  public let entries: [Entry]
  private let inBootloader: Bool
  private let byAddress: [BluetoothAddress: Int]
  private let bySerial: [String: Int]
  private let hasEntriesWithoutAddress: Bool

  /// A list that does not come from a file: the one board of `flash ADDRESS`.
  ///
  /// - Parameter inBootloader: boards are met under the addresses of their bootloaders, too (a rescue).
  public init(entries: [Entry], inBootloader: Bool = false) {
    self.entries = entries
    self.inBootloader = inBootloader
    hasEntriesWithoutAddress = entries.contains { $0.mac == nil }
    var byAddress: [BluetoothAddress: Int] = [:]
    var bySerial: [String: Int] = [:]
    for (index, entry) in entries.enumerated() {
      if let mac = entry.mac { byAddress[mac] = index }
      if let serial = entry.serialNumber { bySerial[serial] = index }
    }
    if inBootloader {
      for (index, entry) in entries.enumerated() {
        // A listed board's own address goes before a neighbour's bootloader.
        if let other = entry.mac?.bootloaderNeighbour, byAddress[other] == nil { byAddress[other] = index }
      }
    }
    self.byAddress = byAddress
    self.bySerial = bySerial
  }

  /// The same list for a rescue.
  public var inBootloaders: BoardList { BoardList(entries: entries, inBootloader: true) }

  /// Where the board of an entry may be met.
  func addresses(of entry: Entry) -> [BluetoothAddress] {
    guard let mac = entry.mac else { return [] }
    let other = mac.bootloaderNeighbour
    // The neighbouring address may be another listed board's own: then it says nothing about this one.
    return inBootloader && byAddress[other].map({ entries[$0] == entry }) == true ? [mac, other] : [mac]
  }

  /// Whether a board may belong to the job, by what is known from the air.
  public func standing(_ mac: BluetoothAddress) -> Standing {
    if let index = byAddress[mac] { return .listed(entries[index]) }
    return hasEntriesWithoutAddress ? .perhaps : .notListed
  }

  /// Whether a board belongs to the job, by its address and the serial number that was read (nil when it has none).
  public func verdict(_ mac: BluetoothAddress, serial: String?) -> Verdict {
    if let index = byAddress[mac] {
      let entry = entries[index]
      return entry.serialNumber == nil || entry.serialNumber == serial ? .listed(entry) : .otherSerial(entry)
    }
    guard let serial, let index = bySerial[serial], entries[index].mac == nil else { return .notListed }
    return .listed(entries[index])
  }
}
