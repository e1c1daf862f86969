/// Whose fault a failure is, for counting: only the board's own count against `attempts`, quarantine and yield.
public enum Blame: String, Hashable, Sendable {
  case board, station, nobody
}

/// One row of the failure table: what a `failure_code` means for the board and for the operator.
///
/// The README prints this table and a test compares the two.
public struct FailureRule: Hashable, Sendable {
  public var code: FailureCode
  public var outcome: Outcome
  /// Whether the same board is tried again in this batch while its limit lasts.
  public var isRetried: Bool
  public var blames: Blame
  /// What the operator can do, in one sentence.
  public var remedy: String

  /// The row of a code.
  public static func of(_ code: FailureCode) -> FailureRule {
    let (outcome, retried, remedy) = row(code)
    let blames: Blame =
      switch outcome {
      case .failed, .timeout: .board
      case .error: .station
      case .passed, .skipped, .refused, .aborted: .nobody
      }
    return FailureRule(code: code, outcome: outcome, isRetried: retried, blames: blames, remedy: remedy)
  }

  /// All rows, in the order of the vocabulary.
  public static var all: [FailureRule] { FailureCode.allCases.map(of) }

  private static func row(_ code: FailureCode) -> (Outcome, Bool, String) {
    let family = code.rawValue.prefix { $0 != "." }
    return switch family {
    case "identity", "policy": refusal(code)
    case "link", "smp": talk(code)
    case "dfu": bootloader(code)
    case "image", "verify", "board": image(code)
    default: station(code)
    }
  }

  private static func refusal(_ code: FailureCode) -> (Outcome, Bool, String) {
    switch code {
    case .identityUnreadable:
      (.refused, false, "The board does not tell what it is. Check that the profile's [identity] fits boards of this kind.")
    case .identityModel: (.refused, false, "This is another model. Take it off the line, or use the profile that fits it.")
    case .identityHardware: (.refused, false, "This is another hardware revision. Take it off the line, or use the profile that fits it.")
    case .identityManufacturer: (.refused, false, "This board is from another maker. Take it off the line.")
    case .identitySerialMissing: (.refused, false, "The board has no serial number. Have it programmed before it is flashed.")
    case .identitySerialTwice: (.refused, false, "Another board has the same serial number. Give both to quality assurance.")
    case .identitySerialOther: (.refused, false, "The board carries another serial number than the list has for its address. Check both.")
    case .identityPrivateAddress: (.refused, false, "The board changes its address, so it cannot be traced. Use firmware with a fixed address.")
    case .policyTwoProfiles: (.refused, false, "Two profiles of this job match the board. Make their [match] sections disjoint.")
    case .policyQuarantined: (.refused, false, "The board failed too often. Have it examined, then lift the quarantine with: flashline flash ADDRESS.")
    case .policyNotListed: (.refused, false, "The board is not on the list of this job. Take it off the line, or add it to the list.")
    case .policyDowngrade: (.refused, false, "The board runs newer firmware. Set allow_downgrade = yes in the profile if that is meant.")
    case .policyBootloader: (.refused, false, "The board's bootloader needs another way of updating. Use a profile and package made for it.")
    case .policyNoFirmware: (.refused, false, "There is no firmware for this board. Refresh the catalogue, or check that the profile fits boards of this kind.")
    case .policyWrongPackage: (.refused, false, "The package is not made for this board. Use the one that fits its model and hardware revision.")
    case .policyNotStranded: (.refused, false, "The board runs an application. Update it with: flashline run.")
    default: (.refused, false, "The bootloader cannot go back to the old firmware, so it cannot run on trial. Choose another upgrade mode.")
    }
  }

  private static func talk(_ code: FailureCode) -> (Outcome, Bool, String) {
    switch code {
    case .linkConnect: (.failed, true, "Check the board's power and antenna, and move it closer to the adapter.")
    case .linkConnectTimeout: (.timeout, true, "Check the board's power, and that nothing else is connected to it.")
    case .linkLost: (.failed, true, "Check the board's power and its distance to the adapter.")
    case .linkNoSMP: (.failed, true, "The board offers no SMP service. Check that its application has MCUmgr over Bluetooth.")
    case .linkNotPermitted: (.failed, false, "The board demands pairing. Set [board] pairing in the profile.")
    case .linkPairing: (.failed, true, "The board could not be paired. Check [board] pairing and passkey in the profile, and that the board may be paired.")
    case .linkMTU: (.failed, false, "The board's packets are too small for an upload. Enlarge its L2CAP MTU, or build it with SMP reassembly.")
    case .smpTimeout: (.timeout, true, "The board stopped answering. Switch it off and on.")
    case .smpError: (.failed, true, "The board refused a command. The message names its reason.")
    case .smpMalformed: (.failed, true, "The board's answers make no sense. Check its firmware, and for another station that talks to it.")
    case .smpBusy: (.failed, true, "The board stayed busy. Switch it off and on.")
    case .smpNoMemory: (.failed, true, "The board has no memory for requests. Lower [upgrade] pipeline_depth in the profile.")
    default: (.failed, false, "The board's firmware lacks a command that the update needs. Check how its application was built.")
    }
  }

