public import SMP

/// Decides, from what the board says it has, what to do next: read → plan → execute → read again, until done.
///
/// A value without I/O. The caller reads the image list, asks `next`, executes the step, reports it with `executed`, and reads again;
/// after each reset too. Half-finished chains of an earlier attempt therefore heal by themselves.
///
/// Steps come in one order whatever the board holds: validate (every reading), reset or erase what is in the way, upload all images, mark each by its hash,
/// one reset, confirm each that runs. `ImageCourse` says what one image needs, `LoaderPlan` serves firmware loaders.
/// Source of the rules: facts/device-manager.md §§1.3, 1.5, 1.7, 1.9, 1.12 and 11; facts/smp.md §§3.2 and 4.
public struct UpdatePlan: Hashable, Sendable {
  /// One image as the plan sees it.
  public struct Image: Hashable, Sendable {
    public var number: Int
    /// The slot that the build is linked for; only asked with Direct-XIP.
    public var slot: Int
    /// MCUboot image hash, 32, 48 or 64 bytes.
    public var hash: [UInt8]
    /// Version in SMP's form, for the downgrade rule.
    public var version: String
    /// False for an image that no board lists once it runs (network core).
    public var isReadBack: Bool

    public init(number: Int = 0, slot: Int = 1, hash: [UInt8], version: String, isReadBack: Bool = true) {
      self.number = number
      self.slot = slot
      self.hash = hash
      self.version = version
      self.isReadBack = isReadBack
    }
  }

  /// What is wanted on the board.
  public struct Target: Hashable, Sendable {
    /// In the order of the uploads; two of the same number are the builds of one image for Direct-XIP.
    public var images: [Image]
    public var mode: UpgradeMode
    public var allowsDowngrade: Bool
    /// False when an image that already lies in the other slot is not to be believed, because an earlier try with it failed. Each image that was
    /// uploaded since is believed.
    public var trustsStoredImage: Bool
    /// True when an earlier attempt of this batch wrote to the board: then "already there" is a success of the batch, not a skip.
    public var wasWrittenBefore: Bool

    public init(
      images: [Image], mode: UpgradeMode, allowsDowngrade: Bool = false, trustsStoredImage: Bool = true, wasWrittenBefore: Bool = false
    ) {
      self.images = images
      self.mode = mode
      self.allowsDowngrade = allowsDowngrade
      self.trustsStoredImage = trustsStoredImage
      self.wasWrittenBefore = wasWrittenBefore
    }
  }

  /// The most steps that one image may take in an attempt; a healthy update takes five.
  public static let stepLimit = 16
  /// The most resets to get rid of pending or unconfirmed images before the upload (test pending → unconfirmed → old).
  public static let clearingLimit = 3
  /// The most resets that are to swap: a request that was lost leaves the mark as it was, a bootloader that ran takes it away.
  public static let swapLimit = 2

  private let target: Target
  private let bootloader: Bootloader
  private var courses: [ImageCourse]
  private var loader: LoaderPlan
  private var steps = 0
  private var clearings = 0
  private var swaps = 0
  /// The last reset was one that swaps.
  private var isSwapped = false
  /// The image whose other slot is being erased.
  private var erasing: Int?

  /// True once something was written to the board's images.
  public private(set) var didWrite = false

  public init(target: Target, bootloader: Bootloader) {
    self.target = target
    self.bootloader = bootloader
    var numbers: [Int] = []
    for image in target.images where !numbers.contains(image.number) { numbers.append(image.number) }
    courses = numbers.map { ImageCourse(number: $0, target: target, bootloader: bootloader) }
    loader = LoaderPlan(target: target)
  }

  /// The next step for the image list just read from a running application.
  public mutating func next(_ slots: [ImageSlot]) -> Step { next(BoardReading(slots)) }

  /// The next step for what was just read.
  public mutating func next(_ reading: BoardReading) -> Step {
    steps += 1
    let limit = Self.stepLimit * max(1, courses.count)
    guard steps <= limit else { return .failed(.verifyNoEnd, "the board's images did not settle within \(limit) steps") }
    if bootloader == .firmwareLoader { return loader.next(reading) }
    guard let slots = reading.slots else { return .failed(.smpNotSupported, "the board's firmware does not list its images") }
    for index in courses.indices { courses[index].read(slots, images: reading.images) }
    return choose(courses.map { isSwapped ? $0.verdict() : $0.need(hasWritten: didWrite) })
  }

  /// Takes note that a step was executed and answered.
  public mutating func executed(_ step: Step) {
    if bootloader == .firmwareLoader { loader.executed(step) }
    switch step {
    case .upload(let image): change(image) { $0.hasUploaded = true }
    case .eraseOther: changeErased { $0.hasErased = true }
    case .markForTest(let image), .markPermanent(let image): change(image) { $0.hasMarked = true }
    case .confirmRunning(let image): change(image) { $0.hasConfirmed = true }
    case .reset(.swap):
      swaps += 1
      isSwapped = true
      for index in courses.indices { courses[index].swapped() }
      if bootloader != .firmwareLoader { didWrite = true }
    case .reset(.clear):
      clearings += 1
      isSwapped = false
      for index in courses.indices { courses[index].cleared() }
      if bootloader != .firmwareLoader { didWrite = true }
    case .enterLoader, .finished, .failed: break
    }
  }

