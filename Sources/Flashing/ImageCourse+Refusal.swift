import Firmware
import SMP

/// What cannot be done on this board is refused before anything is written, each with its reason.
extension ImageCourse {
  func refusal(_ active: ImageSlot) -> UpdatePlan.Need? {
    if let refusal = unsuited() { return refusal }
    guard let next = nextBuild(active) else {
      return .fail(.policyBootloader, "slot \(active.slot) runs, and the package has no build for slot \(1 - active.slot)")
    }
    if mode == .testOnly, !bootloader.reverts {
      let words = bootloader == .overwrite ? "the bootloader overwrites the old image" : "the bootloader (\(bootloader.words)) has no way back"
      return .fail(.policyNoRevert, "\(words), so testOnly cannot be kept")
    }
    if mode == .testOnly, !next.image.isReadBack {
      return .fail(.policyNoRevert, "image \(number) is for a network core, which has no way back, so testOnly cannot be kept")
    }
    return olderThan(active, next)
  }

  /// Whether package and bootloader fit at all.
  func unsuited() -> UpdatePlan.Need? {
    switch bootloader {
    case .other(let mode):
      let reason =
        switch mode {
        case .singleApplication: "it has one slot, which the running application cannot replace"
        case .singleSlotRAMLoad: "it has one slot, and an interrupted upload would leave no image in it"
        default: "this job does not know how it updates"
        }
      return .fail(.policyBootloader, "the board's bootloader works as \(mode): \(reason)")
    case .directXIP where builds.count < 2:
      return .fail(.policyBootloader, "the board's bootloader works as \(bootloader.words), and the package does not hold a build for each slot")
    case .swap, .overwrite, .ramLoad, .firmwareLoader:
      guard builds.count > 1 else { return nil }
      return .fail(
        .policyBootloader,
        "the package holds builds for Direct-XIP, and the board's bootloader works as \(bootloader.words): use the package for it, or set [upgrade] bootloader_mode where the board does not tell"
      )
    case .directXIP: return nil
    }
  }

  private func olderThan(_ active: ImageSlot, _ next: Build) -> UpdatePlan.Need? {
    guard let has = ImageVersion(active.version), let wanted = ImageVersion(next.image.version) else { return nil }
    if has > wanted, !allowsDowngrade { return .fail(.policyDowngrade, "the board runs \(active.version), newer than \(next.image.version)") }
    guard bootloader.startsHigherVersion else { return nil }
    // Of equal versions the lower slot is started (facts/smp.md §5).
    guard has > wanted || has == wanted && active.slot == 0 else { return nil }
    return .fail(
      .policyBootloader, "the bootloader (\(bootloader.words)) starts the higher version: \(next.image.version) would not run beside \(active.version)")
  }
}
