/// Times as text: RFC 3339, UTC, milliseconds (`2026-11-30T01:50:16.042Z`), computed without a calendar library so that it is the same everywhere.
public enum Timestamp {
  /// - Parameter milliseconds: since 1970-01-01T00:00:00Z; years 0…9999.
  public static func text(_ milliseconds: Int64) -> String {
    let day = milliseconds.floorDiv(86_400_000)
    let rest = milliseconds - day * 86_400_000
    let (year, month, dayOfMonth) = civil(day)
    let seconds = rest / 1000
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2) + "T" + pad(seconds / 3600, 2) + ":" + pad(seconds / 60 % 60, 2) + ":"
      + pad(seconds % 60, 2) + "." + pad(rest % 1000, 3) + "Z"
  }

  /// The proleptic Gregorian date of a day counted from 1970-01-01 (era arithmetic over 400-year cycles that begin on 1 March).
  public static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = shifted.floorDiv(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Int64 {
  fileprivate func floorDiv(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
