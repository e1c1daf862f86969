import NordicDFU

extension BoardFailure {
  /// What the room NordicDFU says of a transfer or of the way into the bootloader.
  ///
  /// - Parameter isUntouched: nothing was written to the board in this attempt.
  init(dfu failure: DFUFailure, in phase: Phase, isUntouched: Bool) {
    let code: FailureCode =
      switch failure {
      case .partInvalid: isUntouched ? .policyWrongPackage : .dfuRejected
      case .legacyRefused(.start, status: LegacyStatus.sizeExceedsLimit.rawValue): .dfuTooLarge
      case .secureRefused(_, _, .extended(.insufficientSpace)): .dfuTooLarge
      case .initPacketRefused: .dfuRejected
      case .legacyRefused, .secureRefused: Self.code(failure.recovery)
      case .entryRefused, .stillApplication, .silent(.handoff, _): .dfuNotEntered
      case .bytesLost, .checksumWrong: .dfuBytesLost
      case .objectSizeUnusable, .answerTooShort, .writeRefused: .dfuError
      case .silent(.receipt, _): .dfuStalled
      case .silent: .dfuNoAnswer
      case .linkLost: .linkLost
      case .noBootloader: .dfuNoService
      case .cancelled: .operatorStopped
      }
    self.init(code, in: phase, failure.description)
  }

  private static func code(_ recovery: DFURecovery) -> FailureCode {
    switch recovery {
    case .package: .dfuRejected
    case .verify: .dfuNotValid
    case .again, .gentler, .never: .dfuError
    }
  }
}
