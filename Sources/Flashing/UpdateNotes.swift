import Firmware
import SMP

/// Keeps in the record what was read of a board, so that it is right whatever happens next.
struct UpdateNotes: Sendable {
  let session: BoardSession
  let order: UpdateOrder

  func note(_ reading: BoardReading, bootloader: Bootloader, didWrite: Bool) {
    if bootloader == .firmwareLoader { return noteBareMetal(reading, didWrite) }
    guard let slots = reading.slots else { return }
    let numbers = order.numbers
    guard let first = active(numbers.contains(0) ? 0 : numbers.first ?? 0, slots) else { return }
    let isSettled = runsForGood(slots, bootloader)
    let state = state(slots, bootloader)
    let chosen = chosen(slots)
    session.journal.update { record in
      if let chosen { record.imageHash = chosen }
      let hashes = hashes(slots)
      if record.firmwareBefore == nil {
        record.imageHashBefore = hashes
        record.firmwareBefore = first.version
      }
      record.imageHashAfter = hashes
      record.firmwareAfter = first.version
      record.imageState = state
      if didWrite { record.leftAs = isSettled ? .application : .unconfirmed }
    }
  }

  /// Whether everything that runs stays at the next reset.
  func runsForGood(_ slots: [ImageSlot], _ bootloader: Bootloader) -> Bool {
    !bootloader.marksImages || order.numbers.allSatisfy { active($0, slots)?.confirmed ?? true }
  }

  /// What runs as an image of this number.
  private func active(_ number: Int, _ slots: [ImageSlot]) -> ImageSlot? {
    let mine = slots.filter { $0.image == number }
    return mine.first(where: \.active) ?? mine.first { $0.slot == 0 }
  }

  /// What runs. One image: its hash. Several: `0:hex 1:hex`; one that the board does not show is left out.
  private func hashes(_ slots: [ImageSlot]) -> String? {
    text(order.numbers.map { ($0, active($0, slots)?.hash?.hex) })
  }

  /// Which of the builds of a Direct-XIP package are for this board: what runs already, or what is linked for the slot that does not run.
  private func chosen(_ slots: [ImageSlot]) -> String? {
    guard order.numbers.count < order.images.count else { return nil }
    return text(
      order.numbers.map { number in
        let builds = order.images.filter { $0.number == number }
        guard builds.count > 1, let active = active(number, slots) else { return (number, builds.first?.hash.hex) }
        return (number, (builds.first { $0.hash == active.hash } ?? builds.first { $0.slot == 1 - active.slot })?.hash.hex)
      })
  }

  private func text(_ hashes: [(number: Int, hex: String?)]) -> String? {
    guard hashes.count > 1 else { return hashes.first?.hex }
    let known = hashes.compactMap { entry in entry.hex.map { "\(entry.number):\($0)" } }
    return known.isEmpty ? nil : known.joined(separator: " ")
  }

  /// The least of what the images have come to; one that the board does not show does not count.
  private func state(_ slots: [ImageSlot], _ bootloader: Bootloader) -> ImageState {
    let states = order.numbers.compactMap { number -> ImageState? in
      let wanted = order.images.filter { $0.number == number }.map(\.hash)
      let isWanted = { (slot: ImageSlot) in slot.hash.map(wanted.contains) ?? false }
      let running = active(number, slots)
      if let running, isWanted(running) { return running.confirmed || !bootloader.marksImages ? .confirmed : .testing }
      let stored = slots.first { $0.image == number && $0.slot != running?.slot && isWanted($0) }
      if number > 0, running?.hash == nil, stored == nil { return nil }
      return stored.map { $0.pending && bootloader.marksImages ? .pending : .stored } ?? .unknown
    }
    return [ImageState.unknown, .stored, .pending, .testing].first(where: states.contains) ?? (states.isEmpty ? .unknown : .confirmed)
  }

  private func noteBareMetal(_ reading: BoardReading, _ didWrite: Bool) {
    let hash = reading.slots?.first { $0.image == 0 && $0.slot == 0 }?.hash
    let listed = reading.slots?.first { $0.image == 0 && $0.slot == 0 }?.version
    let isWanted = hash != nil && hash == order.images.first?.hash
    session.journal.update { record in
      let version = listed ?? reading.version
      if record.firmwareBefore == nil { record.firmwareBefore = version }
      if record.imageHashBefore == nil, !didWrite { record.imageHashBefore = hash?.hex }
      record.imageHashAfter = hash?.hex
      record.firmwareAfter = version
      // In the loader the image lies in its slot; that it runs only the application shows.
      if reading.slots != nil { record.imageState = isWanted ? (reading.place == .application ? .confirmed : .stored) : .unknown }
      if reading.place == .loader { record.leftAs = .bootloader } else if record.leftAs != .untouched { record.leftAs = .application }
    }
  }
}
