import DBus
import FoundationEssentials
import Glibc

/// The state folder of a line and the files in it.
struct LineFolder: Sendable {
  /// Absolute.
  let path: String

  /// Makes the folder and removes what an earlier line left of readiness.
  init(_ path: String) throws(LineError) {
    let url = URL(filePath: path).absoluteURL
    self.path = url.path
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw .environment("the state folder \(path) cannot be made: \(error)")
    }
    close()
    // What a killed line left: its testbed.
    let left = (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []
    for name in left where name.hasPrefix("umockdev.") { try? FileManager.default.removeItem(atPath: self.path + "/" + name) }
  }

  /// Shell lines for a station that shall work on this line; printed too.
  func writeEnvironment(bus: DBusAddress, testbed: String) throws(LineError) -> String {
    let values = [("DBUS_SYSTEM_BUS_ADDRESS", bus.description), ("LD_PRELOAD", UdevTestbed.preload), ("UMOCKDEV_DIR", testbed)]
    let text = values.map { "export \($0.0)='\($0.1.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'\n" }.joined()
    try write(text, to: "environment")
    return text
  }

  /// Everything is there: the last file to appear.
  func writeReady() throws(LineError) { try write("\(getpid())\n", to: "ready") }

  func write(_ truth: LineTruth) throws(LineError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    do {
      try encoder.encode(truth).write(to: URL(filePath: path + "/truth.json"), options: .atomic)
    } catch {
      throw .environment("truth.json cannot be written in \(path): \(error)")
    }
  }

  /// What a line that has ended leaves: the truth, and nothing to connect to.
  func close() {
    for name in ["ready", "environment", "bus", "bus.conf", "bus.log"] { unlink(path + "/" + name) }
  }

  private func write(_ text: String, to name: String) throws(LineError) {
    do {
      try Data(text.utf8).write(to: URL(filePath: path + "/" + name), options: .atomic)
    } catch {
      throw .environment("\(name) cannot be written in \(path): \(error)")
    }
  }
}
