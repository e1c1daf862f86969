import Firmware
import LineFixture
import Locks
import SMP
import Synchronization
import Testing
import VirtualLine

@testable import Flashing

/// Whole files to and from a board, read back afterwards.
@Suite struct ClientFileTests {
  private static let content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var faults: [BoardFault] = []
    var change: @Sendable (inout BoardSettings) -> Void = { _ in }
    var check: FileHashKind?
    var isProven = true
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "a usual board", check: .sha256),
    Row(name: "no reassembly", change: { $0.reassembly = false }, check: .sha256),
    Row(name: "one buffer", change: { $0.bufferCount = 1 }, check: .sha256),
    Row(name: "small buffers, small MTU", change: { ($0.bufferSize, $0.mtu) = (256, 65) }, check: .sha256),
    Row(name: "CRC-32 only", change: { $0.groups.hashes = ["crc32"] }, check: .crc32),
    Row(name: "no hash: the length is proof", change: { $0.groups.hashes = [] }),
    Row(
      name: "neither hash nor length", change: { ($0.groups.hashes, $0.groups.fileStatus) = ([], false) }, isProven: false),
    Row(name: "a server of version 1", change: { $0.smpVersion = 1 }, check: .sha256),
    Row(name: "canonical, rc 0", change: { ($0.canonical, $0.legacyRC) = (true, true) }, check: .sha256),
    Row(name: "lost answers", faults: [BoardFault(.loseAnswer, count: 4, times: 2, group: 8, command: 0)], check: .sha256),
    Row(name: "a lost first answer", faults: [BoardFault(.loseAnswer, group: 8, command: 0)], check: .sha256),
    Row(
      name: "doubled and disordered answers",
      faults: [
        BoardFault(.duplicateAnswer, count: 2, group: 8, command: 0), BoardFault(.reorderAnswer, count: 5, group: 8, command: 0),
        BoardFault(.strayAnswer, count: 7, group: 8, command: 0),
      ], check: .sha256),
    Row(name: "busy for a while", faults: [BoardFault(.busy, count: 3, times: 3, group: 8, command: 0)], check: .sha256),
    Row(name: "no buffers for a while", faults: [BoardFault(.noMemory, count: 3, times: 3, group: 8, command: 0)], check: .sha256),
  ]

  @Test("a file goes there and comes back the same", arguments: rows)
  func thereAndBack(row: Row) async throws {
    let bench = ClientBench(row.faults, settings: row.change)
    let (receipt, fetched) = try await bench.run { client in
      (try await client.upload(Self.content, to: "/lfs/data.bin"), try await client.download("/lfs/data.bin"))
    }
    #expect(receipt.length == Self.content.count && receipt.check == row.check && receipt.isProven == row.isProven && receipt.resumedFrom == nil)
    #expect(fetched.bytes == Self.content && fetched.check == row.check)
  }

  @Test func anEmptyFileIsAFile() async throws {
    let bench = ClientBench()
    let (receipt, fetched) = try await bench.run { client in
      (try await client.upload([], to: "/lfs/empty"), try await client.download("/lfs/empty"))
    }
    #expect(receipt == FileReceipt(length: 0, isProven: true))
    #expect(fetched == FetchedFile(bytes: []))
  }

  /// Zephyr does not shorten a file for an empty piece.
  @Test func anEmptyFileOverAnotherIsNotBelieved() async throws {
    let bench = ClientBench()
    let error = try await bench.failure { client in
      _ = try await client.upload([1, 2, 3], to: "/lfs/a")
      return try await client.upload([], to: "/lfs/a")
    }
    #expect(error == .file(.lengthMismatch(expected: 0, actual: 3)))
  }

  @Test func anUploadThatWasCutOffIsContinuedWhereAHashProvesIt() async throws {
    let bench = ClientBench { $0.bufferSize = 512 }
    let reached = Locked(0)
    let work = bench.begin { client in
      try await client.upload(Self.content, to: "/lfs/data.bin") { bytes in reached.withLock { $0 = bytes } }
    }
    try await bench.pump.turn(within: .seconds(60)) { reached.withLock { $0 } > 8000 }
    bench.central.unplug(0)
    guard case .failure(let error) = try await bench.pump.finish(work, within: .seconds(60)) else {
      Issue.record("uploaded without a link")
      return
    }
    #expect(error as? SMPClientError == .linkLost)
    bench.central.plug(0)
    let receipt = try await bench.run { try await $0.upload(Self.content, to: "/lfs/data.bin") }
    #expect(try #require(receipt.resumedFrom) >= 8000)
    #expect(receipt.check == .sha256)
    let again = try await bench.run { try await $0.upload(Self.content, to: "/lfs/data.bin") }
    #expect(again.resumedFrom == Self.content.count)
    // Another beginning, or another length: from the first byte.
    let other = try await bench.run { try await $0.upload([9] + Self.content, to: "/lfs/data.bin") }
    #expect(other.resumedFrom == nil && other.check == .sha256)
    let fetched = try await bench.run { try await $0.download("/lfs/data.bin", after: Array(([9] + Self.content).prefix(7000))) }
    #expect(fetched.bytes == [9] + Self.content)
    let fresh = try await bench.run { try await $0.download("/lfs/data.bin", after: [1, 2, 3]) }
    #expect(fresh.bytes == [9] + Self.content)
  }

  @Test(
    "what cannot be is a named error",
    arguments: [
      ("/other/a", 100, SMPClientError.file(.refused(.group(SMPGroupError(.mountPointNotFound)), offset: 0))),
      ("/lfs/large", 300_000, .file(.refused(.group(SMPGroupError(.writeFailed)), offset: 0))), ("", 100, .file(.nameMissing)),
    ])
  func impossible(path: String, length: Int, expected: SMPClientError) async throws {
    let bench = ClientBench()
    let error = try await bench.failure { try await $0.upload([UInt8](repeating: 1, count: length), to: path) }
    if case .file(.refused(let refusal, _))? = error, case .file(.refused(let wanted, _)) = expected {
      #expect(refusal == wanted)
    } else {
      #expect(error == expected)
    }
  }

  @Test func anMTUOf23WithoutReassemblyIsTooSmallForAFile() async throws {
    let bench = ClientBench {
      $0.mtu = 23
      $0.reassembly = false
    }
    #expect(try await bench.failure { try await $0.upload([1], to: "/lfs/a") } == .file(.requestTooSmall(requestSize: 20)))
  }

  @Test func aFileLongerThanTheLimitIsNotFetched() async throws {
    let bench = ClientBench()
    let error = try await bench.failure { client in
      _ = try await client.upload(Self.content, to: "/lfs/a")
      return try await client.download("/lfs/a", longest: 19_999)
    }
    #expect(error == .file(.fileTooLong(length: 20_000, limit: 19_999)))
    #expect(try await bench.failure { try await $0.download("/lfs/none") } == .file(.refused(.group(SMPGroupError(.notFound)), offset: 0)))
  }
}
