import CIni

/// Feeds libinih line by line and counts, because libinih 55 does not tell a handler the line; refuses what libinih would misread.
///
/// Measured on libinih 55-1 of Debian 12: it cuts lines at `ini_max_line` − 1 (199) bytes and goes on with the rest as a line of its own; splits
/// at `:` as well as `=`; takes an indented line for more of the value above; overlooks what follows `]`; takes `[]` and `= value`; keeps quotation
/// marks and ` # …` in the value. It calls the handler while it works on the line that the reader handed out last, so the reader's count is the line.
final class IniReader {
  struct Complaint {
    var line: Int
    var what: String
    var remedy: String
  }

  private let lines: [ArraySlice<UInt8>]
  private var count = 0
  private(set) var sections: [IniSection] = []
  private(set) var entries: [IniEntry] = []
  /// The first thing that was wrong; reading stops there.
  private(set) var complaint: Complaint?
  private var seen: [String: Int] = [:]

  init(bytes: [UInt8]) {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
  }

  func parse() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let failedLine = ini_parse_stream(nextIniLine, context, takeIniEntry, context)
    if failedLine != 0, complaint == nil {
      complain("this line is neither [section] nor key = value", "write key = value, or begin the line with # to make it a comment", line: Int(failedLine))
    }
  }

  /// Copies the next line into libinih's buffer of `capacity` bytes; false at the end or after a complaint.
  fileprivate func next(into buffer: UnsafeMutablePointer<CChar>, capacity: Int) -> Bool {
    guard complaint == nil, count < lines.count else { return false }
    let line = lines[count]
    count += 1
    guard line.count < capacity else {
      complain("this line has \(line.count) bytes", "shorten it to \(capacity - 1) bytes")
      return false
    }
    guard !line.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }) else {
      complain("this line holds a control character", "remove it, or save the file as plain text")
      return false
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      complain("this line is not valid UTF-8", "save the file as UTF-8")
      return false
    }
    guard check(text) else { return false }
    for (offset, byte) in line.enumerated() { buffer[offset] = CChar(bitPattern: byte) }
    buffer[line.count] = 0
    return true
  }

  /// Takes what libinih made of the current line; false after a complaint.
  fileprivate func take(section: String, key: String, value: String) -> Bool {
    guard complaint == nil else { return false }
    if let earlier = seen["\(section)\n\(key)"] {
      return complain("[\(section)] \(key.escaped()) stands here again (first in line \(earlier))", "keep one of the two")
    }
    guard !value.isEmpty else { return complain("[\(section)] \(key.escaped()) has no value", "write one, or remove the line") }
    if value.hasSuffix(" #") || value.contains(" # ") {
      return complain("[\(section)] \(key.escaped()): text after # belongs to the value here", "begin a comment behind a value with a space and ;")
    }
    if value.utf8.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") {
      return complain("[\(section)] \(key.escaped()) is in quotation marks, which would belong to the value", "remove them")
    }
    seen["\(section)\n\(key)"] = count
    entries.append(IniEntry(section: section, key: key, value: value, line: count))
    return true
  }

  /// Whether libinih will read the line as it looks.
  private func check(_ line: String) -> Bool {
    let text = line.drop { $0 == " " || $0 == "\t" }
    guard let first = text.first, first != "#", first != ";" else { return true }
    if text.count < line.count {
      return complain("this line begins with a space, which would continue the value above", "begin it in the first column")
    }
    return first == "[" ? checkSection(text) : checkEntry(text)
  }

  private func checkSection(_ text: Substring) -> Bool {
    guard let end = text.firstIndex(of: "]") else { return complain("this section has no ]", "write [section]") }
    let name = String(text[text.index(after: text.startIndex)..<end])
    let rest = text[text.index(after: end)...].drop { $0 == " " || $0 == "\t" }
    guard rest.isEmpty || rest.first == ";" else { return complain("text follows the section", "write it on the next line") }
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") }) else {
      return complain("the section name \(name.shown) is empty or holds other characters than letters", "write [section]")
    }
    if let earlier = sections.first(where: { $0.name == name }) {
      return complain("section [\(name)] stands here again (first in line \(earlier.line))", "put its keys together in one place")
    }
    sections.append(IniSection(name: name, line: count))
    return true
  }

  private func checkEntry(_ text: Substring) -> Bool {
    guard let split = text.firstIndex(where: { $0 == "=" || $0 == ":" }) else {
      return complain("this line is neither [section] nor key = value", "write key = value, or begin the line with # to make it a comment")
    }
    if text[split] == ":" { return complain("a : stands before the =, and the key would end there", "write key = value, without : in the key") }
    let key = text[..<split]
    guard key.contains(where: { $0 != " " && $0 != "\t" }) else { return complain("no key stands before the =", "write key = value") }
    guard !sections.isEmpty else { return complain("this key stands before the first [section]", "move it below its section") }
    return true
  }

  @discardableResult
  private func complain(_ what: String, _ remedy: String, line: Int? = nil) -> Bool {
    if complaint == nil { complaint = Complaint(line: line ?? count, what: what, remedy: remedy) }
    return false
  }
}

/// libinih's reader (as `fgets`).
private func nextIniLine(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32, _ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
  guard let buffer, let context, capacity > 0 else { return nil }
  let reader = Unmanaged<IniReader>.fromOpaque(context).takeUnretainedValue()
  return reader.next(into: buffer, capacity: Int(capacity)) ? buffer : nil
}

/// libinih's handler: 1 is success.
private func takeIniEntry(
  _ context: UnsafeMutableRawPointer?, _ section: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> Int32 {
  guard let context, let section, let key, let value else { return 0 }
  let reader = Unmanaged<IniReader>.fromOpaque(context).takeUnretainedValue()
  return reader.take(section: String(cString: section), key: String(cString: key), value: String(cString: value)) ? 1 : 0
}
