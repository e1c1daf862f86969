import Glibc
import Reactor
import Testing

/// The real libudev in a child process under umockdev's preload library, which cannot be loaded later (packages umockdev, libumockdev0).
@Suite(.timeLimit(.minutes(1)))
struct UdevAdaptersTests {
  private struct Failure: Error {
    var what: String
  }

  /// Runs the script and returns the lists that it printed.
  private func play(_ steps: String, monitor: String = "") async throws -> [String] {
    let output = try await ownThread(named: "udev-probe") { run(steps.split(separator: " ").map(String.init), monitor) }
    return try output.get()
  }

  private func run(_ steps: [String], _ monitor: String) -> Result<[String], Failure> {
    var folder = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &folder, folder.count - 1)
    guard length > 0 else { return .failure(Failure(what: "readlink")) }
    let program = String(decoding: folder.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let probe = program.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/udev-probe"
    var command = "FLASHLINE_UDEV_MONITOR=\(monitor) exec '\(probe)'"
    for step in steps { command += " '\(step)'" }
    guard let pipe = popen(command, "r") else { return .failure(Failure(what: "popen")) }
    var text: [UInt8] = []
    while case let byte = fgetc(pipe), byte >= 0 { text.append(UInt8(truncatingIfNeeded: byte)) }
    let status = pclose(pipe)
    guard status == 0 else { return .failure(Failure(what: "udev-probe ended with \(status): \(String(decoding: text, as: UTF8.self))")) }
    return .success(String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
  }

  @Test("an adapter is named by its USB path; one that is not on USB has none; links are no adapters")
  func enumerate() async throws {
    let lists = try await play("usb=1-2.3:hci10:RIG0001 usb=1-1:hci0:RIG0000 serial=hci2 link=hci0:64 watch next")
    #expect(
      lists == [
        "hci0/1-1/2fe3:b/RIG0000/Zephyr HCI USB sample hci2/-/-:-/-/- hci10/1-2.3/2fe3:b/RIG0001/Zephyr HCI USB sample"
      ])
  }

  @Test("plugged in, pulled out, plugged in elsewhere with another number", arguments: ["", "kernel"])
  func hotPlug(monitor: String) async throws {
    let lists = try await play("watch next usb=1-2:hci0:A next link=hci0:64 usb=1-3:hci1:B next out=1-2:hci0 next usb=1-2:hci2:A next", monitor: monitor)
    let (a, b) = ("2fe3:b/A/Zephyr HCI USB sample", "2fe3:b/B/Zephyr HCI USB sample")
    #expect(lists == ["", "hci0/1-2/\(a)", "hci0/1-2/\(a) hci1/1-3/\(b)", "hci1/1-3/\(b)", "hci1/1-3/\(b) hci2/1-2/\(a)"])
  }

  @Test("a reader that is slow gets the newest list, not the whole history")
  func newest() async throws {
    let lists = try await play("watch watch next usb=1-1:hci0:A next usb=1-2:hci1:B next out=1-1:hci0 next first")
    #expect(lists.count == 5 && lists.last == "hci1/1-2/2fe3:b/B/Zephyr HCI USB sample")
  }
}
