import Bluetooth
import FoundationEssentials
import Testing

@testable import Udev

/// The kernel's switch for a USB device, in a folder that looks like `/sys/bus/usb/devices`.
struct ReauthoriseTests {
  @Test("The device is taken and given back; at the end it is authorised")
  func switches() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flashline-usb-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "1-2.3"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "1-2.3/authorized")
    try Data("x".utf8).write(to: file)
    try await UdevAdapters.reauthorise(usbPath: "1-2.3", below: folder.path + "/")
    #expect(try Data(contentsOf: file) == Data("1".utf8))
    // No such device: the system's words, with the file.
    await #expect(throws: AdapterSourceError("\(folder.path)/1-4/authorized: No such file or directory")) {
      try await UdevAdapters.reauthorise(usbPath: "1-4", below: folder.path + "/")
    }
  }

  @Test("What is no USB path never becomes a file name", arguments: ["", "hci0", "../1-2", "1-2/..", "1-..2", "usb1"])
  func refuses(path: String) async {
    await #expect(throws: AdapterSourceError("\(path) is no USB device")) { try await UdevAdapters.reauthorise(usbPath: path, below: "/nowhere/") }
  }
}
