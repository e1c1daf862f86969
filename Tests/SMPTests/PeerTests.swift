// Plain Foundation: Process is not in FoundationEssentials.
import Foundation
import Testing

@testable import SMP

/// Our encoder against the PyPI packages smp and smpclient, which have their own: every request that both know, byte for byte.
///
/// Runs where they are installed: `make peer` puts them into `.build/smp-venv`, or FLASHLINE_SMP_PYTHON names an interpreter that has them (then a
/// missing package is a failure and not a reason to skip; .ci/run sets it). `make test` does without, because it must work offline.
@Suite(.enabled(if: Peer.isThere, "no Python with the package smp: make peer, or set FLASHLINE_SMP_PYTHON"))
struct PeerTests {
  /// A request in both worlds.
  struct Pair: Sendable {
    /// For Tests/Peer/encode.py.
    var order: String
    var ours: @Sendable (UInt8) throws -> [UInt8]

    init(_ module: String, _ name: String, _ arguments: String = "{}", _ ours: @escaping @Sendable (UInt8) throws -> [UInt8]) {
      order = "{\"module\": \"\(module)_management\", \"class\": \"\(name)\", \"arguments\": \(arguments)"
      self.ours = ours
    }
  }

  private static let sha = [UInt8](0..<32)
  private static let shaText = "{\"bytes\": \"\(hex(sha))\"}"

  private static let os: [Pair] =
    [
      Pair("os", "EchoWriteRequest", "{\"d\": \"hello\"}") { try EchoRequest(text: "hello").frame(sequence: $0) },
      Pair("os", "EchoWriteRequest", "{\"d\": \"\(String(repeating: "x", count: 300))\"}") {
        try EchoRequest(text: String(repeating: "x", count: 300)).frame(sequence: $0)
      },
      Pair("os", "TaskStatisticsReadRequest") { try TaskStatisticsRequest().frame(sequence: $0) },
      Pair("os", "MemoryPoolStatisticsReadRequest") { try MemoryPoolRequest().frame(sequence: $0) },
      Pair("os", "DateTimeReadRequest") { try DateTimeReadRequest().frame(sequence: $0) },
      Pair("os", "DateTimeWriteRequest", "{\"datetime\": \"2026-11-30T02:03:04\"}") {
        try DateTimeWriteRequest(text: "2026-11-30T02:03:04").frame(sequence: $0)
      },
      Pair("os", "ResetWriteRequest") { try ResetRequest().frame(sequence: $0) },
      Pair("os", "ResetWriteRequest", "{\"boot_mode\": 1}") { try ResetRequest(bootMode: .bootloader).frame(sequence: $0) },
      Pair("os", "MCUMgrParametersReadRequest") { try ParametersRequest().frame(sequence: $0) },
      Pair("os", "BootloaderInformationReadRequest") { try BootloaderNameRequest().frame(sequence: $0) },
      Pair("os", "BootloaderInformationReadRequest", "{\"query\": \"mode\"}") { try BootloaderModeRequest().frame(sequence: $0) },
      Pair("os", "BootloaderInformationReadRequest", "{\"query\": \"active_b0_slot\"}") { try BootloaderActiveSlotRequest().frame(sequence: $0) },
    ]
    + ApplicationRequest.Detail.allCases.map { detail in
      Pair("os", "OSApplicationInfoReadRequest", "{\"format\": \"\(detail.rawValue)\"}") { try ApplicationRequest(detail).frame(sequence: $0) }
    }

  private static let image: [Pair] = [
    Pair("image", "ImageStatesReadRequest") { try ImageStateReadRequest().frame(sequence: $0) },
    Pair("image", "ImageStatesWriteRequest", "{\"hash\": \(shaText), \"confirm\": false}") { try ImageStateWriteRequest.test(sha).frame(sequence: $0) },
    Pair("image", "ImageStatesWriteRequest", "{\"hash\": \(shaText), \"confirm\": true}") { try ImageStateWriteRequest.confirm(sha).frame(sequence: $0) },
    Pair("image", "ImageStatesWriteRequest", "{\"confirm\": true}") { try ImageStateWriteRequest.confirm().frame(sequence: $0) },
    Pair("image", "ImageEraseRequest") { try ImageEraseRequest().frame(sequence: $0) },
    Pair("image", "ImageEraseRequest", "{\"slot\": 3}") { try ImageEraseRequest(image: 1, slot: 1).frame(sequence: $0) },
    Pair("image", "ImageUploadWriteRequest", "{\"off\": 0, \"data\": {\"bytes\": \"3db8f396\"}, \"len\": 70832, \"sha\": \(shaText)}") {
      try ImageUploadRequest(offset: 0, data: [0x3D, 0xB8, 0xF3, 0x96], start: UploadStart(length: 70_832, sha: sha)).frame(sequence: $0)
    },
    Pair(
      "image", "ImageUploadWriteRequest",
      "{\"off\": 0, \"data\": {\"bytes\": \"3d\"}, \"len\": 24, \"sha\": \(shaText), \"image\": 2, \"upgrade\": true}"
    ) {
      try ImageUploadRequest(offset: 0, data: [0x3D], start: UploadStart(length: 24, sha: sha, image: 2, upgradeOnly: true)).frame(sequence: $0)
    },
    Pair("image", "ImageUploadWriteRequest", "{\"off\": 65536, \"data\": {\"bytes\": \"00ff\"}}") {
      try ImageUploadRequest(offset: 65_536, data: [0, 0xFF]).frame(sequence: $0)
    },
  ]

