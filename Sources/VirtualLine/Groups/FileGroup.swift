/// Group 8 as a server: a file system in memory, mounted at `/lfs`, with the habits of Zephyr's (smp.md §3.5).
///
/// One file is open at a time. An upload is counted while its file is open: a first piece that is sent again without closing is counted on top, although the
/// file begins anew. A piece at another offset than the file's length is refused with that length, and the file closed.
struct FileGroup: Sendable {
  static let number: UInt16 = 8
  static let mount = "/lfs/"
  /// Bytes of a path, as Zephyr's `MCUMGR_GRP_FS_PATH_LEN`.
  private static let pathLimit = 64

  /// Error numbers of the group (smp.md §1.5).
  private enum Fault {
    static let notFound = 3
    static let isDirectory = 4
    static let writeFailed = 10
    static let offsetInvalid = 11
    static let offsetBeyondEnd = 12
    static let hashUnknown = 13
    static let noMountPoint = 14
    static let empty = 16
  }

  private struct Session: Sendable {
    var name: String
    /// Bytes that the server believes the file to have; 0 is not known yet.
    var counted = 0
    var length: Int?
  }

  private let settings: BoardSettings
  private var files: [String: [UInt8]] = [:]
  private var session: Session?

  init(settings: BoardSettings) {
    self.settings = settings
  }

  var count: Int { files.count }

  mutating func close() { session = nil }

  mutating func handle(_ frame: ServerFrame, _ body: RequestMap) throws(Refusal) -> [ReplyField] {
    switch (frame.operation, frame.command) {
    case (ServerFrame.write, 0): return try upload(frame, body)
    case (ServerFrame.read, 0): return try download(body)
    case (ServerFrame.read, 1) where settings.groups.fileStatus: return [ReplyField("len", .unsigned(UInt64(try file(try name(body)).count)))]
    case (ServerFrame.read, 2) where !settings.groups.hashes.isEmpty: return try hash(body)
    case (ServerFrame.read, 3) where !settings.groups.hashes.isEmpty: return [ReplyField("types", .map(settings.groups.hashes.map(Self.kind)))]
    case (ServerFrame.write, 4):
      close()
      return []
    default: throw .status(8)
    }
  }

  private func fail(_ code: Int) -> Refusal { .group(Self.number, code) }

  private func name(_ body: RequestMap) throws(Refusal) -> String {
    guard let name = try body.text("name"), !name.isEmpty, name.utf8.count <= Self.pathLimit else { throw .status(3) }
    return name
  }

  private func file(_ name: String) throws(Refusal) -> [UInt8] {
    if name == "/lfs" || name == Self.mount { throw fail(Fault.isDirectory) }
    guard let content = files[name] else { throw fail(Fault.notFound) }
    return content
  }

  // MARK: Upload

  private mutating func upload(_ frame: ServerFrame, _ body: RequestMap) throws(Refusal) -> [ReplyField] {
    guard let offset = try body.unsigned("off") else { throw .status(3) }
    let (name, length, data) = (try name(body), try body.unsigned("len"), try body.bytes("data") ?? [])
    guard offset > 0 || length != nil else { throw .status(3) }
    guard name.hasPrefix(Self.mount), name.utf8.count > Self.mount.utf8.count else { throw fail(Fault.noMountPoint) }
    var open = session?.name == name ? session ?? Session(name: name) : Session(name: name)
    var content = files[name] ?? []
    if offset == 0 {
      open.length = length
      // An empty piece does not shorten a file that is there.
      if !data.isEmpty { content = [] }
    } else {
      if open.counted == 0 { open.counted = content.count }
      guard offset == open.counted else {
        close()
        let version: UInt8 = settings.smpVersion >= 2 ? min(frame.version, 1) : 0
        return fail(Fault.offsetInvalid).reply(version: version) + [ReplyField("len", .unsigned(UInt64(open.counted)))]
      }
    }
    guard used(without: name) + content.count + data.count <= settings.groups.fileSpace else {
      close()
      throw fail(Fault.writeFailed)
    }
    files[name] = content + data
    open.counted += data.count
    session = open.counted == open.length ? nil : open
    return [ReplyField("off", .unsigned(UInt64(open.counted)))]
  }

  private func used(without name: String) -> Int {
    files.reduce(0) { $0 + ($1.key == name ? 0 : $1.value.count) }
  }

  // MARK: Download

  private func download(_ body: RequestMap) throws(Refusal) -> [ReplyField] {
    guard let offset = try body.unsigned("off") else { throw .status(3) }
    let content = try file(try name(body))
    // What a buffer holds beside the head, both keys and the length.
    let room = max(1, settings.bufferSize - 48)
    let size = settings.groups.downloadChunk > 0 ? min(settings.groups.downloadChunk, room) : room
    let piece = offset < content.count ? Array(content[offset..<min(content.count, offset + size)]) : []
    let head = [ReplyField("off", .unsigned(UInt64(offset))), ReplyField("data", .bytes(piece))]
    return head + (offset == 0 ? [ReplyField("len", .unsigned(UInt64(content.count)))] : [])
  }

  // MARK: Hashes

  private func hash(_ body: RequestMap) throws(Refusal) -> [ReplyField] {
    let kind = try body.text("type") ?? settings.groups.hashes[0]
    let (offset, length) = (try body.unsigned("off") ?? 0, try body.unsigned("len"))
    guard length != 0 else { throw .status(3) }
    guard settings.groups.hashes.contains(kind) else { throw fail(Fault.hashUnknown) }
    let content = try file(try name(body))
    guard offset < content.count else { throw fail(content.isEmpty ? Fault.empty : Fault.offsetBeyondEnd) }
    let part = content[offset...].prefix(length ?? content.count)
    let output: ReplyValue = kind == "crc32" ? .unsigned(UInt64(Checksums.crc32(part))) : .bytes(ImageDigest.sha256.digest(part))
    return [ReplyField("type", .text(kind))] + (offset == 0 ? [] : [ReplyField("off", .unsigned(UInt64(offset)))])
      + [ReplyField("len", .unsigned(UInt64(part.count))), ReplyField("output", output)]
  }

  private static func kind(_ name: String) -> ReplyField {
    let isBytes = name == "sha256"
    return ReplyField(name, .map([ReplyField("format", .unsigned(isBytes ? 1 : 0)), ReplyField("size", .unsigned(isBytes ? 32 : 4))]))
  }
}
