import FoundationEssentials
import Glibc
import Station

/// What a virtual line leaves in its state folder, as a station on it reads it.
struct LineFiles {
  /// Files larger than this were not written by a line.
  private static let sizeLimit = 64 << 20

  let folder: String

  var isReady: Bool { access(folder + "/ready", R_OK) == 0 }

  /// A folder with a short name below TMPDIR: the bus' socket lies in it, and socket paths are short.
  static func makeTemporary() throws(ProgramError) -> LineFiles {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/flashline-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .fault("no temporary folder can be made in \(base.shown) (\(String(cString: strerror(errno))))", "make room there, or set TMPDIR")
    }
    return LineFiles(folder: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Removes the folder; only for one that `makeTemporary` made.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// The variables that a station on the line needs, from `export NAME='value'` lines.
  func environment() throws(ProgramError) -> [String: String] {
    var variables: [String: String] = [:]
    for line in String(decoding: try read("environment"), as: UTF8.self).split(separator: "\n") {
      guard line.hasPrefix("export "), let equals = line.firstIndex(of: "=") else { continue }
      let name = line[..<equals].dropFirst("export ".count)
      var value = line[line.index(after: equals)...]
      if value.count >= 2, value.first == "'", value.last == "'" { value = value.dropFirst().dropLast() }
      variables[String(name)] = Self.unquoted(value)
    }
    guard variables["DBUS_SYSTEM_BUS_ADDRESS"] != nil else {
      throw .fault("the virtual line's environment file is not complete", "see line.log, and report this as a defect of Flashline")
    }
    return variables
  }

  /// `'\''` is how a shell's quoted text holds a quote.
  private static func unquoted(_ text: Substring) -> String {
    var plain = ""
    var rest = text
    while let quote = rest.firstIndex(of: "'") {
      plain += rest[..<quote]
      rest = rest[quote...]
      if rest.hasPrefix("'\\''") {
        plain += "'"
        rest = rest.dropFirst(4)
      } else {
        rest = rest.dropFirst()
      }
    }
    return plain + rest
  }

  func truth() throws(ProgramError) -> Data { try read("truth.json") }

  private func read(_ name: String) throws(ProgramError) -> Data {
    let path = folder + "/" + name
    guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= Self.sizeLimit else {
      throw .fault("\(path.escaped(limit: 4096)) cannot be read", "see line.log")
    }
    return data
  }
}
