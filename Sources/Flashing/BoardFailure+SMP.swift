import SMP

extension BoardFailure {
  /// A failed exchange in terms of the failure table.
  init(smp failure: SMPSession.Failure, in phase: Phase, during what: String, offset: Int? = nil) {
    switch failure {
    case .linkLost: self.init(.linkLost, in: phase, "the link was lost during \(what)", offset: offset)
    case .timedOut: self.init(.smpTimeout, in: phase, "the board did not answer during \(what)", offset: offset)
    case .malformed(let words): self.init(.smpMalformed, in: phase, "\(what): \(words)", offset: offset)
    case .refused(let error): self.init(Self.code(of: error), in: phase, "\(what): \(error)", offset: offset)
    }
  }

  /// Which row of the failure table a refusal belongs to (facts/smp.md §§1.3, 1.5).
  static func code(of error: SMPResponseError) -> FailureCode {
    if error.isBusy { return .smpBusy }
    if error.isNoMemory { return .smpNoMemory }
    if error.isUnsupported { return .smpNotSupported }
    guard case .group(let group) = error, let image = group.image else { return .smpError }
    switch image {
    case .noFreeSlot: return .imageNoSlot
    case .imageTooLarge: return .imageTooLarge
    case .headerMagicWrong, .firstChunkTooShort, .addressMismatch, .runningVersionNewer, .vectorTableInvalid: return .imageRefused
    case .flashOpen, .flashRead, .flashWrite, .flashErase: return .imageFlash
    default: return .smpError
    }
  }
}

extension BoardFailure {
  /// A failed upload in terms of the failure table.
  init(upload failure: UploadFailure, in phase: Phase) {
    let code: FailureCode =
      switch failure {
      case .imageTooShort: .imageRefused
      case .requestTooSmall: .linkMTU
      case .refused(let error, _): Self.code(of: error)
      case .silent: .smpTimeout
      case .noProgress: .imageStalled
      case .offsetUnexpected, .restartedTooOften: .smpMalformed
      case .mismatch: .imageMismatch
      }
    self.init(code, in: phase, failure.description)
  }
}
