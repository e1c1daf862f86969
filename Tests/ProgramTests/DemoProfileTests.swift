import Foundation
import Testing

@testable import flashline

/// What the demo brings along must be what is shipped.
@Suite struct DemoProfileTests {
  @Test func theDemosProfileIsTheShippedOne() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let shipped = try String(contentsOf: root.appending(path: "Profiles/virtual-line.profile"), encoding: .utf8)
    #expect(DemoFolder.profileText == shipped)
  }
}
