/// The MCUboot modes of `bootloader info` (smp.md §3.1) that a virtual board can have.
public enum BootMode: Int, Hashable, Sendable, CaseIterable, Codable {
  case single = 0
  case swapScratch = 1
  case overwrite = 2
  case swapMove = 3
  case swapOffset = 9

  var swaps: Bool { self == .swapScratch || self == .swapMove || self == .swapOffset }
}

/// What MCUboot did at a reset.
public enum BootStep: String, Hashable, Sendable, Codable {
  case none
  case testSwap
  case permanentSwap
  case overwritten
  case reverted
  /// The candidate's hash is wrong: it was erased and the old image made permanent.
  case refused
  /// The new image did not come up, and the watchdog's reset brought the old one back.
  case crashedAndReverted
  /// Nothing in the primary slot can run.
  case dead
}

/// The slots of one image under MCUboot, and what a reset does with them (smp.md §4.4 and §5).
struct VirtualBootloader: Sendable {
  enum Swap: Sendable {
    case none
    case test
    case permanent
    case revert
  }

  struct Flags: Hashable, Sendable {
    var pending = false
    var confirmed = false
    var active = false
    var permanent = false
  }

  let mode: BootMode
  private(set) var slots: [FlashSlot]

  init(mode: BootMode, slotSize: Int, image: StoredImage?) {
    self.mode = mode
    slots = [FlashSlot(size: slotSize, image: image)]
    if mode != .single { slots.append(FlashSlot(size: slotSize)) }
  }

  var running: StoredImage? { slots[0].image }

  /// The slot that uploads and erases go to; nil when there is only the one that runs.
  var updateSlot: Int? { slots.count > 1 ? 1 : nil }

  /// The decision in MCUboot's order (smp.md §5, "Swap decision in order").
  var swap: Swap {
    guard slots.count > 1 else { return .none }
    let (primary, secondary) = (slots[0].trailer, slots[1].trailer)
    if mode == .swapOffset, secondary.magic, secondary.copyDone, !secondary.imageOK { return .revert }
    if secondary.magic { return secondary.imageOK ? .permanent : .test }
    if mode.swaps, primary.magic, primary.copyDone, !primary.imageOK { return .revert }
    return .none
  }

  /// The running image waits for its confirmation, and the other slot holds the way back.
  var isUnconfirmed: Bool { swap == .revert }

  func flags(of slot: Int) -> Flags {
    let swap = self.swap
    guard slot != 0 else { return Flags(confirmed: swap != .revert, active: true) }
    // Overwrite-only has no way back: a test acts like permanent.
    return Flags(
      pending: swap == .test || swap == .permanent, confirmed: swap == .revert, active: false,
      permanent: swap == .permanent || swap == .test && mode == .overwrite)
  }

  mutating func setPending(_ slot: Int, permanent: Bool) {
    guard slots.indices.contains(slot) else { return }
    slots[slot].trailer = SlotTrailer(magic: true, imageOK: permanent)
  }

  mutating func confirm() { slots[0].trailer.imageOK = true }

  mutating func erase(_ slot: Int) {
    guard slots.indices.contains(slot) else { return }
    slots[slot].erase()
  }

  mutating func append(_ data: [UInt8], to slot: Int) {
    guard slots.indices.contains(slot) else { return }
    slots[slot].append(data)
  }

  mutating func finish(_ slot: Int, spoilt: Bool) {
    guard slots.indices.contains(slot) else { return }
    slots[slot].finish(spoilt: spoilt)
  }

  mutating func share(_ image: StoredImage) {
    for slot in slots.indices { slots[slot].share(image) }
  }

  /// Puts other firmware into the primary slot, confirmed: a board that comes back with something else.
  mutating func replaceRunning(_ image: StoredImage) { slots[0].put(image, SlotTrailer(magic: true, imageOK: true, copyDone: true)) }

  /// One reset. `crashes`: the image that a swap brought does not come up.
  mutating func boot(crashes: Bool) -> BootStep {
    let step = upgrade()
    guard slots[0].runnable != nil else { return .dead }
    guard crashes, step != .none, step != .refused else { return step }
    guard step == .testSwap else { return .dead }
    exchange(SlotTrailer(magic: true, imageOK: true, copyDone: true))
    return slots[0].runnable == nil ? .dead : .crashedAndReverted
  }

  private mutating func upgrade() -> BootStep {
    switch swap {
    case .none: return .none
    case .revert:
      exchange(SlotTrailer(magic: true, imageOK: true, copyDone: true))
      return .reverted
    case .test, .permanent: break
    }
    let permanent = swap == .permanent
    guard let candidate = slots[1].runnable else {
      // "Invalid secondary at swap: primary image_ok := 1, no swap" (smp.md §5); MCUboot erases it.
      slots[1].erase()
      slots[0].trailer.imageOK = true
      return .refused
    }
    if mode == .overwrite {
      slots[0].put(candidate, SlotTrailer(magic: true, imageOK: true, copyDone: true))
      slots[1].erase()
      return .overwritten
    }
    exchange(SlotTrailer(magic: true, imageOK: permanent, copyDone: true))
    return permanent ? .permanentSwap : .testSwap
  }

  private mutating func exchange(_ primary: SlotTrailer) {
    let (first, second) = (slots[0].image, slots[1].image)
    slots[0].put(second, primary)
    slots[1].put(first, SlotTrailer())
  }
}
