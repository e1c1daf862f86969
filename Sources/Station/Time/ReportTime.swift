/// Times of the report filters `--since` and `--until`: a bare date is local midnight, anything else RFC 3339.
public enum ReportTime {
  /// Milliseconds since 1970; nil when the text is neither.
  public static func read(_ text: String, in local: LocalTime) -> Int64? {
    let bytes = Array(text.utf8)
    guard let (year, month, day) = date(bytes.prefix(10)) else { return nil }
    if bytes.count == 10 { return local.midnight(year: year, month: month, day: day) }
    guard bytes.count > 19, [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10]) else { return nil }
    guard let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]) else { return nil }
    guard bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"), hour < 24, minute < 60, second < 60 else { return nil }
    guard let (milliseconds, zone) = fraction(bytes[19...]), let offset = offset(zone) else { return nil }
    guard day <= daysInMonth(year, month) else { return nil }
    let seconds = (daysSince1970(year, month, day) * 24 + hour) * 3600 + minute * 60 + second
    return Int64(seconds - offset * 60) * 1000 + Int64(milliseconds)
  }

  private static func date(_ bytes: ArraySlice<UInt8>) -> (Int, Int, Int)? {
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
    guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]) else { return nil }
    guard (1970...9998).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    return (year, month, day)
  }

  /// Splits `.123Z` into milliseconds (further digits are cut) and the zone.
  private static func fraction(_ bytes: ArraySlice<UInt8>) -> (Int, ArraySlice<UInt8>)? {
    guard bytes.first == UInt8(ascii: ".") else { return (0, bytes) }
    let digits = bytes.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...9).contains(digits.count) else { return nil }
    let padded = (Array(digits) + [UInt8](repeating: UInt8(ascii: "0"), count: 3)).prefix(3)
    return number(padded).map { ($0, bytes[digits.endIndex...]) }
  }

  /// Minutes east of Greenwich: `Z` or `±hh:mm`.
  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
    let zone = Array(bytes)
    if zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")] { return 0 }
    guard zone.count == 6, zone[3] == UInt8(ascii: ":"), let hours = number(zone[1..<3]), let minutes = number(zone[4..<6]) else { return nil }
    guard hours < 24, minutes < 60 else { return nil }
    switch zone[0] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }

  private static func daysInMonth(_ year: Int, _ month: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Days of the proleptic Gregorian calendar, counted with years that begin in March.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}
