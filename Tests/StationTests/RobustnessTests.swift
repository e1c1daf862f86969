import Bluetooth
import LineFixture
import Testing

@testable import Station

/// That files of any content end in a value or an error with a place, never in a trap.
struct RobustnessTests {
  static let pieces: [[UInt8]] = [
    Array("[station]".utf8), Array("[match]".utf8), Array("id".utf8), Array("=".utf8), Array(":".utf8), Array(" ; ".utf8), Array("#".utf8), Array("\n".utf8),
    Array("\r\n".utf8), Array("\"".utf8), Array(",".utf8), Array("unit_id,mac,serial_number\n".utf8), Array("C0:DE:00:00:00:01".utf8), [0], [0xFF],
    [0xEF, 0xBB, 0xBF],
    Array(" ".utf8), Array("[".utf8), Array("]".utf8), Array(repeating: 0x78, count: 201), Array("é\u{301}".utf8),
  ]

  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyContent(seed: UInt64) {
    var random = SplitMix64(seed)
    for _ in 0..<20 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).flatMap { _ in Self.pieces.randomElement(using: &random) ?? [] }
      let lines = bytes.count { $0 == 0x0A } + 1
      do throws(ConfigurationError) {
        let file = try IniFile(bytes: bytes, file: "t.conf")
        #expect(file.entries.allSatisfy { (1...lines).contains($0.line) && !$0.key.isEmpty && !$0.value.isEmpty })
        _ = try StationConfiguration(file, hostName: "host", timezone: "Etc/UTC")
      } catch {
        #expect(error.line.map { (1...lines).contains($0) } ?? true, "seed \(seed): \(error)")
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control }, "seed \(seed): \(error)")
      }
      do throws(ConfigurationError) {
        #expect(try BoardList(bytes: bytes, file: "b.csv").entries.isEmpty == false)
      } catch {
        #expect(error.line.map { (1...lines).contains($0) } ?? true, "seed \(seed): \(error)")
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control }, "seed \(seed): \(error)")
      }
    }
  }
}
