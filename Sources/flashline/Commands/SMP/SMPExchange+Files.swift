import Flashing
import Firmware
import FoundationEssentials
import Reactor
import SMP
import Station

/// The file system group.
extension SMPExchange {
  func file(_ action: SMPAction) async throws -> SMPReport {
    switch action {
    case .upload(let file, let path): return try await upload(file, to: path)
    case .download(let path, let file): return try await download(path, into: file)
    case .fileStatus(let path):
      let length = try await send(FileStatusRequest(name: path))
      return SMPReport(["\(length) bytes"], [.init("path", .text(path)), .init("bytes", .of(length))])
    case .fileHash(let path, let kind, let offset, let length):
      return Self.report(try await send(FileHashRequest(name: path, kind: kind, offset: offset, length: length)), of: path)
    case .fileHashKinds:
      let kinds = try await send(FileHashKindsRequest())
      let table = TextTable(
        heads: ["KIND", "BYTES", "AS"], rows: kinds.map { [BoardText.line("\($0.kind)", limit: 40), "\($0.size)", $0.isBytes ? "bytes" : "a number"] })
      let list = kinds.map { JSONText.object([.init("type", .text("\($0.kind)")), .init("size", .of($0.size)), .init("is_bytes", .bool($0.isBytes))]) }
      return SMPReport(kinds.isEmpty ? ["the board computes no hash"] : table.lines, [.init("types", .list(list))])
    default:
      try await send(FileCloseRequest())
      return .done("the board has no file open")
    }
  }

  private static func report(_ hash: FileHash, of path: String) -> SMPReport {
    let value =
      switch hash.output {
      case .bytes(let bytes): bytes.hex
      case .number(let number): String(repeating: "0", count: max(0, 8 - String(number, radix: 16).count)) + String(number, radix: 16)
      }
    return .values([
      ("path", path.escaped(limit: 200), .text(path)), ("type", BoardText.line("\(hash.kind)", limit: 40), .text("\(hash.kind)")),
      ("offset", "\(hash.offset)", .of(hash.offset)), ("bytes", "\(hash.length)", .of(hash.length)), ("value", value, .text(value)),
    ])
  }

  private func upload(_ file: String, to path: String) async throws -> SMPReport {
    let content = try await LocalFile.read(file)
    let receipt = try await client.upload(content, to: path)
    let how: String =
      switch (receipt.check, receipt.isProven) {
      case (let kind?, _): "its \(kind) was read back and is right"
      case (nil, true): "its length was read back; the board computes no hash"
      case (nil, false): "the board acknowledged all of them, and tells neither length nor hash of a file"
      }
    let resumed = receipt.resumedFrom.map { $0 == receipt.length ? ", all of them were there already" : ", \($0) of them were there already" } ?? ""
    return SMPReport(
      ["\(path.escaped(limit: 200)) has \(receipt.length) bytes\(resumed); \(how)"],
      [
        .init("file", .text(file)), .init("path", .text(path)), .init("bytes", .of(receipt.length)), .init("resumed_from", .of(receipt.resumedFrom)),
        .init("check", .of(receipt.check?.rawValue)), .init("proven", .bool(receipt.isProven)), .init("retries", .of(receipt.recoveries)),
      ])
  }

  private func download(_ path: String, into file: String) async throws -> SMPReport {
    let fetched = try await client.download(path)
    try await LocalFile.write(fetched.bytes, to: file)
    let how = fetched.check.map { "its \($0) is that of the board's file" } ?? "the board computes no hash to compare"
    return SMPReport(
      ["\(file.escaped(limit: 200)) has \(fetched.bytes.count) bytes; \(how)"],
      [
        .init("path", .text(path)), .init("file", .text(file)), .init("bytes", .of(fetched.bytes.count)), .init("check", .of(fetched.check?.rawValue)),
      ])
  }
}

/// A file on this computer; reading and writing block, so they get a thread of their own.
enum LocalFile {
  static func read(_ path: String) async throws(ProgramError) -> [UInt8] {
    let limit = FileUploadWindow.longestFile
    let result: Result<[UInt8], ProgramError> = try await onThread {
      let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
      if let size, size > limit { return .failure(.usage("\(path.escaped(limit: 4096)) has \(size) bytes", "send at most \(limit)")) }
      do {
        return .success([UInt8](try Data(contentsOf: URL(filePath: path))))
      } catch {
        return .failure(.usage("\(path.escaped(limit: 4096)) cannot be read", "check that it exists and may be read"))
      }
    }
    return try result.get()
  }

  /// By a temporary file that takes the name at the end, so that a half file never has it.
  static func write(_ bytes: [UInt8], to path: String) async throws(ProgramError) {
    let result: Result<Void, ProgramError> = try await onThread {
      do {
        return .success(try Data(bytes).write(to: URL(filePath: path), options: .atomic))
      } catch {
        return .failure(.fault("\(path.escaped(limit: 4096)) cannot be written", "check its folder and the space on the disk", .diskFailed))
      }
    }
    try result.get()
  }

  private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws(ProgramError) -> Value {
    do throws(ReactorError) {
      return try await ownThread(named: "file", body)
    } catch {
      throw .fault("the system has no thread left (\(error.description))", "end other programs and try again")
    }
  }
}
