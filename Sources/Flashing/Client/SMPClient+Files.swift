public import SMP

/// What became of a file that was sent to a board.
public struct FileReceipt: Hashable, Sendable {
  /// Bytes of the file.
  public var length: Int
  /// Where an earlier upload was continued; nil when it began at the first byte, `length` when the board had the whole file.
  public var resumedFrom: Int?
  /// By what both sides were compared afterwards; nil when the board computes no hash.
  public var check: FileHashKind?
  /// True when the board said that its file has this length, or its hash was the same; false when its firmware tells neither.
  public var isProven: Bool
  /// Losses, waits and restarts that were got over.
  public var recoveries = 0
}

/// A file that was fetched from a board.
public struct FetchedFile: Hashable, Sendable {
  public var bytes: [UInt8]
  /// By what both sides were compared afterwards; nil when the board computes no hash.
  public var check: FileHashKind?
}

extension SMPClient {
  /// Writes a file on the board and reads back that it is there: its length, and its hash where the board computes one.
  ///
  /// A file that the board has already, or the beginning of it, is not sent again when a hash proves that it is the same. Throws `SMPClientError` or
  /// `CancellationError`. A file that was cut off stays on the board, and is continued by the next upload.
  /// - Parameters:
  ///   - name: the file's path on the board.
  ///   - progress: is told the bytes that the board acknowledged.
  public func upload(_ content: [UInt8], to name: String, progress: @escaping @Sendable (Int) -> Void = { _ in }) async throws -> FileReceipt {
    let size = try await limits().requestSize
    guard FileChunkSizer(length: content.count, name: name, requestSize: size).fits else { throw SMPClientError.file(.requestTooSmall(requestSize: size)) }
    let comparison = FileComparison(client: self, name: name)
    let present = try await comparison.commonBeginning(with: content)
    var receipt = FileReceipt(length: content.count, resumedFrom: present > 0 ? present : nil, isProven: false)
    if present < content.count || content.isEmpty {
      let upload = FileSending(client: self, name: name, content: content, progress: progress)
      receipt.recoveries = try await upload.run(from: present)
    }
    // An upload that was continued is not closed by the board itself (smp.md §3.5); firmware that cannot close refuses.
    _ = try? await send(FileCloseRequest())
    try Task.checkCancellation()
    (receipt.isProven, receipt.check) = try await comparison.prove(content)
    return receipt
  }

  /// Reads a file of the board, and compares its hash where the board computes one. Throws `SMPClientError` or `CancellationError`.
  ///
  /// - Parameters:
  ///   - beginning: what an earlier download got of the file; it is taken when a hash proves that the file still begins so.
  ///   - longest: bytes of the longest file that is fetched; a longer one is refused before it is kept.
  ///   - progress: is told the bytes that are here.
  public func download(
    _ name: String, after beginning: [UInt8] = [], longest: Int = FileDownload.Settings().longestFile,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> FetchedFile {
    let comparison = FileComparison(client: self, name: name)
    var settings = FileDownload.Settings()
    settings.longestFile = longest
    var machine = FileDownload(settings: settings)
    var bytes: [UInt8] = []
    if !beginning.isEmpty, let length = try await comparison.length(), beginning.count < length, try await comparison.begins(with: beginning) {
      machine = FileDownload(settings: settings, received: beginning.count, length: length)
      bytes = beginning
    }
    try await FileFetching(client: self, name: name, progress: progress).run(&machine, into: &bytes)
    return FetchedFile(bytes: bytes, check: try await comparison.check(bytes))
  }
}
