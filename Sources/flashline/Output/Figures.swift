import CLinux
import Flashing
import Glibc

/// Numbers and times as people read them.
enum Figures {
  /// One decimal.
  static func oneDecimal(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e12 else { return "-" }
    let tenths = Int((abs(number) * 10).rounded())
    return (number < 0 && tenths > 0 ? "-" : "") + "\(tenths / 10).\(tenths % 10)"
  }

  static func speed(_ kBPerSecond: Double) -> String { oneDecimal(kBPerSecond) + " kB/s" }

  /// `0:42`, `12:05`, `1:02:03`.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "-" }
    let whole = Int(seconds)
    let minutes = whole / 60 % 60
    let rest = two(whole % 60)
    return whole >= 3600 ? "\(whole / 3600):\(two(minutes)):\(rest)" : "\(minutes):\(rest)"
  }

  /// Whole percent, never 100 before everything is there.
  static func percent(_ part: Int, of total: Int) -> Int {
    guard total > 0, part > 0 else { return 0 }
    return part >= total ? 100 : min(99, Int(Double(part) / Double(total) * 100))
  }

  /// The local time of day of a moment in milliseconds since 1970.
  static func clock(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var local = tm()
    guard localtime_r(&seconds, &local) != nil else { return "" }
    return "\(two(Int(local.tm_hour))):\(two(Int(local.tm_min))):\(two(Int(local.tm_sec)))"
  }

  /// `1 board`, `2 boards`.
  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// The wall clock.
enum WallClock {
  /// Milliseconds since 1970-01-01T00:00:00Z, as the machine believes.
  static var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
