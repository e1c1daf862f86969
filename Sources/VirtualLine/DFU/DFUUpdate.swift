/// What an image is for; the raw value is the type byte of Start (nordic-dfu.md §2.3).
enum DFUPart: UInt8, Hashable, Sendable, CaseIterable {
  case softDevice = 1
  case bootloader = 2
  case both = 3
  case application = 4

  /// As a manifest's key, and in the truth.
  var word: String {
    switch self {
    case .softDevice: "softdevice"
    case .bootloader: "bootloader"
    case .both: "softdevice_bootloader"
    case .application: "application"
    }
  }

  var hasSoftDevice: Bool { self == .softDevice || self == .both }
  var hasBootloader: Bool { self == .bootloader || self == .both }
}

/// An image that a bootloader has validated and is to use.
struct DFUUpdate: Hashable, Sendable {
  var part: DFUPart
  var image: [UInt8]
  /// `fw_version` of a Secure DFU init packet.
  var firmwareVersion: UInt32?
}

/// What a DFU machine wants its board to do.
enum DFUAction: Hashable, Sendable {
  /// A notification of the control point.
  case notify([UInt8])
  /// The write request at hand is answered: nil is success, else an ATT error code.
  case respond(UInt8?)
  case wake(Duration, DFUAlarm)
  /// Flash of the running application is gone.
  case applicationErased
  case dropLink(LinkEnd)
  /// Silence until the next link.
  case fallSilent
  case reset
  /// Power is away for so long, and RAM with it.
  case powerCut(Duration)
  case apply(DFUUpdate)
}

/// What a DFU machine waits for.
enum DFUAlarm: Hashable, Sendable {
  case erased
  case drained
  /// All is in flash.
  case written
  case leave
  case late([UInt8])
  case inactive(Int)
}
