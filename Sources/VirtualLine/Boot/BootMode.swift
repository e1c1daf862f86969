/// The MCUboot modes of `bootloader info` (smp.md §3.1) that a virtual board can have.
public enum BootMode: Int, Hashable, Sendable, CaseIterable, Codable {
  case single = 0
  case swapScratch = 1
  case overwrite = 2
  case swapMove = 3
  /// Direct-XIP without revert: what has the higher version runs where it lies.
  case directXIP = 4
  case directXIPRevert = 5
  /// The higher version is copied to RAM and runs there.
  case ramLoad = 6
  /// Bare metal: an application, and a firmware loader that updates it.
  case firmwareLoader = 7
  case singleRAMLoad = 8
  case swapOffset = 9

  var swaps: Bool { self == .swapScratch || self == .swapMove || self == .swapOffset }

  /// The bootloader compares versions instead of moving images.
  var picks: Bool { self == .directXIP || self == .directXIPRevert || self == .ramLoad || self == .singleRAMLoad }

  /// An image runs only from the slot that it was linked for.
  var runsInPlace: Bool { self == .directXIP || self == .directXIPRevert }

  var hasOneSlot: Bool { self == .single || self == .singleRAMLoad }

  /// Test and confirm are built (smp.md §3.2, "State write", last line).
  var takesStateWrites: Bool { !picks && self != .firmwareLoader || self == .directXIPRevert }
}

/// What MCUboot did with an image at a reset.
public enum BootStep: String, Hashable, Sendable, Codable {
  case none
  case testSwap
  case permanentSwap
  case overwritten
  case reverted
  /// The candidate was not taken: its hash is wrong, it is older than allowed, or (Direct-XIP with revert) nobody marked it. It was erased, and the old
  /// image is permanent.
  case refused
  /// The new image did not come up, and the watchdog's reset brought the old one back.
  case crashedAndReverted
  /// The other slot runs now, where it lies or from RAM; the application after its firmware loader.
  case switched
  /// The firmware loader runs.
  case loader
  /// Nothing can run.
  case dead
}
