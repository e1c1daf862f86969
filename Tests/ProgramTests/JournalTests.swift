import Bluetooth
import Flashing
import Glibc
import Station
import Testing

@testable import flashline

/// Entries as the journal's native protocol has them (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/), against a socket of our own.
@Suite struct JournalTests {
  private let folder: TemporaryFolder
  private let server: Int32
  private var path: String { folder.path + "/journal" }

  init() throws {
    folder = try TemporaryFolder()
    server = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array((folder.path + "/journal").utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let server = server
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    try #require(bound == 0)
  }

  private func received() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(server, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  private var failed: AttemptRecord {
    var record = AttemptRecord(
      batchID: 3, stationID: "s", profile: "p", job: .update, mac: BluetoothAddress(bits: 0xC0DE_0000_0001), addressType: .random, attempt: 1, startedAt: 0,
      toolVersion: "0")
    record.outcome = .failed
    record.failureCode = .linkLost
    record.failureMessage = "gone\nPRIORITY=0"
    record.adapterLabel = "left"
    return record
  }

  @Test func aResultCanBeSearchedByItsFields() throws {
    let journal = try #require(JournalLines(least: .news, path: path))
    journal.emit(.boardFinished(failed), at: 0)
    let entry = try #require(received())
    #expect(
      entry == """
        MESSAGE=C0:DE:00:00:00:01 failed: gone\\u{a}PRIORITY=0 [link.lost] on left
        PRIORITY=4
        SYSLOG_IDENTIFIER=flashline
        FLASHLINE_EVENT=board.finished
        FLASHLINE_BOARD=C0:DE:00:00:00:01
        FLASHLINE_OUTCOME=failed
        FLASHLINE_FAILURE_CODE=link.lost

        """)
    close(server)
  }

  @Test func theEndOfABatchCarriesTheAuditHead() throws {
    let journal = try #require(JournalLines(least: .news, path: path))
    journal.emit(
      .batchFinished(.init(batchID: 3, counts: [.passed: 2], good: 2, missing: [], leftElsewhere: [], reason: .count, auditHead: "abc", exitCode: 0)), at: 0)
    let entry = try #require(received())
    #expect(entry.contains("MESSAGE=batch 3 ended (count): 2 of 2 boards good, audit head abc\n"))
    #expect(entry.contains("FLASHLINE_AUDIT_HEAD=abc\n"))
    close(server)
  }

  @Test func levelsLeaveOutWhatWeighsLess() throws {
    let journal = try #require(JournalLines(least: LogRules.Level.error.weight, path: path))
    journal.emit(.boardFinished(failed), at: 0)
    #expect(received() == nil)
    journal.emit(.stationFault(code: .busGone, message: "no bus", adapter: nil), at: 0)
    #expect(received()?.contains("PRIORITY=3\n") == true)
    close(server)
  }

  @Test func withoutAJournalThereIsNone() {
    #expect(JournalLines(least: .news, path: folder.path + "/none") == nil)
    #expect(JournalLines(least: .news, path: String(repeating: "x", count: 200)) == nil)
    close(server)
  }
}
