/// MCUboot with all its images: one for most boards, two for an application with a network core (smp.md §4.4 and §5).
struct VirtualBootloader: Sendable {
  let mode: BootMode
  private(set) var images: [ImageSlots]

  /// - Parameter stored: what runs at first, by image number; images without one begin blank.
  init(_ settings: BoardSettings, _ stored: [StoredImage?]) {
    mode = settings.bootMode
    images = (0..<settings.imageCount).map { number in
      let loader = number == 0 && settings.bootMode == .firmwareLoader ? FirstImages.loader(settings) : nil
      return ImageSlots(number, settings, image: stored.indices.contains(number) ? stored[number] : nil, loader: loader)
    }
  }

  // MARK: Image 0, which is the application

  var slots: [FlashSlot] { images[0].slots }
  var running: StoredImage? { images[0].running }
  var isUnconfirmed: Bool { images[0].isUnconfirmed }
  var isInLoader: Bool { mode == .firmwareLoader && images[0].active == 1 }

  func flags(of slot: Int) -> ImageSlots.Flags { images[0].flags(of: slot) }

  /// Something that could start lies in flash.
  var isAlive: Bool { images[0].runnable(images[0].active) != nil }

  // MARK: All images

  /// Some image waits for its confirmation, or for the next start.
  var isUnsettled: Bool {
    images.contains { image in image.isUnconfirmed || image.slots.indices.contains { image.flags(of: $0).pending } }
  }

  @discardableResult
  mutating func change<Value>(_ image: Int, _ body: (inout ImageSlots) -> Value) -> Value? {
    images.indices.contains(image) ? body(&images[image]) : nil
  }

  mutating func share(_ image: StoredImage) {
    for number in images.indices { images[number].share(image) }
  }

  /// Puts other firmware into the running slot of an image, confirmed: a board that comes back with something else.
  mutating func replaceRunning(_ image: StoredImage, of number: Int = 0) {
    change(number) { $0.replaceRunning(image) }
  }

  /// One reset, of all images.
  ///
  /// - Parameters:
  ///   - crash: what a reset brought does not come up: of the image given, or of the first that changed.
  ///   - intoLoader: the firmware loader was asked for.
  /// - Returns: what was done, by image number. The board runs when none is `dead`.
  mutating func boot(crash: Crash? = nil, intoLoader: Bool = false) -> [BootStep] {
    var steps = images.indices.map { images[$0].boot(intoLoader: intoLoader) }
    guard let crash, let crashed = steps.indices.first(where: { (crash.image ?? $0) == $0 && steps[$0].brings }) else { return steps }
    // The watchdog's reset takes back whatever is on trial, of every image.
    for number in images.indices where images[number].isUnconfirmed {
      steps[number] = images[number].crash() ? .crashedAndReverted : .dead
    }
    if steps[crashed] != .crashedAndReverted {
      steps[crashed] = .dead
      images[crashed].died()
    }
    return steps
  }

  struct Crash: Hashable, Sendable {
    var image: Int?
  }
}

extension BootStep {
  /// Another image runs after it than before.
  var brings: Bool {
    switch self {
    case .testSwap, .permanentSwap, .overwritten, .reverted, .switched: true
    case .none, .refused, .crashedAndReverted, .loader, .dead: false
    }
  }

  /// What runs is not what ran before, or was tried and given up.
  var changes: Bool { brings || self == .crashedAndReverted || self == .dead }

  /// The bootloader moves images, which takes its time.
  var moves: Bool { brings && self != .switched }
}
