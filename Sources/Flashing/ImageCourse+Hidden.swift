import SMP

/// An image whose running build the board does not show: the network core of an nRF5340 (facts/device-manager.md §1.9).
///
/// It cannot be tried, because nobody could see it run: it is uploaded, made permanent and started with the others, and the record says that it was not
/// read back. It is never skipped either.
extension ImageCourse {
  func hiddenNeed(_ hasWritten: Bool) -> UpdatePlan.Need {
    if !hasWritten, let refusal = hiddenRefusal() { return refusal }
    guard let next = builds.first else { return .nothing(.unknown, isRead: false) }
    let stored = mine.first { build(in: $0) != nil }
    guard hasUploaded || stored != nil && trustsStoredImage else {
      if let foreign = mine.first(where: { $0.pending && $0.slot != 0 && build(in: $0) == nil }), !hasErased, bootloader.marksImages {
        return cannotErase ? .clear("a foreign image stays pending") : .erase(slot: foreign.slot)
      }
      return .upload(next.place)
    }
    if mode == .uploadOnly {
      guard stored?.pending != true || !bootloader.marksImages else {
        return hasUploaded ? .fail(.verifyNotStored, "the stored image stays marked for the next start") : .upload(next.place)
      }
      return .nothing(.stored, isRead: stored != nil)
    }
    guard bootloader.marksImages else { return .swap }
    // One that is not listed can only be marked by its hash, and the board's answer is all there is.
    if stored?.pending == true || hasMarked && stored == nil { return .swap }
    return hasMarked ? .fail(.verifyNotPending, "the board did not make the image permanent") : .mark(next.place, permanent: true)
  }

  func hiddenVerdict() -> UpdatePlan.Need {
    guard let stored = mine.first(where: { build(in: $0) != nil }) else { return .nothing(.unknown, isRead: false) }
    if stored.pending || !bootloader.marksImages { return .swap }
    return .fail(.verifyNotSwapped, "the bootloader left the image in the other slot")
  }

  private func hiddenRefusal() -> UpdatePlan.Need? {
    if isAbsent { return .fail(.policyBootloader, "the package holds image \(number), and the board has none of this number") }
    if let refusal = unsuited() { return refusal }
    if bootloader.isDirectXIP {
      return .fail(.policyBootloader, "the board does not tell which slot runs, so that the build for the other one cannot be chosen")
    }
    guard mode == .testOnly else { return nil }
    return .fail(.policyNoRevert, "the board does not show what runs as image \(number), so that it cannot run on trial")
  }
}
