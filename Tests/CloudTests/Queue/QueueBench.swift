import Bluetooth
import FoundationEssentials
import Glibc
import Locks
import SQLite
import Synchronization
import Testing

@testable import Cloud

/// A folder for one test's queue, and sources for it.
final class QueueBench: Sendable {
  static let key = "k3y-S3cret-0123456789abcdef01234"

  let folder: String
  var path: String { folder + "/queue.db" }

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "flashline-queue-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path(percentEncoded: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func queue(_ limits: ChunkQueue.Limits = ChunkQueue.Limits()) async throws -> ChunkQueue { try await ChunkQueue(path: path, limits: limits) }

  static func source(
    _ board: UInt64 = 1, key: String = key, uri: String = "https://chunks.example.com/api/v0/chunks/S1", hosts: [String] = ["chunks.example.com", "127.0.0.1"]
  ) throws -> DiagnosticSource {
    let destination = try ChunkDestination(
      uri: Array(uri.utf8), authorization: Array("Memfault-Project-Key:\(key)".utf8), hosts: AllowedHosts(hosts))
    return DiagnosticSource(board: BluetoothAddress(bits: 0xC0DE_0000_0000 + board), deviceID: "device-\(board)", destination: destination)
  }

  /// Files of the queue, each with its bytes.
  func files() throws -> [(name: String, bytes: [UInt8])] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
      var isFolder = false
      guard FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder), !isFolder else { return nil }
      return (name, [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name))))
    }
  }

  func keyFiles() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path + ".keys").sorted() }

  func mode(_ name: String) throws -> UInt32 {
    var status = stat()
    try #require(stat(folder + "/" + name, &status) == 0)
    return status.st_mode & 0o777
  }

  func setMode(_ name: String, _ mode: UInt32) throws { try #require(chmod(folder + "/" + name, mode) == 0) }
}

extension ChunkQueue {
  /// What waits in a lane, in order.
  func waiting(_ lane: LaneID) throws -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    try database().walk("SELECT data FROM chunks WHERE lane_id = ? AND rejected_with IS NULL ORDER BY position", binding: [.integer(lane.row)]) { row in
      chunks.append(row.value(0).blob ?? [])
      return .goOn
    }
    return chunks
  }

  func only(_ lane: LaneID) throws -> LaneStatus { try #require(try status().first { $0.lane == lane }) }

  func sql(_ text: String) throws { try database().execute(text) }

  func number(_ sql: String) throws -> Int64 { try database().first(sql, binding: [])?.first?.integer ?? 0 }
}

/// A clock on which every sleep is over at once; it knows how long all of them were together.
final class HastyClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let state = Locked(Instant(offset: .zero))

  var now: Instant { state.withLock { $0 } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock { $0 = max($0, deadline) }
    await Task.yield()
  }
}

/// What an uploader told.
final class Heard: Sendable {
  private let events = Locked<[UploadEvent]>([])

  var all: [UploadEvent] { events.withLock { $0 } }
  func add(_ event: UploadEvent) { events.withLock { $0.append(event) } }
}
