/// The slots of one image number under MCUboot, and what a reset does with them (smp.md §4.4 and §5).
struct ImageSlots: Sendable {
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

  let number: Int
  let mode: BootMode
  /// What the image list shows of the first slot.
  let listing: ImageListing
  /// False: the list never calls a slot of this image active.
  let showsActive: Bool
  /// MCUboot takes no image that is older than the running one.
  let refusesOlder: Bool
  /// The only hash that this build knows; nil for all.
  let digest: ImageDigest?
  private(set) var slots: [FlashSlot]
  /// The slot that runs.
  private(set) var active = 0
  /// What MCUboot did with this image at each reset.
  private(set) var boots: [BootStep] = []

  /// - Parameters:
  ///   - image: what runs at first; it was confirmed.
  ///   - loader: the firmware loader in the second slot, of a board that has one.
  init(_ number: Int, _ settings: BoardSettings, image: StoredImage?, loader: StoredImage? = nil) {
    let own = settings.image(number)
    self.number = number
    mode = own.bootMode ?? settings.bootMode
    listing = own.listing
    showsActive = own.active
    refusesOlder = settings.noDowngrade
    digest = settings.oneHash ? ImageDigest(rawValue: own.hash ?? settings.hash) : nil
    let addresses = settings.slotAddresses(of: number)
    slots = [FlashSlot(size: settings.slotSize, address: addresses[0], image: image)]
    if mode == .directXIPRevert { slots[0].trailer = .confirmed }
    if !mode.hasOneSlot { slots.append(FlashSlot(size: settings.slotSize, address: addresses[1], image: loader)) }
  }

  var running: StoredImage? { listed(active) }

  /// The slot that uploads and erases go to; nil when there is only the one that runs.
  var updateSlot: Int? {
    guard slots.count > 1 else { return nil }
    // The application of a board with a firmware loader cannot update anything.
    return mode == .firmwareLoader && active == 0 ? nil : 1 - active
  }

  /// The image of a slot as this build knows images.
  func listed(_ slot: Int) -> StoredImage? {
    guard slots.indices.contains(slot), let image = slots[slot].image else { return nil }
    return digest.map { $0.length == image.hash.count } ?? true ? image : nil
  }

  /// What MCUboot would start from this slot.
  func runnable(_ slot: Int) -> StoredImage? {
    guard let image = listed(slot), image.valid, image.bootable else { return nil }
    // Linked for another place (smp.md §1.5, 25): MCUboot looks at the address too.
    if mode.runsInPlace, let address = image.fixedAddress, address != slots[slot].address { return nil }
    return image
  }

  /// The decision of a bootloader that moves images, in MCUboot's order (smp.md §5, "Swap decision in order").
  var swap: Swap {
    guard slots.count > 1, !mode.picks, mode != .firmwareLoader else { return .none }
    let (primary, secondary) = (slots[0].trailer, slots[1].trailer)
    if mode == .swapOffset, secondary.magic, secondary.copyDone, !secondary.imageOK { return .revert }
    if secondary.magic { return secondary.imageOK ? .permanent : .test }
    if mode.swaps, primary.magic, primary.copyDone, !primary.imageOK { return .revert }
    return .none
  }

  /// The running image waits for its confirmation, and the other slot holds the way back.
  var isUnconfirmed: Bool {
    mode == .directXIPRevert ? !slots[active].trailer.imageOK : swap == .revert
  }

  /// The marks of a slot that is not running and that waits for the next start; nil when it does not wait.
  func mark(of slot: Int) -> SlotTrailer? {
    let trailer = slots[slot].trailer
    guard slot != active, trailer.magic, mode != .directXIPRevert || !trailer.copyDone else { return nil }
    return trailer
  }

  func flags(of slot: Int) -> Flags {
    guard slots.indices.contains(slot) else { return Flags() }
    if slot == active { return Flags(confirmed: !isUnconfirmed, active: true) }
    if mode == .firmwareLoader { return Flags() }
    if isUnconfirmed { return Flags(confirmed: true) }
    if mode == .directXIPRevert { return Flags(pending: mark(of: slot) != nil, permanent: mark(of: slot)?.imageOK ?? false) }
    if mode.picks {
      // Nothing marks it: the higher version is what starts next, and for good.
      let isNext = listed(slot).map { other in running.map { other.version > $0.version } ?? true } ?? false
      return Flags(pending: isNext, permanent: isNext)
    }
    // Overwrite-only has no way back: a test acts like permanent.
    return Flags(
      pending: swap == .test || swap == .permanent, confirmed: false, active: false,
      permanent: swap == .permanent || swap == .test && mode == .overwrite)
  }

