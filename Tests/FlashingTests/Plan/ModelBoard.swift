import Flashing
import SMP

/// MCUboot as a table of what each bootloader mode makes of the slots (facts/smp.md §§3.2, 4.4 and 5): a board without bytes, on which a plan is run to its end.
struct ModelBoard {
  static let old: [UInt8] = Array(repeating: 1, count: 32)
  static let foreign: [UInt8] = Array(repeating: 3, count: 32)

  /// The wanted image, or the build for a slot: the hash tells image number and slot.
  static func wanted(_ number: Int = 0, slot: Int = 1) -> [UInt8] { Array(repeating: UInt8(0x20 + 2 * number + slot), count: 32) }

  /// A slot in short: hash, version, and the letters of its flags (a active, c confirmed, p pending, P permanent).
  static func slot(_ number: Int, _ hash: [UInt8]?, _ flags: String, image: Int = 0, version: String = "1.0.0") -> ImageSlot {
    ImageSlot(
      image: image, slot: number, version: version, hash: hash, bootable: true, pending: flags.contains("p") || flags.contains("P"),
      confirmed: flags.contains("c"), active: flags.contains("a"), permanent: flags.contains("P"))
  }

  let bootloader: Bootloader
  var slots: [ImageSlot]
  /// Images that the board does not list where they run (network core).
  var hidden: Set<Int> = []
  /// Hidden images are not even listed in the slot for updates.
  var hidesUploads = false
  /// Of a board with a firmware loader: the application knows the image list.
  var applicationLists = true
  /// The version that the application tells; nil follows slot 0.
  var tells: String?
  var tellsVersion = true
  var place = BoardReading.Place.application
  var images: Set<Int>?
  /// A running image of another number than 0 may not be confirmed (image error 32).
  var deniesConfirmation = false

  init(_ bootloader: Bootloader, _ slots: [ImageSlot]) {
    self.bootloader = bootloader
    self.slots = slots
  }

  var reading: BoardReading {
    let shown = slots.filter { !hidden.contains($0.image) || $0.slot != 0 && !hidesUploads }
    guard bootloader == .firmwareLoader else { return BoardReading(shown, images: images) }
    if place == .loader { return BoardReading(slots, place: .loader) }
    let version = tellsVersion ? tells ?? slots.first { $0.slot == 0 }?.version : nil
    return BoardReading(applicationLists ? slots : nil, version: version)
  }

  // MARK: steps

  /// What a board does for one step of a plan for these images.
  mutating func perform(_ step: UpdatePlan.Step, _ images: [UpdatePlan.Image]) {
    switch step {
    case .upload(let place): upload(images[place])
    case .eraseOther(let image, let slot): slots.removeAll { $0.image == image && $0.slot == slot }
    case .markForTest(let place): mark(images[place], permanent: false)
    case .markPermanent(let place): mark(images[place], permanent: true)
    case .confirmRunning(let place):
      let hash = images[place].hash
      change { if $0.hash == hash && $0.active { $0.confirmed = true } }
    case .enterLoader: place = .loader
    case .reset: reset()
    case .finished, .failed: break
    }
  }

  private mutating func change(_ body: (inout ImageSlot) -> Void) {
    for index in slots.indices { body(&slots[index]) }
  }

  private mutating func upload(_ image: UpdatePlan.Image) {
    if bootloader == .firmwareLoader {
      slots = [Self.slot(0, image.hash, "", version: image.version)]
      return
    }
    let active = slots.first { $0.image == image.number && $0.active }?.slot ?? 0
    slots.removeAll { $0.image == image.number && $0.slot != active }
    // Where nothing is marked, the higher version is what starts next (facts/smp.md §5).
    slots.append(Self.slot(1 - active, image.hash, bootloader.marksImages ? "" : "P", image: image.number, version: image.version))
  }

  private mutating func mark(_ image: UpdatePlan.Image, permanent: Bool) {
    let isPermanent = permanent || bootloader == .overwrite
    change { slot in
      guard slot.image == image.number, slot.hash == image.hash, !slot.active else { return }
      slot.pending = true
      // Overwrite-only has no way back: a test acts like permanent (facts/smp.md §5).
      slot.permanent = isPermanent
    }
  }

