import FoundationEssentials
import Testing

/// Holds the architecture's table of rooms: SwiftPM does not catch an import that is reachable through another target.
@Suite("Rooms import only what the architecture allows")
struct RoomImportsTests {
  /// What each room may import besides `always`. The middle rooms first, then the rim.
  static let allowed: [String: Set<String>] = [
    "Locks": [],
    "Bluetooth": [],
    "Firmware": ["CZip", "CZlib", "CCBOR", "CCrypto"],
    "SMP": ["CCBOR"],
    "NordicDFU": [],
    "Flashing": ["Bluetooth", "Firmware", "SMP", "NordicDFU"],
    "Catalogue": ["Firmware"],
    "Station": ["Flashing", "Bluetooth", "Firmware", "Catalogue", "CIni"],
    "SQLite": ["CSQLite"],
    "Records": ["Flashing", "Bluetooth", "SQLite", "CCrypto"],
    "Cloud": ["Bluetooth", "SMP", "Catalogue", "CCrypto", "SQLite", "FoundationNetworking"],
    "Reactor": ["CLinux"],
    "DBus": ["CDBus", "Reactor"],
    "BlueZ": ["DBus", "Reactor", "Bluetooth", "CLinux"],
    "Udev": ["CUdev", "Reactor", "Bluetooth"],
    "VirtualLine": ["DBus", "Reactor", "Bluetooth", "SMP", "NordicDFU", "Firmware", "CCBOR", "CLinux"],
  ]
  static let always: Set<String> = ["FoundationEssentials", "Synchronization", "Locks"]
  /// Only the program sees both sides.
  static let program = "flashline"
  /// Rooms that touch the operating system anyway.
  static let rim: Set<String> = ["SQLite", "Records", "Cloud", "Reactor", "DBus", "BlueZ", "Udev", "VirtualLine", program]
  static let mostLines = 400

  static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  @Test("Every folder of Sources is a room of the table or a C gate")
  func everyRoomIsKnown() throws {
    let rooms = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
    #expect(rooms.contains(Self.program))
    for room in rooms where Self.allowed[room] == nil && room != Self.program {
      let content = try FileManager.default.subpathsOfDirectory(atPath: Self.sources.appending(path: room).path)
      #expect(content.contains("module.modulemap"), "\(room) is neither in the table of rooms nor a C gate")
      #expect(!content.contains { $0.hasSuffix(".swift") }, "\(room) is a C gate and has Swift in it")
    }
  }

  @Test("Imports", arguments: try swiftFiles())
  func imports(file: SourceFile) {
    for used in file.imports {
      if let complaint = Self.complaint(used, in: file.room) { Issue.record("\(file.path):\(used.line): \(complaint)") }
    }
  }

  @Test(
    "What is refused",
    arguments: [
      ("Station", "Records"), ("Flashing", "BlueZ"), ("SMP", "Firmware"), ("Bluetooth", "CLinux"), ("SMP", "Glibc"), ("Records", "Foundation"),
      ("flashline", "XCTest"), ("Reactor", "DBus"), ("NoRoom", "SMP"),
    ])
  func refused(room: String, module: String) {
    #expect(Self.complaint(SourceFile.Import(module: module, line: 1, isExplained: false), in: room) != nil)
  }

  /// Why this import may not be here; nil when it may.
  static func complaint(_ used: SourceFile.Import, in room: String) -> String? {
    switch used.module {
    case _ where always.contains(used.module):
      nil
    case "Foundation":
      used.isExplained ? nil : "plain Foundation needs a comment that says what FoundationEssentials lacks"
    case "Glibc":
      rim.contains(room) || used.isExplained ? nil : "Glibc belongs to the rim; elsewhere a comment says what it is needed for"
    case _ where room == program:
      allowed[used.module] != nil || allowed.values.contains { $0.contains(used.module) } ? nil : "\(used.module) is no room"
    default:
      allowed[room]?.contains(used.module) == true ? nil : "\(room) may not import \(used.module)"
    }
  }

  @Test("No file is longer than 400 lines", arguments: try swiftFiles())
  func length(file: SourceFile) {
    #expect(file.lines.count <= Self.mostLines, "\(file.path) has \(file.lines.count) lines")
  }

  /// The reader of imports must see the shapes that occur, or the table would hold by blindness.
  @Test("The reader of imports sees every shape")
  func reader() {
    let text = """
      // import Commented
      import Plain
      public import Shown  // for the world
      @preconcurrency internal import Old
      import struct Parted.Piece
      import Foundation  // String(format:)
      // a reason
      import Glibc
      let text = "import Quoted"
      """
    let file = SourceFile(room: "X", path: "X.swift", text: text)
    #expect(file.imports.map(\.module) == ["Plain", "Shown", "Old", "Parted", "Foundation", "Glibc"])
    #expect(file.imports.map(\.isExplained) == [true, true, false, false, true, true])
    #expect(file.imports.map(\.line) == [2, 3, 4, 5, 6, 8])
  }

  static func swiftFiles() throws -> [SourceFile] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
    try #require(paths.count > 20, "the sources are not where the test looks for them")
    return try paths.sorted().map { path in
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      return SourceFile(room: String(path.prefix { $0 != "/" }), path: path, text: text)
    }
  }
}

/// A Swift file as the test reads it: by lines, without a parser.
struct SourceFile: CustomTestStringConvertible, Sendable {
  struct Import {
    var module: String
    var line: Int
    /// Whether a comment stands behind the import or in the line above.
    var isExplained: Bool
  }

  var room: String
  var path: String
  var lines: [Substring]

  init(room: String, path: String, text: String) {
    (self.room, self.path) = (room, path)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
  }

  var testDescription: String { path }

  var imports: [Import] {
    lines.indices.compactMap { index in
      var words = lines[index].split(separator: " ")[...]
      while let word = words.first, word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word) { words.removeFirst() }
      guard words.popFirst() == "import", var name = words.popFirst() else { return nil }
      if ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"].contains(name) { name = words.popFirst() ?? name }
      let above = index > lines.startIndex ? lines[index - 1] : ""
      return Import(
        module: String(name.prefix { $0 != "." && $0 != ";" }), line: index + 1, isExplained: lines[index].contains("//") || above.trimmed.hasPrefix("//"))
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}