  private static let others: [Pair] = [
    Pair("statistics", "GroupDataRequest", "{\"name\": \"smp\"}") { try StatisticsReadRequest(name: "smp").frame(sequence: $0) },
    Pair("statistics", "ListOfGroupsRequest") { try StatisticsListRequest().frame(sequence: $0) },
    Pair("settings", "ReadSettingRequest", "{\"name\": \"a/b\"}") { try SettingReadRequest(name: "a/b").frame(sequence: $0) },
    Pair("settings", "ReadSettingRequest", "{\"name\": \"a/b\", \"max_size\": 32}") { try SettingReadRequest(name: "a/b", largest: 32).frame(sequence: $0) },
    Pair("settings", "WriteSettingRequest", "{\"name\": \"fw_loader/adv_name\", \"val\": {\"bytes\": \"464c\"}}") {
      try SettingWriteRequest(name: "fw_loader/adv_name", bytes: Array("FL".utf8)).frame(sequence: $0)
    },
    Pair("settings", "DeleteSettingRequest", "{\"name\": \"a/b\"}") { try SettingDeleteRequest(name: "a/b").frame(sequence: $0) },
    Pair("settings", "CommitSettingsRequest") { try SettingsCommitRequest().frame(sequence: $0) },
    Pair("settings", "LoadSettingsRequest") { try SettingsLoadRequest().frame(sequence: $0) },
    Pair("settings", "SaveSettingsRequest") { try SettingsSaveRequest().frame(sequence: $0) },
    Pair("file", "FileDownloadRequest", "{\"name\": \"/lfs/ü\", \"off\": 300}") { try FileDownloadRequest(name: "/lfs/ü", offset: 300).frame(sequence: $0) },
    Pair("file", "FileUploadRequest", "{\"name\": \"/lfs/a\", \"off\": 0, \"data\": {\"bytes\": \"0102\"}, \"len\": 70000}") {
      try FileUploadRequest(name: "/lfs/a", offset: 0, data: [1, 2], length: 70_000).frame(sequence: $0)
    },
    Pair("file", "FileUploadRequest", "{\"name\": \"/lfs/a\", \"off\": 256, \"data\": {\"bytes\": \"03\"}}") {
      try FileUploadRequest(name: "/lfs/a", offset: 256, data: [3]).frame(sequence: $0)
    },
    Pair("file", "FileStatusRequest", "{\"name\": \"/lfs/a\"}") { try FileStatusRequest(name: "/lfs/a").frame(sequence: $0) },
    Pair("file", "FileHashChecksumRequest", "{\"name\": \"/lfs/a\", \"type\": \"crc32\", \"off\": 16, \"len\": 256}") {
      try FileHashRequest(name: "/lfs/a", kind: .crc32, offset: 16, length: 256).frame(sequence: $0)
    },
    Pair("file", "FileHashChecksumRequest", "{\"name\": \"/lfs/a\"}") { try FileHashRequest(name: "/lfs/a").frame(sequence: $0) },
    Pair("file", "SupportedFileHashChecksumTypesRequest") { try FileHashKindsRequest().frame(sequence: $0) },
    Pair("file", "FileCloseRequest") { try FileCloseRequest().frame(sequence: $0) },
    Pair("shell", "ExecuteRequest", "{\"argv\": [\"kernel\", \"version\"]}") { try ShellRequest(words: ["kernel", "version"]).frame(sequence: $0) },
    Pair("enumeration", "GroupCountRequest") { try GroupCountRequest().frame(sequence: $0) },
    Pair("enumeration", "ListOfGroupsRequest") { try GroupListRequest().frame(sequence: $0) },
    Pair("enumeration", "GroupIdRequest") { try GroupAtRequest(index: 0).frame(sequence: $0) },
    Pair("enumeration", "GroupIdRequest", "{\"index\": 3}") { try GroupAtRequest(index: 3).frame(sequence: $0) },
    Pair("enumeration", "GroupDetailsRequest") { try GroupDetailsRequest().frame(sequence: $0) },
    Pair("enumeration", "GroupDetailsRequest", "{\"groups\": [0, 8, 300]}") {
      try GroupDetailsRequest(groups: [.os, .fileSystem, SMPGroup(rawValue: 300)]).frame(sequence: $0)
    },
    Pair("zephyr", "EraseStorageRequest") { try EraseStorageRequest().frame(sequence: $0) },
  ]

