import Firmware
import SMP

/// One image number of a plan: what the board shows of it, what was done to it, and what it needs next. A value, part of `UpdatePlan`.
struct ImageCourse: Hashable, Sendable {
  typealias Need = UpdatePlan.Need

  /// One file for the image: the only one, or with Direct-XIP the one for a slot.
  struct Build: Hashable {
    /// Its place in the target.
    var place: Int
    var image: UpdatePlan.Image
  }

  let number: Int
  let builds: [Build]
  let mode: UpgradeMode
  let bootloader: Bootloader
  let allowsDowngrade: Bool
  let trustsStoredImage: Bool

  // What was done in this attempt.
  var hasUploaded = false
  var hasMarked = false
  var hasConfirmed = false
  var hasErased = false
  var cannotErase = false
  /// An image of this number is not confirmed while it runs, but before: the board denies it, or it is a network core (facts/device-manager.md §1.9).
  var cannotConfirm: Bool
  /// What ran when the reset was sent that swaps.
  private var previous: [UInt8]?

  // What was read last.
  private(set) var mine: [ImageSlot] = []
  private(set) var active: ImageSlot?
  private(set) var other: ImageSlot?
  /// The board has no flash for an image of this number, as it says itself.
  private(set) var isAbsent = false
  /// Whether the board shows what runs: always asked of image 0, and of others once they showed a hash. A network core never does.
  private(set) var isReadable: Bool

  init(number: Int, target: UpdatePlan.Target, bootloader: Bootloader) {
    self.number = number
    builds = target.images.enumerated().filter { $0.element.number == number }.map { Build(place: $0.offset, image: $0.element) }
    mode = target.mode
    self.bootloader = bootloader
    allowsDowngrade = target.allowsDowngrade
    trustsStoredImage = target.trustsStoredImage
    isReadable = number == 0
    cannotConfirm = builds.contains { !$0.image.isReadBack }
  }

  mutating func read(_ slots: [ImageSlot], images: Set<Int>?) {
    mine = slots.filter { $0.image == number }
    let flagged = mine.first(where: \.active)
    // With Direct-XIP either slot may run, and a guess would send the wrong build.
    active = bootloader.isDirectXIP ? flagged : flagged ?? mine.first { $0.slot == 0 }
    other = active.flatMap { active in mine.first { $0.slot != active.slot } }
    if active?.hash != nil { isReadable = true }
    isAbsent = mine.isEmpty && images.map { !$0.contains(number) } ?? false
  }

  mutating func swapped() { previous = active?.hash }

  /// A reset came in between: marks that were set have had their effect.
  mutating func cleared() {
    hasMarked = false
    hasConfirmed = false
  }

  /// The build that runs, or lies, in a slot; nil for another image.
  func build(in slot: ImageSlot) -> Build? { builds.first { $0.image.hash == slot.hash } }

  /// The build for the slot that does not run; nil when the package has none.
  func nextBuild(_ active: ImageSlot) -> Build? {
    bootloader.isDirectXIP ? builds.first { $0.image.slot == 1 - active.slot } : builds.first
  }

  // MARK: before the swap

  func need(hasWritten: Bool) -> Need {
    guard isReadable else { return hiddenNeed(hasWritten) }
    guard let active else { return noneRuns(hasWritten) }
    if let running = build(in: active) { return runs(active, running) }
    if !hasWritten, let refusal = refusal(active) { return refusal }
    if bootloader.marksImages, !active.confirmed { return .clear("the board keeps running an image that is not confirmed") }
    guard let next = nextBuild(active) else { return .fail(.verifyOtherFirmware, "the package has no build for the slot that does not run now") }
    if let other, other.hash == next.image.hash, hasUploaded || trustsStoredImage { return activate(other, next) }
    if hasUploaded {
      return .fail(.verifyNotStored, "after the upload the board lists \(other.map { "another image (\($0.version))" } ?? "no image") in the other slot")
    }
    if bootloader.marksImages, let other, other.pending, !hasErased { return foreignPending(other) }
    return .upload(next.place)
  }

  private func noneRuns(_ hasWritten: Bool) -> Need {
    guard bootloader.isDirectXIP, !mine.isEmpty, !hasWritten else { return .fail(.verifyOtherFirmware, "the board lists no running image") }
    return .fail(.policyBootloader, "the board does not tell which slot runs, so that the build for the other one cannot be chosen")
  }

