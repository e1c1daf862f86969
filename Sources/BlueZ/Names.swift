/// BlueZ's names on the bus (doc/*-api.txt).
enum BlueZName {
  static let service = "org.bluez"
  static let root = "/org/bluez"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattService = "org.bluez.GattService1"
  static let gattCharacteristic = "org.bluez.GattCharacteristic1"
  static let agents = "org.bluez.AgentManager1"
  static let properties = "org.freedesktop.DBus.Properties"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
