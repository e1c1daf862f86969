import SMP

/// A request that carries a piece of something that is longer.
protocol PieceRequest: SMPRequest {
  static func answer(_ response: Response) -> PieceAnswer
}

/// What a board says after a piece.
struct PieceAnswer: Hashable, Sendable {
  /// The offset that it expects next.
  var offset: Int
  /// With the last piece, from boards that check: whether the whole is what was announced.
  var match: Bool?
}

/// What became of a piece.
enum PieceOutcome: Sendable {
  case answered(PieceAnswer)
  case refused(SMPResponseError)
  case timedOut
  case broken(any Error)

  init<Request: PieceRequest>(_ result: Result<Request.Response, any Error>, of _: Request.Type) {
    switch result {
    case .success(let response): self = .answered(Request.answer(response))
    case .failure(SMPSession.Failure.refused(let error)): self = .refused(error)
    case .failure(SMPSession.Failure.timedOut): self = .timedOut
    case .failure(let error): self = .broken(error)
    }
  }
}

extension SUITPieceRequest {
  static func answer(_ response: SUITPieceResponse) -> PieceAnswer { PieceAnswer(offset: response.offset) }
}

extension SUITEnvelopeRequest: PieceRequest {}
extension SUITCacheRequest: PieceRequest {}
extension SUITResourceRequest: PieceRequest {}

extension ImageUploadRequest: PieceRequest {
  static func answer(_ response: Response) -> PieceAnswer { PieceAnswer(offset: response.offset, match: response.match) }
}

extension FileUploadRequest: PieceRequest {
  static func answer(_ response: Int) -> PieceAnswer { PieceAnswer(offset: response) }
}
