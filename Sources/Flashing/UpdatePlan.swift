import Firmware
public import SMP

/// Decides, from what the board says it has, what to do next: read → plan → execute → read again, until done.
///
/// A value without I/O. The caller reads the image list, asks `next`, executes the step, reports it with `executed`, and reads again;
/// after each reset too. Half-finished chains of an earlier attempt therefore heal by themselves.
/// Source of the rules: facts/device-manager.md §§1.3, 1.5, 1.12 and 11; facts/smp.md §§3.2 and 4.
public struct UpdatePlan: Hashable, Sendable {
  /// What is wanted on the board.
  public struct Target: Hashable, Sendable {
    /// MCUboot image hash, 32, 48 or 64 bytes.
    public var hash: [UInt8]
    public var image: Int
    /// Version in SMP's form, for the downgrade rule.
    public var version: String
    public var mode: UpgradeMode
    public var allowsDowngrade: Bool
    /// False when an image that already lies in the other slot is not to be believed, because an earlier try with it failed.
    public var trustsStoredImage: Bool
    /// True when an earlier attempt of this batch wrote to the board: then "already there" is a success of the batch, not a skip.
    public var wasWrittenBefore: Bool

    public init(
      hash: [UInt8], image: Int = 0, version: String, mode: UpgradeMode, allowsDowngrade: Bool = false, trustsStoredImage: Bool = true,
      wasWrittenBefore: Bool = false
    ) {
      self.hash = hash
      self.image = image
      self.version = version
      self.mode = mode
      self.allowsDowngrade = allowsDowngrade
      self.trustsStoredImage = trustsStoredImage
      self.wasWrittenBefore = wasWrittenBefore
    }
  }

  /// One thing to do.
  public enum Step: Hashable, Sendable {
    case upload
    /// Empties the slot that is not running: somebody else's image is pending there.
    case eraseOther
    /// Image state write with the hash: run it once at the next start.
    case markForTest
    /// Image state write with hash and confirm: run it for good from the next start on.
    case markPermanent
    /// Image state write that confirms the running image.
    case confirmRunning
    case reset(ResetReason)
    case finished(Outcome, ImageState)
    case failed(FailureCode, String)
  }

  public enum ResetReason: Hashable, Sendable {
    /// Our image is to run.
    case swap
    /// An unconfirmed or foreign pending image has to go first.
    case clear
  }

  /// The most steps one attempt may take; a healthy update takes five.
  public static let stepLimit = 16
  /// The most resets to get rid of pending or unconfirmed images before the upload (test pending → unconfirmed → old).
  public static let clearingLimit = 3
  /// The most resets that are to swap: a request that was lost leaves the mark as it was, a bootloader that ran takes it away.
  public static let swapLimit = 2

  private enum Stage: Hashable {
    case preparing
    /// The reset that swaps was sent while this hash was running.
    case swapped(previous: [UInt8]?)
    case confirming
  }

  private let target: Target
  private let bootloader: Bootloader
  private var stage = Stage.preparing
  private var steps = 0
  private var clearings = 0
  private var swaps = 0
  private var hasUploaded = false
  private var hasMarked = false
  private var hasWritten = false
  private var hasErased = false
  private var cannotErase = false
  private var running: [UInt8]?

  public init(target: Target, bootloader: Bootloader) {
    self.target = target
    self.bootloader = bootloader
  }

  /// True once something was written to the board.
  public var didWrite: Bool { hasWritten }

  /// The next step for the image list just read.
  public mutating func next(_ slots: [ImageSlot]) -> Step {
    steps += 1
    guard steps <= Self.stepLimit else { return .failed(.verifyNoEnd, "the board's images did not settle within \(Self.stepLimit) steps") }
    let mine = slots.filter { $0.image == target.image }
    guard let active = mine.first(where: \.active) ?? mine.first(where: { $0.slot == 0 }) else {
      return .failed(.verifyOtherFirmware, "the board lists no running image")
    }
    let other = mine.first { $0.slot != active.slot }
    running = active.hash
    switch stage {
    case .preparing: return prepare(active, other)
    case .swapped(let previous): return judge(active, other, previous: previous)
    case .confirming:
      guard active.hash == target.hash, active.confirmed else {
        return .failed(.verifyNotConfirmed, "the board accepted the confirmation, but does not list the image as confirmed")
      }
      return .finished(.passed, .confirmed)
    }
  }

  /// Takes note that a step was executed and answered.
  public mutating func executed(_ step: Step) {
    switch step {
    case .upload:
      hasUploaded = true
      hasWritten = true
    case .eraseOther:
      hasErased = true
      hasWritten = true
    case .markForTest, .markPermanent:
      hasMarked = true
      hasWritten = true
    case .confirmRunning:
      stage = .confirming
      hasWritten = true
    case .reset(.swap):
      swaps += 1
      stage = .swapped(previous: running)
      hasWritten = true
    case .reset(.clear):
      clearings += 1
      hasWritten = true
    case .finished, .failed: break
    }
  }