  private func foreignPending(_ other: ImageSlot) -> Need {
    cannotErase ? .clear("a foreign image stays pending") : .erase(slot: other.slot)
  }

  /// The wanted image runs.
  private func runs(_ active: ImageSlot, _ running: Build) -> Need {
    // Without marks there is nothing to confirm: what was started stays (facts/smp.md §3.2).
    guard active.confirmed || !bootloader.marksImages else {
      if hasConfirmed { return .fail(.verifyNotConfirmed, "the board accepted the confirmation, but does not list the image as confirmed") }
      switch mode {
      case .testAndConfirm, .confirmOnly: return confirm(running)
      case .testOnly, .uploadOnly: return .nothing(.testing)
      }
    }
    guard let other, other.pending, build(in: other) == nil, !hasErased else { return .nothing(.confirmed) }
    // A reset would start it where nothing has to be marked.
    if !bootloader.marksImages, cannotErase { return .fail(.imageNoSlot, "another image (\(other.version)) runs from the next start on, and cannot be erased") }
    return foreignPending(other)
  }

  /// Where the board denies it, the image has to be made permanent before it runs.
  private func confirm(_ running: Build) -> Need {
    cannotConfirm ? .clear("the board does not let the image be confirmed while it runs") : .confirm(running.place)
  }

  /// The wanted image lies in the other slot: make it run as the mode says.
  private func activate(_ other: ImageSlot, _ next: Build) -> Need {
    guard bootloader.marksImages else { return mode == .uploadOnly ? .nothing(.stored) : .swap }
    switch mode {
    case .testAndConfirm where cannotConfirm:
      if other.permanent { return .swap }
      return hasMarked ? .fail(.verifyNotPending, "the board did not make the image permanent") : .mark(next.place, permanent: true)
    case .testAndConfirm:
      if other.pending { return .swap }
      return hasMarked ? .fail(.verifyNotPending, "the board did not mark the image as pending") : .mark(next.place, permanent: false)
    case .testOnly:
      if other.permanent { return hasUploaded ? .fail(.verifyNotPending, "the image is permanent and cannot be tried") : .upload(next.place) }
      if other.pending { return .swap }
      return hasMarked ? .fail(.verifyNotPending, "the board did not mark the image as pending") : .mark(next.place, permanent: false)
    case .confirmOnly:
      if other.pending { return .swap }
      return hasMarked ? .fail(.verifyNotPending, "the board did not make the image permanent") : .mark(next.place, permanent: true)
    case .uploadOnly:
      // An upload over a pending slot takes the mark away (facts/smp.md §4.3).
      if other.pending { return hasUploaded ? .fail(.verifyNotStored, "the stored image stays marked for the next start") : .upload(next.place) }
      return .nothing(.stored)
    }
  }

  // MARK: after the swap

  func verdict() -> Need {
    guard isReadable else { return hiddenVerdict() }
    guard let active else { return .fail(.verifyOtherFirmware, "the board lists no running image any more") }
    if build(in: active) != nil { return runsAfterSwap(active) }
    guard active.hash == previous else {
      return .fail(.verifyOtherFirmware, "the board came back with image \(active.version) that was neither sent nor there before")
    }
    guard let other, build(in: other) != nil else {
      return .fail(.verifyNotSwapped, "the bootloader did not accept the image: the board came back with the old one (\(active.version))")
    }
    guard other.pending || !bootloader.marksImages else {
      return .fail(.verifyReverted, "the image ran and was given up: the board is back on the old one (\(active.version))")
    }
    return .swap
  }

  private func runsAfterSwap(_ active: ImageSlot) -> Need {
    if active.confirmed || !bootloader.marksImages { return .nothing(.confirmed) }
    if mode == .testOnly { return .nothing(.testing) }
    guard let running = build(in: active), !hasConfirmed else {
      return .fail(.verifyNotConfirmed, "the board accepted the confirmation, but does not list the image as confirmed")
    }
    return confirm(running)
  }

  /// Why it is given up after so many resets.
  func stillThere(after resets: Int) -> String {
    let old = active.map { " and the old one (\($0.version)) runs" } ?? ""
    return "after \(resets) restarts the image is still \(bootloader.marksImages ? "pending" : "in the other slot")\(old)"
  }
}
