import FoundationEssentials

/// What a server answered: any status.
struct HTTPAnswer: Sendable {
  /// The longest pause that a server is granted; what asks for more is asked again after this.
  static let longestPause = Duration.seconds(86_400)

  var status: Int
  /// Header fields by their names in lower case.
  var fields: [String: String]
  /// Of a wanted answer that is kept in memory.
  var body: [UInt8] = []
  /// Bytes of the body that were taken.
  var received = 0

  /// `Retry-After`: seconds, or a date (RFC 9110, 10.2.3); nil when there is none or it cannot be read.
  ///
  /// - Parameter now: seconds since 1970.
  func retryAfter(now: Int64) -> Duration? {
    guard let text = fields["retry-after"] else { return nil }
    if let seconds = Int64(text) { return seconds < 0 ? nil : min(.seconds(seconds), Self.longestPause) }
    return Self.seconds(ofDate: text).map { min(.seconds(max(0, $0 - now)), Self.longestPause) }
  }

  /// Seconds since 1970 of the one form of date that servers write: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
  static func seconds(ofDate text: String) -> Int64? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let month = months.firstIndex(of: String(words[2])), let year = Int(words[3]) else {
      return nil
    }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, (1...31).contains(day), (1970...9999).contains(year), zip(clock, [24, 60, 61]).allSatisfy({ 0 <= $0 && $0 < $1 }) else {
      return nil
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = DateComponents(year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
    return calendar.date(from: parts).map { Int64($0.timeIntervalSince1970) }
  }

  /// `Content-Range` of a 206 answer: where its body begins in the whole, and how long the whole is where the server says so.
  var contentRange: (start: Int, whole: Int?)? {
    guard let text = fields["content-range"], text.hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", maxSplits: 1)
    guard let bounds = parts.first, let start = bounds.split(separator: "-", maxSplits: 1).first.flatMap({ Int($0) }), start >= 0 else { return nil }
    return (start, parts.count == 2 ? Int(parts[1]) : nil)
  }
}
