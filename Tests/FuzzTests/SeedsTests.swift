import FoundationEssentials
import FuzzTargets
import SMP
import Testing

/// Files below Tests/Fuzz, found from this file's place.
private enum Place {
  static var tests: String { #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/") }
  static var fuzz: String { tests + "/Fuzz" }
  static var sources: String { tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Sources" }

  static func files(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }
}

/// One input: its target, and its file below Tests/Fuzz.
struct Input: Sendable, CustomTestStringConvertible {
  var target: FuzzTarget
  var file: String

  var testDescription: String { file }

  static func all(_ folder: String) -> [Input] {
    FuzzTarget.all.flatMap { target in
      Place.files("\(Place.fuzz)/\(folder)/\(target.name)").map { Input(target: target, file: "\(folder)/\(target.name)/\($0)") }
    }
  }

  func feed() throws {
    target.feed([UInt8](try Data(contentsOf: URL(filePath: "\(Place.fuzz)/\(file)"))))
  }
}

@Suite("What libFuzzer starts from, and what it found (make fuzz)")
struct SeedsTests {
  @Test("a seed is read or refused", arguments: Input.all("Seeds")) func seed(_ input: Input) throws { try input.feed() }

  /// Each of these trapped, hung or broke a promise once.
  @Test("what once did harm is read or refused", arguments: Input.all("Found")) func found(_ input: Input) throws { try input.feed() }

  @Test("each target has seeds and a name of its own") func names() {
    #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    for target in FuzzTarget.all { #expect(!Place.files("\(Place.fuzz)/Seeds/\(target.name)").isEmpty, "\(target.name)") }
  }

  /// An answer that nobody feeds is one that may trap.
  @Test("smp-answer reads every request's answer") func requests() throws {
    let fed = Set(FuzzTarget.smpRequests.map { String(describing: $0) })
    var found: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: Place.sources + "/SMP") where path.hasSuffix(".swift") {
      for line in try String(contentsOfFile: "\(Place.sources)/SMP/\(path)", encoding: .utf8).split(separator: "\n") {
        let words = line.split { " :,{".contains($0) }
        guard let at = words.firstIndex(of: "struct"), at + 1 < words.count else { continue }
        if words.dropFirst(at + 2).contains(where: { $0 == "SMPRequest" || $0 == "SUITPieceRequest" }) { found.insert(String(words[at + 1])) }
      }
    }
    #expect(found == fed)
  }
}
