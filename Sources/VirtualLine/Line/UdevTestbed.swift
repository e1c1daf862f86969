import Glibc

/// Adapters that libudev sees: a thin layer over umockdev's testbed, found at run time, so that the program does not link GLib.
///
/// Not safe from several threads; the line uses it on its reactor's thread only.
final class UdevTestbed {
  /// The library whose functions are used, and the one that every process on the line must preload (Debian packages libumockdev0 and
  /// libumockdev-preload0).
  static let library = "libumockdev.so.0"
  static let preload = "libumockdev-preload.so.0"

  private typealias New = @convention(c) () -> OpaquePointer?
  private typealias Add =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> UnsafeMutablePointer<CChar>?
  private typealias Event = @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
  private typealias Remove = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Void
  private typealias Unref = @convention(c) (OpaquePointer) -> Void

  private struct Functions {
    var new: New
    var add: Add
    var event: Event
    var remove: Remove
    var unref: Unref
  }

  private let functions: Functions
  private let testbed: OpaquePointer
  /// The paths of each adapter's three devices, outermost first.
  private var paths: [Int: [String]] = [:]

  /// Makes an empty testbed and sets `UMOCKDEV_DIR` in this process, which must run under the preload library.
  ///
  /// - Parameter parent: where the testbed's folder is made: in the state folder, so that a killed line leaves nothing elsewhere. GLib asks
  ///   for TMPDIR once, now.
  init(in parent: String) throws(LineError) {
    setenv("TMPDIR", parent, 1)
    guard let handle = dlopen(Self.library, RTLD_NOW | RTLD_GLOBAL) else {
      throw .environment("\(Self.library) is not there: install the Debian package umockdev (make deps does)")
    }
    func find<Function>(_ name: String, _ kind: Function.Type) throws(LineError) -> Function {
      guard let symbol = dlsym(handle, name) else { throw .environment("\(Self.library) has no \(name): install umockdev 0.17 or later") }
      return unsafeBitCast(symbol, to: kind)
    }
    functions = Functions(
      new: try find("umockdev_testbed_new", New.self), add: try find("umockdev_testbed_add_devicev", Add.self),
      event: try find("umockdev_testbed_uevent", Event.self), remove: try find("umockdev_testbed_remove_device", Remove.self),
      unref: try find("g_object_unref", Unref.self))
    guard let testbed = functions.new() else { throw .environment("umockdev could not make its folder in \(parent)") }
    self.testbed = testbed
  }

  deinit {
    // Takes the testbed's folder with it.
    functions.unref(testbed)
  }

  /// The folder that other processes need as `UMOCKDEV_DIR`.
  var folder: String { getenv("UMOCKDEV_DIR").map { String(cString: $0) } ?? "" }

  /// A USB adapter appears: the USB device, its interface, the Bluetooth host (swift-on-linux.md §4, rig/umockdev). Monitors are told.
  func plug(_ adapter: Int, usbPath: String, hci: Int) {
    guard paths[adapter] == nil else { return }
    let serial = "VL-ADAPTER-\(adapter + 1)"
    let attributes = ["idVendor": "2fe3", "idProduct": "000b", "serial": serial, "product": "Virtual adapter", "manufacturer": "Flashline", "authorized": "1"]
    let properties = ["DEVTYPE": "usb_device", "ID_PATH": "pci-0000:00:14.0-usb-0:\(usbPath.dropFirst(2))"]
    guard let device = add("usb", usbPath, nil, attributes, properties),
      let interface = add("usb", usbPath + ":1.0", device, [:], ["DEVTYPE": "usb_interface"]),
      let host = add("bluetooth", "hci\(hci)", interface, [:], ["DEVTYPE": "host"])
    else { return }
    paths[adapter] = [device, interface, host]
  }

  /// Whether the USB device has its driver; nil while it is unplugged. A station takes it and gives it back to heal an adapter.
  func isAuthorised(_ adapter: Int) -> Bool? {
    guard let device = paths[adapter]?.first else { return nil }
    // The preloaded library leads this path to the testbed's folder.
    let file = open(device + "/authorized", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var byte: UInt8 = 0
    return read(file, &byte, 1) == 1 ? byte != UInt8(ascii: "0") : nil
  }

  /// The adapter is pulled out: the host goes first. Monitors are told.
  func unplug(_ adapter: Int) {
    for path in (paths.removeValue(forKey: adapter) ?? []).reversed() {
      functions.event(testbed, path, "remove")
      functions.remove(testbed, path)
    }
  }

  private func add(_ subsystem: String, _ name: String, _ parent: String?, _ attributes: [String: String], _ properties: [String: String]) -> String? {
    let made = withCStrings(attributes.flatMap { [$0.key, $0.value] }) { attributes in
      withCStrings(properties.flatMap { [$0.key, $0.value] }) { properties in
        functions.add(testbed, subsystem, name, parent, attributes, properties)
      }
    }
    guard let made else { return nil }
    defer { free(made) }
    return String(cString: made)
  }
}
