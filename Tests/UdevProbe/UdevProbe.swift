import Bluetooth
import Glibc
import Reactor
import Udev

/// Plays a script of hot-plug events in a umockdev testbed and prints what `UdevAdapters` says after each; driven by UdevTests.
///
/// Steps: `usb=PATH:hciN:SERIAL` plugs in, `serial=hciN` adds an adapter that is not on USB, `link=hciN:H` a connection, `out=PATH:hciN` pulls out,
/// `watch` adds a reader to the adapter source, `next` waits for the last reader's next list and prints it, `first` for the first reader's.
@main struct UdevProbe {
  /// The whole script; then the process is killed, and its test fails.
  static let limit: UInt32 = 30

  static func main() async throws {
    guard getenv("UDEV_PROBE") != nil else { return restart() }
    alarm(limit)
    let testbed = try Testbed()
    let reactor = try Reactor()
    var source: UdevAdapters?
    var readers: [AsyncStream<[AdapterHardware]>.Iterator] = []
    for step in CommandLine.arguments.dropFirst() {
      let parts = step.split(separator: "=").map(String.init)
      switch (parts.first, parts.dropFirst().first) {
      case ("watch", nil):
        let adapters = if let source { source } else { try await UdevAdapters(on: reactor) }
        source = adapters
        readers.append(adapters.adapters().makeAsyncIterator())
      case ("next", nil): print(await next(&readers[readers.count - 1]))
      case ("first", nil):
        // All readers are served in one turn of the reactor: after the next one the first reader has been, too.
        await Task(executorPreference: reactor) {}.value
        print(await next(&readers[0]))
      case (let verb?, let argument?): change(testbed, verb, argument.split(separator: ":").map(String.init))
      default: exit(2)
      }
    }
  }

  private static func next(_ reader: inout AsyncStream<[AdapterHardware]>.Iterator) async -> String {
    await reader.next(isolation: #isolation)?.map(text).joined(separator: " ") ?? "-"
  }

  private static func change(_ testbed: Testbed, _ verb: String, _ words: [String]) {
    switch (verb, words.count) {
    case ("usb", 3):
      let attributes = ["idVendor", "2fe3", "idProduct", "000b", "serial", words[2], "product", "Zephyr HCI USB sample"]
      testbed.add("usb", words[0], below: nil, attributes: attributes, properties: ["DEVTYPE", "usb_device"])
      testbed.add("usb", words[0] + "#", below: words[0], properties: ["DEVTYPE", "usb_interface"])
      testbed.add("bluetooth", words[1], below: words[0] + "#", properties: ["DEVTYPE", "host"])
    case ("serial", 1):
      testbed.add("bluetooth", words[0], below: nil, properties: ["DEVTYPE", "host"])
    case ("link", 2):
      testbed.add("bluetooth", words.joined(separator: ":"), below: words[0], properties: ["DEVTYPE", "link"])
    case ("out", 2):
      for name in [words[1], words[0] + "#", words[0]] { testbed.remove(name) }
    default:
      exit(2)
    }
  }

  private static func text(_ adapter: AdapterHardware) -> String {
    let ids = [adapter.vendorID, adapter.productID].map { $0.map { String($0, radix: 16) } ?? "-" }.joined(separator: ":")
    return "hci\(adapter.hciIndex)/\(adapter.usbPath ?? "-")/\(ids)/\(adapter.serial ?? "-")/\(adapter.product ?? "-")"
  }

  /// Starts this program again under umockdev's preload library.
  private static func restart() {
    setenv("UDEV_PROBE", "1", 1)
    setenv("LD_PRELOAD", "libumockdev-preload.so.0", 1)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
    exit(3)
  }
}
