import Catalogue
import FoundationEssentials
import Glibc

// What is written down of artefacts, and copies of them for people.

extension ArtefactStore {
  /// What is written down of an artefact for a question; nil when nothing is, or nothing that can be believed.
  public func pin(of sha256: String, for question: ArtefactPin.Question) -> ArtefactPin? {
    guard let path = try? pinPath(sha256, question) else { return nil }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: ArtefactPin.sizeLimit + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return ArtefactPin(json: Array(bytes.prefix(count)), of: sha256, for: question)
  }

  /// Writes it down, so that a batch can go on with this artefact.
  public func keep(_ pin: ArtefactPin) throws(OTAError) {
    let path: String
    do throws(FileHash.Failure) { path = try pinPath(pin.sha256, pin.question) } catch { throw OTAError(error, folder, limits.size) }
    guard self.pin(of: pin.sha256, for: pin.question) != pin else { return }
    guard let json = pin.json() else { throw .transport(.cannotWrite("\(path): it cannot be written as JSON")) }
    try Self.makeFolder(pinFolder)
    try replace(path) { descriptor throws(OTAError) in try Self.write(json[...], to: descriptor, path) }
  }

  /// Copies an artefact to where somebody wants it; the copy is checked, too, and replaces a file only then.
  public func copy(_ sha256: String, to file: String) async throws(OTAError) {
    let source = open(path(of: sha256), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard source >= 0 else { throw .transport(.cannotRead("\(path(of: sha256)): \(String(cString: strerror(errno)))")) }
    defer { close(source) }
    let draft = try write(beside: file) { descriptor throws(OTAError) in
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(source, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .transport(.cannotRead(String(cString: strerror(errno)))) }
        guard count > 0 else { return }
        try Self.write(piece.prefix(count), to: descriptor, file)
      }
    }
    let got = try await digest(draft) ?? "nothing"
    guard got == sha256 else {
      unlink(draft)
      throw .wrongDigest(expected: sha256, got: got)
    }
    guard rename(draft, file) == 0 else {
      let failure = ArtefactPart.failure(file)
      unlink(draft)
      throw failure
    }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ file: String) throws(OTAError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ArtefactPart.failure(file) }
      rest = rest.dropFirst(count)
    }
  }

  private func replace(_ file: String, _ body: (Int32) throws(OTAError) -> Void) throws(OTAError) {
    let draft = try write(beside: file, body)
    guard rename(draft, file) == 0 else {
      let failure = ArtefactPart.failure(file)
      unlink(draft)
      throw failure
    }
    ArtefactPart.flushFolder(pinFolder)
  }

  /// A new file beside another, on the disk when it returns; nothing is left of one that failed.
  private func write(beside file: String, _ body: (Int32) throws(OTAError) -> Void) throws(OTAError) -> String {
    let draft = "\(file).\(getpid()).part"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw ArtefactPart.failure(file) }
    defer { close(descriptor) }
    do throws(OTAError) {
      try body(descriptor)
      guard fsync(descriptor) == 0 else { throw ArtefactPart.failure(file) }
    } catch {
      unlink(draft)
      throw error
    }
    return draft
  }

  private var pinFolder: String { folder + ".pins" }

  private func pinPath(_ sha256: String, _ question: ArtefactPin.Question) throws(FileHash.Failure) -> String {
    guard FileHash.isHash(sha256) else { throw .unreadable(EINVAL) }
    return "\(pinFolder)/\(sha256)-\(try question.mark()).json"
  }
}
