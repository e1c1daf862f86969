/// The byte after `0B` in a response of Secure DFU (nordic-dfu.md §3.3).
public enum SecureExtendedError: UInt8, Hashable, Sendable, CaseIterable {
  case noError = 0x00
  case invalidErrorCode = 0x01
  case wrongCommandFormat = 0x02
  case unknownCommand = 0x03
  case initCommandInvalid = 0x04
  /// An application's must not be lower than the present one, a bootloader's must be higher.
  case firmwareVersionTooLow = 0x05
  case hardwareVersionMismatch = 0x06
  case softDeviceMismatch = 0x07
  case signatureMissing = 0x08
  case wrongHashType = 0x09
  case hashFailed = 0x0A
  case wrongSignatureType = 0x0B
  case verificationFailed = 0x0C
  case insufficientSpace = 0x0D
  case firmwareAlreadyPresent = 0x0E

  public var recovery: DFURecovery {
    switch self {
    case .noError, .invalidErrorCode: .gentler
    case .hashFailed, .verificationFailed: .verify
    case .wrongCommandFormat, .unknownCommand, .initCommandInvalid, .firmwareVersionTooLow, .hardwareVersionMismatch, .softDeviceMismatch,
      .signatureMissing, .wrongHashType, .wrongSignatureType, .insufficientSpace, .firmwareAlreadyPresent:
      .package
    }
  }

  /// What the board says, for an operator.
  public var sentence: String {
    switch self {
    case .noError: "an error without a reason"
    case .invalidErrorCode: "an error whose reason is invalid"
    case .wrongCommandFormat: "the init packet's format is wrong"
    case .unknownCommand: "the init packet's command is unknown"
    case .initCommandInvalid: "the init packet lacks a field or has an invalid one"
    case .firmwareVersionTooLow: "the firmware's version is too low: the board has a newer one"
    case .hardwareVersionMismatch: "the firmware is for another hardware version"
    case .softDeviceMismatch: "the firmware needs another SoftDevice than the board has"
    case .signatureMissing: "the package is not signed"
    case .wrongHashType: "the package's hash is of a kind that the board does not take"
    case .hashFailed: "the hash of the received image could not be computed"
    case .wrongSignatureType: "the package's signature is of a kind that the board does not take"
    case .verificationFailed: "the received image does not have the hash that its init packet names"
    case .insufficientSpace: "the board has not enough room for the image"
    case .firmwareAlreadyPresent: "the board has this firmware, or a newer one, already"
    }
  }
}
