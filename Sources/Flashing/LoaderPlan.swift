import Firmware
import SMP

/// The plan for a board whose application is written by a firmware loader (bootloader mode 7; facts/device-manager.md §1.7, facts/smp.md §6, "Bare metal").
///
/// The application says what runs, or does not have the image list at all (rc 8). The loader lists and writes slot 0. There is one reset back, and then
/// what can be read is read: the list, or else the version that the application tells.
struct LoaderPlan: Hashable, Sendable {
  typealias Step = UpdatePlan.Step

  /// Times a board is sent to its loader in one attempt.
  static let entryLimit = 3

  private let target: UpdatePlan.Target
  private var entries = 0
  private var hasUploaded = false
  private var hasWritten = false
  /// The reset back was sent with the wanted image in slot 0.
  private var hasLeft = false
  /// What to end with once the board is back in its application.
  private var verdict: Step?

  init(target: UpdatePlan.Target) {
    self.target = target
  }

  private var wanted: UpdatePlan.Image? { target.images.first }

  mutating func next(_ reading: BoardReading) -> Step {
    guard let wanted else { return .failed(.policyBootloader, "the package holds no image") }
    // A list without a running slot 0 comes from the loader, wherever it was found.
    let isLoader =
      reading.place == .loader || reading.slots.map { slots in !slots.contains { $0.slot == 0 && $0.image == 0 && ($0.active || slots.count == 1) } } ?? false
    if isLoader { return inLoader(reading, wanted) }
    if let verdict { return verdict }
    return hasLeft ? judge(reading, wanted) : inApplication(reading, wanted)
  }

  mutating func executed(_ step: Step) {
    switch step {
    case .enterLoader:
      entries += 1
      hasLeft = false
    case .upload: hasUploaded = true
    case .reset(.swap): hasLeft = true
    case .eraseOther, .markForTest, .markPermanent, .confirmRunning, .reset, .finished, .failed: break
    }
  }

  mutating func beganUpload() { hasWritten = true }

  // MARK: in the application

  private func inApplication(_ reading: BoardReading, _ wanted: UpdatePlan.Image) -> Step {
    let active = reading.slots?.first { $0.image == 0 && $0.slot == 0 }
    if let active, active.hash == wanted.hash { return done(.confirmed, by: .imageHash) }
    if !hasWritten, let refusal = refusal(active?.version ?? reading.version, wanted) { return refusal }
    guard entries < Self.entryLimit else {
      return .failed(.dfuNotEntered, "the board came back in its application \(entries) times before the firmware loader had written it")
    }
    return .enterLoader
  }

  private func refusal(_ version: String?, _ wanted: UpdatePlan.Image) -> Step? {
    guard target.images.count == 1, wanted.number == 0 else {
      return .failed(.policyBootloader, "the board's firmware loader writes one image, and the package holds \(target.images.count)")
    }
    switch target.mode {
    case .testOnly: return .failed(.policyNoRevert, "the firmware loader overwrites the old image, so testOnly cannot be kept")
    case .uploadOnly: return .failed(.policyBootloader, "the firmware loader overwrites the image that runs, so uploadOnly cannot be kept")
    case .confirmOnly, .testAndConfirm: return downgrade(version, wanted)
    }
  }

  private func downgrade(_ version: String?, _ wanted: UpdatePlan.Image) -> Step? {
    guard !target.allowsDowngrade, let version, let has = Self.version(version), let new = ImageVersion(wanted.version), has > new else { return nil }
    return .failed(.policyDowngrade, "the board runs \(version), newer than \(wanted.version)")
  }

  // MARK: in the loader

  private mutating func inLoader(_ reading: BoardReading, _ wanted: UpdatePlan.Image) -> Step {
    guard let slots = reading.slots else {
      return leave(with: .failed(.smpNotSupported, "the board's firmware loader does not list its images"))
    }
    let stored = slots.first { $0.image == 0 && $0.slot == 0 }
    if let stored, stored.hash == wanted.hash, hasUploaded || target.trustsStoredImage { return .reset(.swap) }
    if hasUploaded {
      return .failed(.verifyNotStored, "after the upload the firmware loader lists \(stored.map { "another image (\($0.version))" } ?? "no image") in slot 0")
    }
    if !hasWritten, let refusal = refusal(stored?.version, wanted) { return leave(with: refusal) }
    return .upload(0)
  }

  /// Nothing will be written: the board goes back to its application first.
  private mutating func leave(with verdict: Step) -> Step {
    if self.verdict != nil { return verdict }
    self.verdict = verdict
    return .reset(.clear)
  }

  // MARK: back again

  private func judge(_ reading: BoardReading, _ wanted: UpdatePlan.Image) -> Step {
    if let slots = reading.slots {
      guard let active = slots.first(where: { $0.image == 0 && $0.slot == 0 }) else { return .failed(.verifyOtherFirmware, "the board lists no running image") }
      guard active.hash == wanted.hash else {
        return .failed(.verifyOtherFirmware, "the board came back with image \(active.version), which is not the one in the loader's list")
      }
      return done(.confirmed, by: .imageHash)
    }
    guard let version = reading.version, let has = Self.version(version), let new = ImageVersion(wanted.version) else { return done(.stored, by: .none) }
    // A version without a build number says nothing about it.
    let isSame = (has.major, has.minor, has.revision) == (new.major, new.minor, new.revision) && (has.build == 0 || has.build == new.build)
    guard isSame else { return .failed(.verifyOtherFirmware, "the board tells version \(version) after the restart; \(wanted.version) was written") }
    return done(.confirmed, by: .version)
  }

  private func done(_ state: ImageState, by verification: Verification) -> Step {
    .finished(hasWritten || target.wasWrittenBefore ? .passed : .skipped, state, by: verification)
  }

  /// What a Device Information Service writes: `1.2.3`, `v1.2.3+4`, `1.2.3.4`.
  private static func version(_ text: String) -> ImageVersion? {
    ImageVersion(text.first == "v" || text.first == "V" ? String(text.dropFirst()) : text)
  }
}
