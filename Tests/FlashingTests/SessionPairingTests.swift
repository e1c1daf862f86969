import Bluetooth
import LineFixture
import Testing
import VirtualLine

@testable import Flashing

/// Boards that demand an encrypted link: paired before anything is asked of them, and no bond outlives its attempt.
@Suite struct SessionPairingTests {
  private func bench(_ faults: [BoardFault] = [], _ method: PairingMethod = .justWorks) -> SessionBench {
    var quirks = LineBoard.Quirks()
    quirks.demandsEncryption = true
    quirks.acceptsPairing = method
    let bench = SessionBench(faults, quirks: quirks)
    bench.order.pairing = method
    return bench
  }

  @Test(arguments: [PairingMethod.justWorks, .passkey(4711)])
  func passes(_ method: PairingMethod) async throws {
    let bench = bench([], method)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(record.retries == 0)
    #expect(bench.central.bonds(0).isEmpty)
    #expect(bench.central.violations.isEmpty)
  }

  @Test("a bond that an earlier program left is not used")
  func oldBond() async throws {
    let bench = bench()
    bench.order.pairing = .passkey(1)
    bench.central.bond(SessionBench.address, on: LineCentral.handle(0))
    let record = try await bench.run()
    #expect(record.failureCode == .linkPairing)
    #expect(bench.central.bonds(0).isEmpty)
  }

  @Test("a link that is lost is made again over the same bond")
  func linkLost() async throws {
    let bench = bench([BoardFault(.dropLink, offset: 9000)])
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries == 1)
    #expect(bench.central.bonds(0).isEmpty)
  }

  @Test("no bond is left by an attempt that fails")
  func failed() async throws {
    let bench = bench([BoardFault(.neverReturn)])
    let record = try await bench.run()
    #expect(record.failureCode == .verifyNeverReturned)
    #expect(bench.central.bonds(0).isEmpty)
  }
}
