import LineFixture
import Testing
import VirtualLine

@testable import Flashing

/// Boards that are not what the profile wants: nothing is written to them.
@Suite struct SessionIdentityTests {
  struct Stranger: Sendable, CustomTestStringConvertible {
    var rule: IdentityRule
    var code: FailureCode
    var serial: String? = nil
    var testDescription: String { code.rawValue }
  }

  static let strangers = [
    Stranger(rule: IdentityRule(model: "VB-2"), code: .identityModel),
    Stranger(rule: IdentityRule(hardware: "rev C"), code: .identityHardware),
    Stranger(rule: IdentityRule(manufacturer: "Somebody"), code: .identityManufacturer),
    Stranger(rule: IdentityRule(needsSerial: true), code: .identitySerialMissing, serial: ""),
  ]

  @Test(arguments: strangers) func anotherIdentityIsRefusedBeforeAnythingIsWritten(_ row: Stranger) async throws {
    let bench = SessionBench { $0.serial = row.serial }
    bench.order.identity = row.rule
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == row.code)
    #expect(record.failurePhase == .identify)
    #expect(record.leftAs == .untouched)
    #expect(!record.good)
    #expect(record.modelNumber == "VB-1")
    #expect(record.hardwareRevision == "rev B")
    #expect(bench.board.requests.isEmpty)
    #expect(!bench.board.isConnected)
  }

  @Test func theStationMayRefuseTheIdentity() async throws {
    let bench = SessionBench()
    bench.examine = { identity in throw BoardFailure(.identitySerialTwice, in: .identify, "twice: \(identity.serial ?? "")") }
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .identitySerialTwice)
    #expect(bench.board.requests.isEmpty)
  }
}