  /// Takes note that an upload began: from here on the other slot holds pieces of our image.
  public mutating func beganUpload() {
    hasWritten = true
  }

  /// Takes note that the board refused to erase; a reset has to clear the slot instead.
  public mutating func eraseWasRefused() {
    cannotErase = true
  }

  // MARK: before the swap

  private func prepare(_ active: ImageSlot, _ other: ImageSlot?) -> Step {
    if active.hash == target.hash {
      return active.confirmed ? whenWantedRunsForGood(other) : whenWantedRunsOnTrial()
    }
    if !hasWritten, let refusal = refusal(active) { return refusal }
    if !active.confirmed {
      return clear("the board keeps running an image that is not confirmed")
    }
    if let other, other.hash == target.hash, hasUploaded || target.trustsStoredImage {
      return activate(other)
    }
    if hasUploaded {
      return .failed(.verifyNotStored, "after the upload the board lists \(other.map { "another image (\($0.version))" } ?? "no image") in the other slot")
    }
    if let other, other.pending, !hasErased {
      return cannotErase ? clear("a foreign image stays pending") : .eraseOther
    }
    return .upload
  }

  private func refusal(_ active: ImageSlot) -> Step? {
    if target.mode == .testOnly, bootloader == .overwrite {
      return .failed(.policyNoRevert, "the bootloader overwrites the old image, so testOnly cannot be kept")
    }
    if !target.allowsDowngrade, let has = ImageVersion(active.version), let wanted = ImageVersion(target.version), has > wanted {
      return .failed(.policyDowngrade, "the board runs \(active.version), newer than \(target.version)")
    }
    return nil
  }

  private func whenWantedRunsForGood(_ other: ImageSlot?) -> Step {
    if let other, other.pending, other.hash != target.hash, !hasErased {
      return cannotErase ? clear("a foreign image stays pending") : .eraseOther
    }
    return .finished(hasWritten || target.wasWrittenBefore ? .passed : .skipped, .confirmed)
  }

  private func whenWantedRunsOnTrial() -> Step {
    switch target.mode {
    case .testAndConfirm, .confirmOnly: .confirmRunning
    case .testOnly, .uploadOnly: .finished(hasWritten || target.wasWrittenBefore ? .passed : .skipped, .testing)
    }
  }

  private func clear(_ complaint: String) -> Step {
    clearings < Self.clearingLimit ? .reset(.clear) : .failed(.imageNoSlot, "\(complaint) after \(clearings) restarts")
  }

  /// The wanted image lies in the other slot: make it run as the mode says.
  private func activate(_ other: ImageSlot) -> Step {
    switch target.mode {
    case .testAndConfirm:
      if other.pending { return .reset(.swap) }
      return hasMarked ? .failed(.verifyNotPending, "the board did not mark the image as pending") : .markForTest
    case .testOnly:
      if other.permanent { return hasUploaded ? .failed(.verifyNotPending, "the image is permanent and cannot be tried") : .upload }
      if other.pending { return .reset(.swap) }
      return hasMarked ? .failed(.verifyNotPending, "the board did not mark the image as pending") : .markForTest
    case .confirmOnly:
      if other.pending { return .reset(.swap) }
      return hasMarked ? .failed(.verifyNotPending, "the board did not make the image permanent") : .markPermanent
    case .uploadOnly:
      // An upload over a pending slot takes the mark away (facts/smp.md §4.3).
      if other.pending { return hasUploaded ? .failed(.verifyNotStored, "the stored image stays marked for the next start") : .upload }
      return .finished(hasWritten || target.wasWrittenBefore ? .passed : .skipped, .stored)
    }
  }

  // MARK: after the swap

  private func judge(_ active: ImageSlot, _ other: ImageSlot?, previous: [UInt8]?) -> Step {
    if active.hash == target.hash {
      if active.confirmed { return .finished(.passed, .confirmed) }
      return target.mode == .testOnly ? .finished(.passed, .testing) : .confirmRunning
    }
    guard active.hash == previous else {
      return .failed(.verifyOtherFirmware, "the board came back with image \(active.version) that was neither sent nor there before")
    }
    guard let other, other.hash == target.hash else {
      return .failed(.verifyNotSwapped, "the bootloader did not accept the image: the board came back with the old one (\(active.version))")
    }
    guard other.pending else { return .failed(.verifyReverted, "the image ran and was given up: the board is back on the old one (\(active.version))") }
    if swaps < Self.swapLimit { return .reset(.swap) }
    return .failed(.verifyNotSwapped, "after \(swaps) restarts the image is still pending and the old one (\(active.version)) runs")
  }
}
