import Firmware
import SMP

/// Keeps in the record what was read of a board, so that it is right whatever happens next.
struct UpdateNotes: Sendable {
  /// How the columns `image_hash_before` and `image_hash_after` write an image of several that the board does not show.
  static let unread = "unread"

  let session: BoardSession
  let order: UpdateOrder

  func note(_ reading: BoardReading, bootloader: Bootloader, didWrite: Bool) {
    if bootloader == .firmwareLoader { return noteBareMetal(reading, didWrite) }
    guard let slots = reading.slots else { return }
    let numbers = order.numbers
    guard let first = active(numbers.contains(0) ? 0 : numbers.first ?? 0, slots) else { return }
    let isSettled = runsForGood(slots, bootloader)
    let state = state(slots, bootloader)
    session.journal.update { record in
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

  /// One image: its hash. Several: `0:hex 1:hex`, with `unread` where the board shows none.
  private func hashes(_ slots: [ImageSlot]) -> String? {
    let numbers = order.numbers
    let found = numbers.map { active($0, slots)?.hash?.hex }
    guard numbers.count > 1 else { return found.first ?? nil }
    return zip(numbers, found).map { "\($0):\($1 ?? Self.unread)" }.joined(separator: " ")
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
