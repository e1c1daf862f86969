/// What one adapter heard of one board, as far as it has been heard since discovery began.
///
/// Everything in it came from the air: the name may hold any characters, the services may be a lie.
public struct Advertisement: Hashable, Sendable {
  public var address: BluetoothAddress
  public var addressType: AddressType
  /// The advertised name, nil when none was heard.
  public var name: String?
  /// Signal strength in dBm; nil when the stack reported none with this advertisement.
  public var rssi: Int?
  public var services: Set<BluetoothUUID>
  /// Manufacturer specific data by company identifier.
  public var manufacturerData: [UInt16: [UInt8]]

  public init(
    address: BluetoothAddress, addressType: AddressType, name: String? = nil, rssi: Int? = nil, services: Set<BluetoothUUID> = [],
    manufacturerData: [UInt16: [UInt8]] = [:]
  ) {
    self.address = address
    self.addressType = addressType
    self.name = name
    self.rssi = rssi
    self.services = services
    self.manufacturerData = manufacturerData
  }

  /// Whether a service of Nordic's bootloaders is advertised.
  public var showsBootloader: Bool { !services.isDisjoint(with: BluetoothUUID.bootloaderServices) }
}
