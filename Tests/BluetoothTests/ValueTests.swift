import Bluetooth
import Testing

struct ValueTests {
  @Test("Addresses: what is read is printed in upper case", arguments: ["C0:DE:00:00:00:01", "c0:de:00:0a:ff:01", "00:00:00:00:00:00"])
  func address(_ text: String) {
    #expect(BluetoothAddress(text)?.description == text.uppercased())
  }

  @Test(
    "What is no address",
    arguments: [
      "", "C0:DE:00:00:00", "C0:DE:00:00:00:01:02", "C0DE00000001", "+1:DE:00:00:00:01", "C0:DE:00:00:00:1", "C0:DE:00:00:00:GG", "C0-DE-00-00-00-01",
    ])
  func noAddress(_ text: String) {
    #expect(BluetoothAddress(text) == nil)
  }

  @Test(
    "Private addresses: the two top bits of a random one (Core 5.4, Vol 6, Part B, 1.3.2)",
    arguments: [
      ("C0:00:00:00:00:01", AddressType.random, false), ("FF:00:00:00:00:01", .random, false), ("40:00:00:00:00:01", .random, true),
      ("00:00:00:00:00:01", .random, true), ("BF:00:00:00:00:01", .random, true), ("40:00:00:00:00:01", .public, false),
    ])
  func privacy(_ text: String, _ type: AddressType, _ isPrivate: Bool) {
    #expect(BluetoothAddress(text)?.isPrivate(type) == isPrivate)
  }

  @Test(
    "UUIDs in their forms",
    arguments: [
      ("180a", "0000180a-0000-1000-8000-00805f9b34fb"), ("0x180A", "0000180a-0000-1000-8000-00805f9b34fb"),
      ("8D53DC1D-1DB7-4CD3-868B-8A527460AA84", "8d53dc1d-1db7-4cd3-868b-8a527460aa84"),
    ])
  func uuid(_ text: String, _ printed: String) {
    #expect(BluetoothUUID(text)?.description == printed)
  }

  @Test("What is no UUID", arguments: ["", "18", "180G", "+80a", "8D53DC1D1DB74CD3868B8A527460AA84", "8D53DC1D-1DB7-4CD3-868B-8A527460AA8"])
  func noUUID(_ text: String) {
    #expect(BluetoothUUID(text) == nil)
  }
}
