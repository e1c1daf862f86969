import Catalogue
import FoundationEssentials

/// One request with chunks, and what the answer means.
struct ChunkPost: Sendable {
  /// Bytes of an answer's text that are read, so that the connection can be used again; nobody looks at them.
  static let answerLimit = 64 << 10

  let session: HTTPSession
  /// Seconds since 1970, for a `Retry-After` that is a date.
  let wall: @Sendable () -> Int64

  /// - Returns: nil when the task was cancelled before an answer came.
  func send(_ batch: OutgoingBatch, roll: () -> UInt64) async -> UploadCourse.Answer? {
    switch await session.deliver(Self.request(batch, roll: roll)) {
    case .answered(let answer): return Self.answer(answer, now: wall())
    case .unsent(let error): return .failed(reason: error.description)
    case .lost(.cancelled) where Task.isCancelled: return nil
    case .lost(let error): return .lost(reason: error.description)
    }
  }

  static func request(_ batch: OutgoingBatch, roll: () -> UInt64) -> HTTPRequest {
    var request = HTTPRequest(method: "POST", url: batch.destination.url, sink: .nowhere, limit: answerLimit)
    if batch.chunks.count == 1 {
      request.fields["Content-Type"] = "application/octet-stream"
      request.body = batch.chunks[0].data
    } else {
      let body = MultipartBody(batch.chunks.map(\.data), roll: roll)
      request.fields["Content-Type"] = body.contentType
      request.body = body.bytes
    }
    request.fields[batch.destination.headerName] = batch.destination.key.secret
    return request
  }

  static func answer(_ answer: HTTPAnswer, now: Int64) -> UploadCourse.Answer {
    let status = answer.status
    switch status {
    case 200...299: return .taken
    case 429, 503: return .busy(status: status, after: answer.retryAfter(now: now))
    case 401, 403: return .forbidden(status: status)
    case 400, 413, 415: return .refused(status: status)
    case 300...399:
      return .failed(reason: "the server sends on to another address (status \(status)), where no key is sent: check the board's address for diagnostics")
    case 408, 500...599: return .failed(reason: "the server failed (status \(status)): tell whoever runs it, if it lasts")
    default: return .failed(reason: "the server answered with status \(status): check the board's address for diagnostics")
    }
  }
}
