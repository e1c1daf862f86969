import SMP

/// Moves one file from a board: asks for what `FileDownload` asks for, and keeps what it says.
struct FileFetching: Sendable {
  let client: SMPClient
  let name: String
  let progress: @Sendable (Int) -> Void

  /// Returns when every byte is there. Throws `SMPClientError` or `CancellationError`.
  func run(_ download: inout FileDownload, into bytes: inout [UInt8]) async throws {
    var actions = download.start()
    var piece: [UInt8] = []
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .read(let id, let offset, let limit):
        do {
          let answer = try await client.send(FileDownloadRequest(name: name, offset: offset), limit: limit)
          piece = answer.data
          actions += download.answered(id, offset: answer.offset, count: answer.data.count, length: answer.length)
        } catch SMPClientError.refused(let error) {
          actions += download.refused(id, error)
        } catch SMPClientError.silent {
          actions += download.timedOut(id)
        }
      case .keep(let count):
        bytes += piece.prefix(count)
        progress(bytes.count)
      case .wait(let pause):
        try await client.time.sleep(pause)
        actions += download.waited()
      case .finished: return
      case .failed(let failure): throw SMPClientError.file(failure)
      }
    }
  }
}