  @Test("Every request that the PyPI package smp knows", .timeLimit(.minutes(2)))
  func requests() async throws {
    let pairs = Self.os + Self.image + Self.others
    let orders = pairs.enumerated().map { "\($1.order), \"sequence\": \($0)}" }
    let theirs = try await Peer.encode(orders)
    try #require(theirs.count == pairs.count)
    for (number, pair) in pairs.enumerated() {
      #expect(theirs[number] == [hex(try pair.ours(UInt8(number)))], "\(pair.order)")
    }
  }

  @Test("smpclient's own upload of an image cuts and writes every request as ours does", .timeLimit(.minutes(2)), arguments: [244, 384, 495, 2475])
  func imageUpload(size: Int) async throws {
    let content = Peer.content(length: 70_832)
    let theirs = try await Peer.encode(["{\"upload\": \"image\", \"size\": \(size), \"length\": \(content.count), \"image\": 1}"])
    let frames = try #require(theirs.first)
    var window = UploadWindow(
      UploadStart(length: content.count, sha: try #require(Peer.digest(in: frames[0])), image: 1, upgradeOnly: true),
      settings: UploadSettings(depth: 1, requestSize: size))
    let start = UploadStart(length: content.count, sha: try #require(Peer.digest(in: frames[0])), image: 1, upgradeOnly: true)
    var ours: [String] = []
    var actions = window.start()
    while let action = actions.first {
      actions.removeFirst()
      guard case .send(let chunk) = action else { continue }
      let sequence = try Peer.sequence(frames, ours.count)
      ours.append(hex(try ImageUploadRequest(offset: chunk.offset, data: content[chunk.range], start: chunk.isFirst ? start : nil).frame(sequence: sequence)))
      actions += window.answered(chunk.id, offset: chunk.end)
    }
    #expect(ours == frames)
  }

  @Test("smpclient's own upload of a file cuts and writes every request as ours does", .timeLimit(.minutes(2)), arguments: [244, 384, 495, 2475])
  func fileUpload(size: Int) async throws {
    let content = Peer.content(length: 10_000)
    let theirs = try await Peer.encode(["{\"upload\": \"file\", \"size\": \(size), \"length\": \(content.count), \"name\": \"/lfs/a\"}"])
    let frames = try #require(theirs.first)
    var window = FileUploadWindow(length: content.count, name: "/lfs/a", settings: UploadSettings(depth: 1, requestSize: size))
    var ours: [String] = []
    var actions = window.start()
    while let action = actions.first {
      actions.removeFirst()
      guard case .send(let chunk) = action else { continue }
      let request = FileUploadRequest(
        name: "/lfs/a", offset: chunk.offset, data: content[chunk.range], length: chunk.isFirst ? content.count : nil)
      ours.append(hex(try request.frame(sequence: try Peer.sequence(frames, ours.count))))
      actions += window.answered(chunk.id, offset: chunk.end)
    }
    #expect(ours == frames)
  }
}

/// The other side: a Python with the packages smp and smpclient.
private enum Peer {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let named = ProcessInfo.processInfo.environment["FLASHLINE_SMP_PYTHON"]
  private static let own = root.appending(path: ".build/smp-venv/bin/python3").path

  static var isThere: Bool { named != nil || FileManager.default.isExecutableFile(atPath: own) }

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  /// Has Tests/Peer/encode.py encode; for each order its frames in hexadecimal.
  static func encode(_ orders: [String]) async throws -> [[String]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flashline-peer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appending(path: "in"), folder.appending(path: "out"))
    try Data((orders.joined(separator: "\n") + "\n").utf8).write(to: input)
    try Data().write(to: output)
    let process = Process()
    process.executableURL = URL(filePath: named ?? own)
    process.arguments = [root.appending(path: "Tests/Peer/encode.py").path]
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
    guard process.terminationStatus == 0 else { throw Failed(description: "\(named ?? own) ended with \(process.terminationStatus)") }
    return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map { $0.uppercased().split(separator: " ").map(String.init) }
  }

  /// The file that encode.py uploads.
  static func content(length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) } }

  /// smpclient counts its sequence by itself.
  static func sequence(_ frames: [String], _ index: Int) throws -> UInt8 {
    guard frames.indices.contains(index), let header = SMPHeader(hex(frames[index])) else { throw Failed(description: "smpclient sent no request \(index)") }
    return header.sequence
  }

  /// The `sha` of a first request: this room has no hash function.
  static func digest(in frame: String) -> [UInt8]? {
    (try? CBORValue(decoding: hex(frame).dropFirst(8)))?["sha"]?.bytes
  }
}
