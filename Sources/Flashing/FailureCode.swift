/// The closed vocabulary of `failure_code`: added to, never renamed (contract §4). What each means for a board stands in `FailureRule`.
public enum FailureCode: String, Hashable, Sendable, CaseIterable {
  // refused: nothing was written and nothing will be
  case identityUnreadable = "identity.unreadable"
  case identityModel = "identity.model"
  case identityHardware = "identity.hardware"
  case identityManufacturer = "identity.manufacturer"
  case identitySerialMissing = "identity.serial_missing"
  case identitySerialTwice = "identity.serial_twice"
  case identityPrivateAddress = "identity.private_address"
  case identitySerialOther = "identity.serial_other"
  case policyTwoProfiles = "policy.two_profiles"
  case policyQuarantined = "policy.quarantined"
  case policyNotListed = "policy.not_listed"
  case policyDowngrade = "policy.downgrade"
  case policyBootloader = "policy.bootloader"
  case policyNoRevert = "policy.no_revert"
  case policyNoFirmware = "policy.no_firmware"
  case policyWrongPackage = "policy.wrong_package"
  case policyNotStranded = "policy.not_stranded"
  // failed or timeout: the board's fault
  case linkConnect = "link.connect"
  case linkConnectTimeout = "link.connect_timeout"
  case linkLost = "link.lost"
  case linkNoSMP = "link.no_smp"
  case linkNotPermitted = "link.not_permitted"
  case linkPairing = "link.pairing"
  case linkMTU = "link.mtu"
  case smpTimeout = "smp.timeout"
  case smpError = "smp.error"
  case smpMalformed = "smp.malformed"
  case smpBusy = "smp.busy"
  case smpNoMemory = "smp.no_memory"
  case smpNotSupported = "smp.not_supported"
  case dfuNoService = "dfu.no_service"
  case dfuUnidentified = "dfu.unidentified"
  case dfuNotEntered = "dfu.not_entered"
  case dfuNoAnswer = "dfu.no_answer"
  case dfuStalled = "dfu.stalled"
  case dfuBytesLost = "dfu.bytes_lost"
  case dfuRejected = "dfu.rejected"
  case dfuTooLarge = "dfu.too_large"
  case dfuNotValid = "dfu.not_valid"
  case dfuError = "dfu.error"
  case imageStalled = "image.stalled"
  case imageNoSlot = "image.no_slot"
  case imageTooLarge = "image.too_large"
  case imageRefused = "image.refused"
  case imageMismatch = "image.mismatch"
  case imageFlash = "image.flash"
  case verifyNotStored = "verify.not_stored"
  case verifyNotPending = "verify.not_pending"
  case verifyReverted = "verify.reverted"
  case verifyNotSwapped = "verify.not_swapped"
  case verifyOtherFirmware = "verify.other_firmware"
  case verifyNotConfirmed = "verify.not_confirmed"
  case verifyNeverReturned = "verify.never_returned"
  case verifyOtherBoard = "verify.other_board"
  case verifyNoEnd = "verify.no_end"
  case verifyStillBootloader = "verify.still_bootloader"
  case verifyBootloaderUnchanged = "verify.bootloader_unchanged"
  case boardAbsent = "board.absent"
  case boardTimeout = "board.timeout"
  // error: the station's fault
  case adapterRemoved = "adapter.removed"
  case adapterFailed = "adapter.failed"
  case busGone = "bus.gone"
  case diskFailed = "disk.failed"
  case stationInternal = "station.internal"
  case stationBusy = "station.busy"
  case stationPackage = "station.package"
  // aborted
  case stationCrashed = "station.crashed"
  case operatorStopped = "operator.stopped"
  case operatorPaused = "operator.paused"
}

/// Why one attempt did not end well: where, what, and in which words.
public struct BoardFailure: Error, Hashable, Sendable {
  public var code: FailureCode
  public var phase: Phase
  /// One sentence in an operator's words, with the numbers that were read.
  public var message: String
  /// The last offset that the board had acknowledged, when an upload was under way.
  public var offset: Int?

  public init(_ code: FailureCode, in phase: Phase, _ message: String, offset: Int? = nil) {
    self.code = code
    self.phase = phase
    self.message = message
    self.offset = offset
  }
}
