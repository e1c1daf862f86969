import Flashing

extension Timestamp {
  /// Reads an RFC 3339 time (`2026-11-30T01:50:16.042Z`, `…+01:00`); anything else is nil. Fractions finer than a millisecond are cut.
  static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 40, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t") || bytes[10] == UInt8(ascii: " "),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60
    else { return nil }
    let days = epochDay(year: year, month: month, day: day)
    guard civil(days) == (year, month, day) else { return nil }

    var rest = bytes[19...]
    var fraction: Int64 = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      guard !digits.isEmpty else { return nil }
      let padded = digits.prefix(3) + [UInt8](repeating: UInt8(ascii: "0"), count: max(0, 3 - digits.count))
      fraction = number(padded) ?? 0
      rest = rest[digits.endIndex...]
    }
    guard let offset = offsetMinutes(rest) else { return nil }
    return days * 86_400_000 + (hour * 60 + minute - offset) * 60_000 + second * 1000 + fraction
  }

  /// Minutes east of UTC of `Z`, `+01:00`, `-05:30`.
  private static func offsetMinutes(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.count == 1, text.first == UInt8(ascii: "Z") || text.first == UInt8(ascii: "z") { return 0 }
    let start = text.startIndex
    guard text.count == 6, text[start] == UInt8(ascii: "+") || text[start] == UInt8(ascii: "-"), text[start + 3] == UInt8(ascii: ":"),
      let hours = number(text[(start + 1)..<(start + 3)]), let minutes = number(text[(start + 4)..<(start + 6)]), hours < 24, minutes < 60
    else { return nil }
    return (text[start] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
  }

  private static func number(_ digits: some Sequence<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return value
  }

  /// Days since 1970-01-01 of a proleptic Gregorian date: the inverse of `civil`.
  private static func epochDay(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