  /// Takes note that an upload began: from here on a slot holds pieces of our image.
  public mutating func beganUpload() {
    didWrite = true
    loader.beganUpload()
  }

  /// Takes note that the board refused to erase; a reset has to clear the slot instead.
  public mutating func eraseWasRefused() {
    changeErased { $0.cannotErase = true }
  }

  /// Takes note that the board does not let an image be confirmed while it runs (image error 32: Zephyr's default for all but image 0).
  public mutating func confirmationWasDenied(_ image: Int) {
    change(image) { $0.cannotConfirm = true }
  }

  private mutating func change(_ image: Int, _ body: (inout ImageCourse) -> Void) {
    guard target.images.indices.contains(image), let index = courses.firstIndex(where: { $0.number == target.images[image].number }) else { return }
    body(&courses[index])
    didWrite = true
  }

  private mutating func changeErased(_ body: (inout ImageCourse) -> Void) {
    guard let index = courses.firstIndex(where: { $0.number == erasing }) else { return }
    body(&courses[index])
    if courses[index].hasErased { didWrite = true }
  }

  // MARK: of several images

  /// What comes first, of what the images need: always the same order, so that all are uploaded before the first is marked, and one reset serves all.
  private mutating func choose(_ needs: [UpdatePlan.Need]) -> Step {
    if let failure = failure(needs) { return failure }
    if let complaint = complaint(needs) { return clear(complaint) }
    for (course, need) in zip(courses, needs) {
      if case .erase(let slot) = need {
        erasing = course.number
        return .eraseOther(image: course.number, slot: slot)
      }
    }
    for case .upload(let image) in needs { return .upload(image) }
    for case .mark(let image, let isPermanent) in needs { return isPermanent ? .markPermanent(image) : .markForTest(image) }
    if needs.contains(.swap) { return swap(needs) }
    for case .confirm(let image) in needs { return .confirmRunning(image) }
    return finished(needs)
  }

  private func failure(_ needs: [Need]) -> Step? {
    for (course, need) in zip(courses, needs) {
      if case .fail(let code, let words) = need { return .failed(code, named(course, words)) }
    }
    return nil
  }

  /// Why a reset has to come first; nil when none has to.
  private func complaint(_ needs: [Need]) -> String? {
    for (course, need) in zip(courses, needs) {
      if case .clear(let words) = need { return named(course, words) }
    }
    // Images of one package run together: one that is on trial goes back to its slot until the others lie in theirs. A board takes no upload meanwhile.
    guard !isSwapped, needs.contains(where: \.isOnTrial), needs.contains(where: \.isStillToCome) else { return nil }
    return "one image keeps running on trial before the others are there"
  }

  private func clear(_ complaint: String) -> Step {
    clearings < Self.clearingLimit ? .reset(.clear) : .failed(.imageNoSlot, "\(complaint) after \(clearings) restarts")
  }

  /// The reset that brings the images into use, again when it did not come about: never when it would give another image up.
  private func swap(_ needs: [Need]) -> Step {
    guard isSwapped, swaps >= Self.swapLimit || needs.contains(where: \.isOnTrial), let index = needs.firstIndex(of: .swap) else { return .reset(.swap) }
    let course = courses[index]
    return .failed(.verifyNotSwapped, named(course, course.stillThere(after: swaps)))
  }

  private func finished(_ needs: [Need]) -> Step {
    var states: [ImageState] = []
    var isEveryRead = true
    for case .nothing(let state, let isRead) in needs {
      if isRead { states.append(state) } else { isEveryRead = false }
    }
    let order: [ImageState] = [.unknown, .stored, .pending, .testing, .confirmed]
    let least = order.first(where: states.contains) ?? .unknown
    return .finished(didWrite || target.wasWrittenBefore ? .passed : .skipped, least, by: isEveryRead ? .imageHash : .none)
  }

  private func named(_ course: ImageCourse, _ words: String) -> String { courses.count > 1 ? "image \(course.number): \(words)" : words }
}

extension UpdatePlan.Target {
  /// One image.
  public init(
    hash: [UInt8], image: Int = 0, version: String, mode: UpgradeMode, allowsDowngrade: Bool = false, trustsStoredImage: Bool = true,
    wasWrittenBefore: Bool = false
  ) {
    self.init(
      images: [UpdatePlan.Image(number: image, hash: hash, version: version)], mode: mode, allowsDowngrade: allowsDowngrade,
      trustsStoredImage: trustsStoredImage, wasWrittenBefore: wasWrittenBefore)
  }
}