  private static func bootloader(_ code: FailureCode) -> (Outcome, Bool, String) {
    switch code {
    case .dfuNoService: (.failed, true, "The board offers no DFU service. Switch it off and on; check that the profile's family fits it.")
    case .dfuUnidentified:
      (.failed, true, "The bootloader does not tell what board it is. Switch it off and on; if it stays so, give it to QA.")
    case .dfuNotEntered: (.failed, true, "The board did not enter its bootloader. Switch it off and on.")
    case .dfuNoAnswer: (.timeout, true, "The bootloader stopped answering. Switch the board off and on.")
    case .dfuStalled: (.timeout, true, "The upload came to a stop. Check the distance to the adapter, and switch the board off and on.")
    case .dfuBytesLost: (.failed, true, "Packets were lost on the way. Check the distance to the adapter; lower [rescue] packet_receipt in the profile.")
    case .dfuRejected: (.failed, false, "The bootloader refused the package. Use the one made for this board and this bootloader.")
    case .dfuTooLarge: (.failed, false, "The image does not fit into the board. Use the package made for this board.")
    case .dfuNotValid: (.failed, true, "The bootloader found the image damaged after the upload. Another time, the package or the flash is bad.")
    default: (.failed, true, "The bootloader refused a command. The message names its reason.")
    }
  }

  private static func image(_ code: FailureCode) -> (Outcome, Bool, String) {
    switch code {
    case .imageStalled: (.timeout, true, "The upload came to a stop. Check the distance to the adapter, and switch the board off and on.")
    case .imageNoSlot: (.failed, true, "The board has no free slot for the image. Switch it off and on, then try again.")
    case .imageTooLarge: (.failed, false, "The image does not fit into the board's slot. Use the package made for this board.")
    case .imageRefused: (.failed, false, "The board refused the image. Use the package made for this board.")
    case .imageMismatch: (.failed, true, "The board stored something else than was sent. If it happens again, its flash memory is bad.")
    case .imageFlash: (.failed, true, "The board could not write its flash memory. If it happens again, the board is defective.")
    case .imageResourceMissing:
      (.failed, false, "The board asks for a file that the package lacks. Use a package that holds everything that its envelope names.")
    case .verifyNotStored: (.failed, true, "After the upload the board does not list the image. If it happens again, its flash memory is bad.")
    case .verifyNotPending: (.failed, true, "The board did not mark the image for the next start. Check its bootloader's settings.")
    case .verifyReverted: (.failed, true, "The new firmware did not stay: the board went back to the old one. Check that this firmware starts on this board.")
    case .verifyNotSwapped: (.failed, true, "The bootloader did not take the image. Check its signing key and that the image fits.")
    case .verifyOtherFirmware: (.failed, true, "The board came back with firmware that nobody sent. Take it off the line.")
    case .verifyNotConfirmed: (.failed, true, "The new firmware runs but could not be confirmed: the next start reverts it.")
    case .verifyNeverReturned: (.timeout, true, "After the restart the board did not come back. Look at it with a debugger.")
    case .verifyOtherBoard: (.failed, false, "After the restart another board answered at this address. Give both to quality assurance.")
    case .verifyNoEnd: (.failed, true, "The board's state never settled. Look at it with a debugger.")
    case .verifyStillBootloader: (.failed, true, "The image was taken, but the board came back in its bootloader. Check that it is made for this board.")
    case .verifyBootloaderUnchanged: (.failed, true, "The bootloader was flashed and still tells its old version. Give the board to quality assurance.")
    case .verifyNotInstalled:
      (.failed, true, "The board took the SUIT package but did not install it. Check its signature, and that it is made for this board.")
    case .boardAbsent: (.timeout, true, "The board was heard and is gone. Check its power.")
    default: (.timeout, true, "The board took too long. Switch it off and on, or raise [limits] board_timeout.")
    }
  }

  private static func station(_ code: FailureCode) -> (Outcome, Bool, String) {
    switch code {
    case .adapterRemoved: (.error, true, "Plug the adapter in; a board in hand is given to another one. flashline adapters tells why one cannot be used.")
    case .adapterFailed: (.error, true, "Unplug the adapter and plug it in again.")
    case .busGone: (.error, true, "Check that bluetoothd and D-Bus run: systemctl status bluetooth dbus.")
    case .diskFailed: (.error, true, "Make room on the disk and check that the database and report folders can be written.")
    case .stationInternal: (.error, true, "This is a defect of Flashline. Please report it with the message.")
    case .stationPackage: (.error, true, "A file of the mirror is missing or changed: flashline catalog refresh. Or no release came: start again later.")
    case .stationBusy: (.error, true, "Another job uses this database. Wait until it is over, or give this one a database of its own.")
    case .stationCrashed: (.aborted, true, "The station stopped during this attempt. Start the same command again: it goes on where it was.")
    case .operatorPaused: (.aborted, true, "The pause was longer than [limits] pause_timeout. Start the same command again: it goes on where it was.")
    default: (.aborted, true, "Start the same command again: it goes on where it was.")
    }
  }
}