  private mutating func reset() {
    place = .application
    guard bootloader != .firmwareLoader else {
      change { if $0.slot == 0 { $0.active = true } }
      return
    }
    for image in Set(slots.map(\.image)) { reset(image) }
  }

  private mutating func reset(_ number: Int) {
    let active = slots.first { $0.image == number && $0.active }
    let other = slots.first { $0.image == number && !$0.active }
    let rest = slots.filter { $0.image != number }
    if let other, other.pending {
      let flags = other.permanent || !bootloader.reverts ? "ac" : "a"
      switch bootloader {
      case .swap: slots = rest + [Self.moved(other, 0, flags)] + (active.map { [Self.moved($0, 1, flags == "ac" ? "" : "c")] } ?? [])
      case .overwrite: slots = rest + [Self.moved(other, 0, "ac")]
      case .directXIP(reverts: true):
        slots = rest + [Self.moved(other, other.slot, flags)] + (active.map { [Self.moved($0, $0.slot, flags == "ac" ? "" : "c")] } ?? [])
      // Zephyr before 4.1 lists no confirmed flag here.
      case .directXIP, .ramLoad: slots = rest + [Self.moved(other, other.slot, "a")] + (active.map { [Self.moved($0, $0.slot, "")] } ?? [])
      case .firmwareLoader, .other: break
      }
    } else if let active, !active.confirmed, bootloader.reverts, let other {
      let isXIP = bootloader.isDirectXIP
      slots = rest + [Self.moved(other, isXIP ? other.slot : 0, "ac")] + (isXIP ? [] : [Self.moved(active, 1, "")])
    }
  }

  private static func moved(_ slot: ImageSlot, _ number: Int, _ flags: String) -> ImageSlot {
    Self.slot(number, slot.hash, flags, image: slot.image, version: slot.version)
  }
}

extension ModelBoard {
  /// Runs a plan to its end and tells its steps: `upload test reset confirm: passed confirmed`.
  mutating func run(
    _ images: [UpdatePlan.Image], _ mode: UpgradeMode, downgrade: Bool = false, trusts: Bool = true,
    watching: (UpdatePlan.Step, inout ModelBoard) -> Void = { _, _ in }
  ) -> String {
    var plan = UpdatePlan(target: .init(images: images, mode: mode, allowsDowngrade: downgrade, trustsStoredImage: trusts), bootloader: bootloader)
    var words: [String] = []
    for _ in 0..<100 {
      let step = plan.next(reading)
      if let end = Self.end(step) { return (words.joined(separator: " ") + ": " + end).trimmed }
      words.append(Self.word(step, images))
      if case .upload = step { plan.beganUpload() }
      if case .confirmRunning(let place) = step, deniesConfirmation, images[place].number > 0 {
        plan.confirmationWasDenied(place)
        continue
      }
      perform(step, images)
      plan.executed(step)
      watching(step, &self)
    }
    return "no end"
  }

  private static func end(_ step: UpdatePlan.Step) -> String? {
    switch step {
    case .finished(let outcome, let state, let verification):
      "\(outcome) \(state)" + (verification == .imageHash ? "" : " by \(verification)")
    case .failed(let code, _): "\(FailureRule.of(code).outcome) \(code.rawValue)"
    default: nil
    }
  }

  /// With several images, their number is behind the word; with several builds of one, the slot.
  private static func word(_ step: UpdatePlan.Step, _ images: [UpdatePlan.Image]) -> String {
    let isXIP = Set(images.map(\.number)).count < images.count
    let which = { (place: Int) in images.count == 1 ? "" : "\(isXIP ? images[place].slot : images[place].number)" }
    return switch step {
    case .upload(let place): "upload" + which(place)
    case .eraseOther(let image, _): "erase" + (images.count == 1 || isXIP ? "" : "\(image)")
    case .markForTest(let place): "test" + which(place)
    case .markPermanent(let place): "permanent" + which(place)
    case .confirmRunning(let place): "confirm" + which(place)
    case .enterLoader: "loader"
    case .reset(.swap): "reset"
    case .reset(.clear): "clear"
    case .finished, .failed: ""
    }
  }
}

extension String {
  fileprivate var trimmed: String { hasPrefix(": ") ? String(dropFirst(2)) : self }
}
