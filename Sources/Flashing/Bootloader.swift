public import SMP

/// How a board's MCUboot brings a new image into use (facts/smp.md §3.1, command 8; facts/device-manager.md §1.5).
public enum Bootloader: Hashable, Sendable {
  /// The images change places, and one that is not confirmed is given up at the next start. Also assumed when a board tells no mode.
  case swap
  /// The new image replaces the old one; there is no way back.
  case overwrite
  /// Each image runs where it lies, and the one of the higher version is started; with `reverts` only one that was marked, and it is given up unless confirmed.
  case directXIP(reverts: Bool)
  /// As Direct-XIP without a way back, but one build fits both slots: the image is copied into RAM.
  case ramLoad
  /// A second program, the firmware loader, writes the slot of the application (bare metal).
  case firmwareLoader
  /// A way of updating that a running application cannot serve.
  case other(BootloaderMode)

  /// - Parameter mode: what the board told, or the profile assumes; nil when neither does.
  public init(_ mode: BootloaderMode?) {
    switch mode {
    case nil, .unknown: self = .swap
    case .overwriteOnly: self = .overwrite
    case .directXIP: self = .directXIP(reverts: false)
    case .directXIPWithRevert: self = .directXIP(reverts: true)
    case .ramLoad: self = .ramLoad
    case .firmwareLoader: self = .firmwareLoader
    case .some(let told): self = told.swaps ? .swap : .other(told)
    }
  }

  /// - Parameter number: MCUboot's, -1…9.
  public init(number: Int) { self.init(BootloaderMode(rawValue: number)) }

  /// Whether images are marked for a test or for good; others do not build the command (facts/smp.md §3.2, "State write").
  public var marksImages: Bool {
    switch self {
    case .swap, .overwrite, .directXIP(reverts: true): true
    case .directXIP, .ramLoad, .firmwareLoader, .other: false
    }
  }

  /// Whether an image that was not confirmed is given up at the next start.
  public var reverts: Bool { self == .swap || self == .directXIP(reverts: true) }

  /// Whether it starts the image of the higher version, so that an older one never runs (facts/smp.md §5).
  public var startsHigherVersion: Bool {
    switch self {
    case .directXIP, .ramLoad: true
    case .swap, .overwrite, .firmwareLoader, .other: false
    }
  }

  /// Whether each slot needs a build of its own.
  public var isDirectXIP: Bool {
    if case .directXIP = self { true } else { false }
  }

  /// A word for messages.
  public var words: String {
    switch self {
    case .swap: "a swap"
    case .overwrite: BootloaderMode.overwriteOnly.description
    case .directXIP(reverts: false): BootloaderMode.directXIP.description
    case .directXIP(reverts: true): BootloaderMode.directXIPWithRevert.description
    case .ramLoad: BootloaderMode.ramLoad.description
    case .firmwareLoader: BootloaderMode.firmwareLoader.description
    case .other(let mode): mode.description
    }
  }
}
