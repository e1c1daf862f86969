import CUdev
import Glibc
import VirtualLine

/// A program for the tests of the virtual line: it is the line, or a process that only shares the line's environment.
@main
struct LineProbe {
  static func main() async {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "line" where arguments.count >= 5: await line(arguments)
    case "udev" where arguments.count == 3: udev(events: Int(arguments[2]) ?? 0)
    default: finish("usage: lineprobe line FOLDER ADAPTERS BOARDS [FAULTS] | udev EVENTS")
    }
  }

  private static func line(_ arguments: [String]) async {
    var options = LineOptions(state: arguments[2])
    options.adapters = Int(arguments[3]) ?? 1
    options.boards = Int(arguments[4]) ?? 1
    options.faults = arguments.count > 5 ? arguments[5] : nil
    options.diesWithParent = true
    do {
      try await VirtualLine.run(options) { say($0) }
    } catch {
      finish("\(error)")
    }
  }

  /// Prints the Bluetooth hosts that libudev enumerates, then so many events of the monitor, each with the USB parent's name.
  private static func udev(events: Int) {
    guard let udev = udev_new(), let monitor = udev_monitor_new_from_netlink(udev, "udev"), let list = udev_enumerate_new(udev) else {
      finish("no libudev")
    }
    defer {
      udev_enumerate_unref(list)
      udev_monitor_unref(monitor)
      udev_unref(udev)
    }
    udev_monitor_filter_add_match_subsystem_devtype(monitor, "bluetooth", nil)
    udev_monitor_enable_receiving(monitor)
    udev_enumerate_add_match_subsystem(list, "bluetooth")
    udev_enumerate_scan_devices(list)
    var entry = udev_enumerate_get_list_entry(list)
    while let current = entry {
      if let path = udev_list_entry_get_name(current), let device = udev_device_new_from_syspath(udev, path) { show("found", device) }
      entry = udev_list_entry_get_next(current)
    }
    for _ in 0..<events {
      var ready = pollfd(fd: udev_monitor_get_fd(monitor), events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 10_000) > 0, let device = udev_monitor_receive_device(monitor) else { finish("no event within 10 s") }
      show(udev_device_get_action(device).map { String(cString: $0) } ?? "?", device)
    }
  }

  /// Prints a line and lets go of the udev device.
  private static func show(_ what: String, _ device: OpaquePointer) {
    defer { udev_device_unref(device) }
    let usb = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device")
    let name = udev_device_get_sysname(device).map { String(cString: $0) } ?? "?"
    let port = usb.flatMap { udev_device_get_sysname($0) }.map { String(cString: $0) } ?? "-"
    let serial = usb.flatMap { udev_device_get_sysattr_value($0, "serial") }.map { String(cString: $0) } ?? "-"
    say("\(what) \(name) \(port) \(serial)\n")
  }

  private static func say(_ text: String) {
    _ = text.withCString { write(1, $0, strlen($0)) }
  }

  private static func finish(_ text: String) -> Never {
    say(text + "\n")
    exit(2)
  }
}
