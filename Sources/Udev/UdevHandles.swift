import Bluetooth
import CUdev
import Glibc

/// libudev's context and monitor, with one owner.
///
/// Touched on the reactor's thread only (that is what `@unchecked Sendable` rests on).
final class UdevHandles: @unchecked Sendable {
  private let context: OpaquePointer
  private let monitor: OpaquePointer

  init(monitor source: String) throws(UdevError) {
    guard let context = udev_new() else { throw Self.failure("udev_new") }
    guard let monitor = udev_monitor_new_from_netlink(context, source) else {
      defer { udev_unref(context) }
      throw Self.failure("udev_monitor_new_from_netlink")
    }
    self.context = context
    self.monitor = monitor
    guard udev_monitor_filter_add_match_subsystem_devtype(monitor, "bluetooth", nil) >= 0, udev_monitor_enable_receiving(monitor) >= 0 else {
      throw Self.failure("udev_monitor_enable_receiving")
    }
  }

  deinit {
    udev_monitor_unref(monitor)
    udev_unref(context)
  }

  private static func failure(_ call: String) -> UdevError {
    UdevError(call: "\(call): \(String(cString: strerror(errno)))")
  }

  var monitorDescriptor: Int32 { udev_monitor_get_fd(monitor) }

  /// Takes one event off the monitor, whatever it says; false when there is none.
  func takeEvent() -> Bool {
    guard let event = udev_monitor_receive_device(monitor) else { return false }
    udev_device_unref(event)
    return true
  }

  /// All adapters now, by number.
  func adapters(limit: Int) -> [AdapterHardware] {
    guard let enumeration = udev_enumerate_new(context) else { return [] }
    defer { udev_enumerate_unref(enumeration) }
    guard udev_enumerate_add_match_subsystem(enumeration, "bluetooth") >= 0, udev_enumerate_scan_devices(enumeration) >= 0 else { return [] }
    var adapters: [AdapterHardware] = []
    var entry = udev_enumerate_get_list_entry(enumeration)
    while let current = entry, adapters.count < limit {
      entry = udev_list_entry_get_next(current)
      guard let path = udev_list_entry_get_name(current), let device = udev_device_new_from_syspath(context, path) else { continue }
      defer { udev_device_unref(device) }
      if let adapter = Self.adapter(device) { adapters.append(adapter) }
    }
    return adapters.sorted { $0.hciIndex < $1.hciIndex }
  }

  /// Nil for what is no adapter: a connection (DEVTYPE=link), or one on its way out.
  private static func adapter(_ device: OpaquePointer) -> AdapterHardware? {
    guard text(udev_device_get_devtype(device)) == "host", let name = text(udev_device_get_sysname(device)) else { return nil }
    guard name.hasPrefix("hci"), let index = Int(name.dropFirst(3)), index >= 0 else { return nil }
    // The parent belongs to the device: it is not released on its own.
    guard let usb = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device") else {
      return AdapterHardware(hciIndex: index, usbPath: nil)
    }
    return AdapterHardware(
      hciIndex: index, usbPath: text(udev_device_get_sysname(usb)), vendorID: hexadecimal(usb, "idVendor"), productID: hexadecimal(usb, "idProduct"),
      serial: attribute(usb, "serial"), product: attribute(usb, "product"))
  }

  private static func attribute(_ device: OpaquePointer, _ name: String) -> String? {
    text(udev_device_get_sysattr_value(device, name))
  }

  private static func hexadecimal(_ device: OpaquePointer, _ name: String) -> UInt16? {
    attribute(device, name).flatMap { UInt16($0, radix: 16) }
  }

  /// A text of the kernel or of a USB descriptor, which may hold anything; an empty one is none.
  private static func text(_ characters: UnsafePointer<CChar>?) -> String? {
    guard let characters else { return nil }
    let length = strnlen(characters, UdevAdapters.textLimit)
    let text = characters.withMemoryRebound(to: UInt8.self, capacity: length) {
      String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
    }
    return text.isEmpty ? nil : text
  }
}