  mutating func setPending(_ slot: Int, permanent: Bool) {
    guard slots.indices.contains(slot) else { return }
    slots[slot].trailer = SlotTrailer(magic: true, imageOK: permanent)
  }

  mutating func confirm() { slots[active].trailer.imageOK = true }

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

  /// Puts other firmware into the running slot, confirmed: a board that comes back with something else.
  mutating func replaceRunning(_ image: StoredImage) { slots[active].put(image, .confirmed) }

  // MARK: Reset

  /// One reset; the step is kept.
  ///
  /// - Parameter intoLoader: the firmware loader was asked for.
  mutating func boot(intoLoader: Bool = false) -> BootStep {
    let step: BootStep =
      switch mode {
      case .directXIP, .ramLoad, .singleRAMLoad: pickHighest()
      case .directXIPRevert: pickMarked()
      case .firmwareLoader: chooseLoader(intoLoader)
      case .single, .swapScratch, .overwrite, .swapMove, .swapOffset: moved()
      }
    boots.append(step)
    return step
  }

  /// The image that the last reset brought did not come up: another reset. True when that one led back.
  mutating func crash() -> Bool {
    guard mode.swaps || mode == .directXIPRevert, isUnconfirmed else { return false }
    boots.removeLast(boots.isEmpty ? 0 : 1)
    let isBack = boot() == .reverted
    boots[boots.count - 1] = isBack ? .crashedAndReverted : .dead
    return isBack
  }

  /// The image that the last reset brought did not come up, and nothing leads back.
  mutating func died() {
    if !boots.isEmpty { boots[boots.count - 1] = .dead }
  }

  private mutating func moved() -> BootStep {
    let step = upgrade()
    // What cannot be read back by anybody is not what the board's life hangs on.
    return runnable(0) == nil && listing != .none ? .dead : step
  }

  private mutating func upgrade() -> BootStep {
    switch swap {
    case .none: return .none
    case .revert:
      exchange(.confirmed)
      return .reverted
    case .test, .permanent: break
    }
    let permanent = swap == .permanent
    guard let candidate = runnable(1), !isOlder(candidate) else {
      // "Invalid secondary at swap: primary image_ok := 1, no swap" (smp.md §5); MCUboot erases it.
      slots[1].erase()
      slots[0].trailer.imageOK = true
      return .refused
    }
    if mode == .overwrite {
      slots[0].put(candidate, .confirmed)
      slots[1].erase()
      return .overwritten
    }
    exchange(SlotTrailer(magic: true, imageOK: permanent, copyDone: true))
    return permanent ? .permanentSwap : .testSwap
  }

  private func isOlder(_ candidate: StoredImage) -> Bool {
    guard refusesOlder, let running else { return false }
    return candidate.version.base < running.version.base
  }

  private mutating func exchange(_ primary: SlotTrailer) {
    let (first, second) = (slots[0].image, slots[1].image)
    slots[0].put(second, primary)
    slots[1].put(first, SlotTrailer())
  }

  /// The slot with the highest version of what can run; of equals the lower slot (smp.md §5, "Direct XIP").
  private var highest: Int? {
    var best: (slot: Int, image: StoredImage)?
    for slot in slots.indices {
      guard let image = runnable(slot) else { continue }
      if best.map({ image.version > $0.image.version }) ?? true { best = (slot, image) }
    }
    return best?.slot
  }

  private mutating func pickHighest() -> BootStep {
    guard let slot = highest else { return .dead }
    defer { active = slot }
    return slot == active ? .none : .switched
  }

  /// With revert the choice must bear a mark, and one that it has run with must be confirmed; else it is erased and the next one chosen.
  private mutating func pickMarked() -> BootStep {
    var erased: BootStep?
    // Each turn erases a slot, so that it ends.
    while let slot = highest {
      let trailer = slots[slot].trailer
      guard trailer.magic, !trailer.copyDone || trailer.imageOK else {
        slots[slot].erase()
        erased = trailer.copyDone ? .reverted : .refused
        continue
      }
      slots[slot].trailer.copyDone = true
      defer { active = slot }
      return erased ?? (slot == active ? .none : .switched)
    }
    return .dead
  }

  private mutating func chooseLoader(_ wanted: Bool) -> BootStep {
    let hasApplication = runnable(0) != nil
    guard wanted || !hasApplication else {
      defer { active = 0 }
      return active == 0 ? .none : .switched
    }
    active = runnable(1) != nil ? 1 : 0
    return active == 1 ? .loader : hasApplication ? .none : .dead
  }
}

/// What the image list shows of an image's first slot (device-manager.md §11, 7).
public enum ImageListing: String, Hashable, Sendable, Codable, CaseIterable {
  case full
  /// Without the key `hash`.
  case noHash
  /// Not at all: a network core whose flash the application cannot read.
  case none
}
