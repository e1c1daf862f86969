public import Bluetooth
import Glibc
import Reactor

extension UdevAdapters {
  /// Where the kernel lets a USB device be taken from its driver (Documentation/usb/authorization.rst).
  private static let devices = "/sys/bus/usb/devices/"
  /// Between taking it and giving it back.
  private static let pause: useconds_t = 500_000

  public nonisolated func reauthorise(usbPath: String) async throws(AdapterSourceError) {
    try await Self.reauthorise(usbPath: usbPath, below: Self.devices)
  }

  /// - Parameter devices: the folder of the USB devices, with its slash.
  static func reauthorise(usbPath: String, below devices: String) async throws(AdapterSourceError) {
    // The path becomes part of a file name: only what the kernel calls USB devices, `1-2.3`.
    guard !usbPath.isEmpty, usbPath.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }),
      usbPath.contains("-"), !usbPath.contains("..")
    else { throw AdapterSourceError("\(usbPath) is no USB device") }
    let file = devices + usbPath + "/authorized"
    let result: Result<Void, AdapterSourceError>
    do throws(ReactorError) {
      // The kernel unbinds the driver within the write, which may take its time.
      result = try await ownThread(named: "usb") {
        do throws(AdapterSourceError) {
          try Self.write("0", to: file)
          usleep(Self.pause)
          return .success(try Self.write("1", to: file))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw AdapterSourceError(error.description)
    }
    try result.get()
  }

  private static func write(_ text: String, to file: String) throws(AdapterSourceError) {
    let descriptor = open(file, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw AdapterSourceError("\(file): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
      throw AdapterSourceError("\(file): \(String(cString: strerror(errno)))")
    }
  }
}
