import Flashing
import SMP
import Testing

/// The plan against every state of facts/device-manager.md §1.12 (normal, tested, confirmed, test mode) in the four modes, by table.
struct UpdatePlanTests {
  static let old: [UInt8] = Array(repeating: 1, count: 32)
  static let wanted: [UInt8] = Array(repeating: 2, count: 32)
  static let foreign: [UInt8] = Array(repeating: 3, count: 32)

  /// A slot in short: hash and the letters of its flags (a active, c confirmed, p pending, P permanent).
  static func slot(_ number: Int, _ hash: [UInt8], _ flags: String, version: String = "1.0.0") -> ImageSlot {
    ImageSlot(
      slot: number, version: version, hash: hash, bootable: true, pending: flags.contains("p") || flags.contains("P"), confirmed: flags.contains("c"),
      active: flags.contains("a"), permanent: flags.contains("P"))
  }

  static func plan(
    _ mode: UpgradeMode, _ bootloader: Bootloader = .swap, downgrade: Bool = false, trusts: Bool = true, writtenBefore: Bool = false
  ) -> UpdatePlan {
    UpdatePlan(
      target: .init(
        hash: wanted, version: "2.0.0", mode: mode, allowsDowngrade: downgrade, trustsStoredImage: trusts, wasWrittenBefore: writtenBefore),
      bootloader: bootloader)
  }

  static let normal = [slot(0, old, "ac")]
  static let stored = [slot(0, old, "ac"), slot(1, wanted, "", version: "2.0.0")]
  static let tested = [slot(0, old, "ac"), slot(1, wanted, "p", version: "2.0.0")]
  static let permanent = [slot(0, old, "ac"), slot(1, wanted, "P", version: "2.0.0")]
  static let onTrial = [slot(0, wanted, "a", version: "2.0.0"), slot(1, old, "c")]
  static let forGood = [slot(0, wanted, "ac", version: "2.0.0"), slot(1, old, "")]
  static let reverted = [slot(0, old, "ac"), slot(1, wanted, "", version: "2.0.0")]
  static let foreignPending = [slot(0, old, "ac"), slot(1, foreign, "p")]
  static let foreignPermanent = [slot(0, old, "ac"), slot(1, foreign, "P")]
  static let foreignOnTrial = [slot(0, foreign, "a"), slot(1, old, "c")]

  struct First: Sendable, CustomTestStringConvertible {
    var name: String
    var slots: [ImageSlot]
    /// By testOnly, confirmOnly, testAndConfirm, uploadOnly.
    var steps: [UpdatePlan.Step]
    var testDescription: String { name }
  }

  @Test(
    "The first step from each state in each mode",
    arguments: [
      First(name: "normal", slots: normal, steps: [.upload(0), .upload(0), .upload(0), .upload(0)]),
      First(
        name: "already stored", slots: stored, steps: [.markForTest(0), .markPermanent(0), .markForTest(0), .finished(.skipped, .stored)]),
      First(name: "already pending", slots: tested, steps: [.reset(.swap), .reset(.swap), .reset(.swap), .upload(0)]),
      First(name: "already permanent", slots: permanent, steps: [.upload(0), .reset(.swap), .reset(.swap), .upload(0)]),
      First(
        name: "wanted runs on trial", slots: onTrial,
        steps: [.finished(.skipped, .testing), .confirmRunning(0), .confirmRunning(0), .finished(.skipped, .testing)]),
      First(
        name: "wanted runs for good", slots: forGood,
        steps: Array(repeating: .finished(.skipped, .confirmed), count: 4)),
      First(name: "foreign image pending", slots: foreignPending, steps: Array(repeating: .eraseOther(image: 0, slot: 1), count: 4)),
      First(name: "foreign image permanent", slots: foreignPermanent, steps: Array(repeating: .eraseOther(image: 0, slot: 1), count: 4)),
      First(name: "foreign image on trial", slots: foreignOnTrial, steps: Array(repeating: .reset(.clear), count: 4)),
    ])
  func firstStep(_ row: First) {
    for (mode, step) in zip([UpgradeMode.testOnly, .confirmOnly, .testAndConfirm, .uploadOnly], row.steps) {
      var plan = Self.plan(mode)
      #expect(plan.next(row.slots) == step, "\(mode)")
    }
  }

  struct Run: Sendable, CustomTestStringConvertible {
    var name: String
    var mode: UpgradeMode
    var bootloader = Bootloader.swap
    /// What is read before each step, and the step expected then.
    var readings: [(slots: [ImageSlot], step: UpdatePlan.Step)]
    var testDescription: String { name }
  }

  @Test(
    "Whole runs: each step is executed, then the next reading",
    arguments: [
      Run(
        name: "testAndConfirm", mode: .testAndConfirm,
        readings: [
          (normal, .upload(0)), (stored, .markForTest(0)), (tested, .reset(.swap)), (onTrial, .confirmRunning(0)), (forGood, .finished(.passed, .confirmed)),
        ]),
      Run(
        name: "testOnly", mode: .testOnly,
        readings: [(normal, .upload(0)), (stored, .markForTest(0)), (tested, .reset(.swap)), (onTrial, .finished(.passed, .testing))]),
      Run(
        name: "confirmOnly", mode: .confirmOnly,
        readings: [(normal, .upload(0)), (stored, .markPermanent(0)), (permanent, .reset(.swap)), (forGood, .finished(.passed, .confirmed))]),
      Run(name: "uploadOnly", mode: .uploadOnly, readings: [(normal, .upload(0)), (stored, .finished(.passed, .stored))]),
      Run(
        name: "overwrite-only: nothing to confirm after the reset", mode: .testAndConfirm, bootloader: .overwrite,
        readings: [
          (normal, .upload(0)), (stored, .markForTest(0)), (permanent, .reset(.swap)), ([slot(0, wanted, "ac")], .finished(.passed, .confirmed)),
        ]),
      Run(
        name: "foreign on trial: reset brings the old one back", mode: .testAndConfirm,
        readings: [(foreignOnTrial, .reset(.clear)), ([slot(0, old, "ac"), slot(1, foreign, "")], .upload(0)), (stored, .markForTest(0))]),
      Run(
        name: "foreign pending: erased, then uploaded", mode: .testAndConfirm,
        readings: [(foreignPending, .eraseOther(image: 0, slot: 1)), (normal, .upload(0)), (stored, .markForTest(0))]),
      Run(
        name: "uploaded but not listed", mode: .testAndConfirm,
        readings: [(normal, .upload(0)), (normal, .failed(.verifyNotStored, "after the upload the board lists no image in the other slot"))]),
      Run(
        name: "marked but not pending", mode: .testAndConfirm,
        readings: [(stored, .markForTest(0)), (stored, .failed(.verifyNotPending, "the board did not mark the image as pending"))]),
      Run(
        name: "confirmed but not listed so", mode: .testAndConfirm,
        readings: [
          (onTrial, .confirmRunning(0)),
          (onTrial, .failed(.verifyNotConfirmed, "the board accepted the confirmation, but does not list the image as confirmed")),
        ]),
      Run(
        name: "reverted", mode: .testAndConfirm,
        readings: [
          (tested, .reset(.swap)), (reverted, .failed(.verifyReverted, "the image ran and was given up: the board is back on the old one (1.0.0)")),
        ]),
      Run(
        name: "refused by the bootloader", mode: .testAndConfirm,
        readings: [
          (tested, .reset(.swap)),
          (normal, .failed(.verifyNotSwapped, "the bootloader did not accept the image: the board came back with the old one (1.0.0)")),
        ]),
      Run(
        name: "still pending after the reset", mode: .testAndConfirm,
        readings: [
          (tested, .reset(.swap)),
          (tested, .reset(.swap)),
          (tested, .failed(.verifyNotSwapped, "after 2 restarts the image is still pending and the old one (1.0.0) runs")),
        ]),
      Run(
        name: "other firmware", mode: .testAndConfirm,
        readings: [
          (tested, .reset(.swap)),
          (
            [slot(0, foreign, "ac", version: "9.9.9")],
            .failed(.verifyOtherFirmware, "the board came back with image 9.9.9 that was neither sent nor there before")
          ),
        ]),
    ])
  func wholeRun(_ run: Run) {
    var plan = Self.plan(run.mode, run.bootloader)
    for (slots, step) in run.readings {
      #expect(plan.next(slots) == step)
      plan.executed(step)
    }
  }

  @Test("A refused erase is replaced by resets, and those have a limit")
  func refusedErase() {
    var plan = Self.plan(.testAndConfirm)
    #expect(plan.next(Self.foreignPending) == .eraseOther(image: 0, slot: 1))
    plan.eraseWasRefused()
    for _ in 0..<UpdatePlan.clearingLimit {
      let step = plan.next(Self.foreignPending)
      #expect(step == .reset(.clear))
      plan.executed(step)
    }
    #expect(plan.next(Self.foreignPending) == .failed(.imageNoSlot, "a foreign image stays pending after 3 restarts"))
  }

  @Test("A board whose state never settles ends at the step limit")
  func noEnd() {
    var plan = Self.plan(.testAndConfirm)
    for _ in 0..<UpdatePlan.stepLimit { #expect(plan.next(Self.tested) == .reset(.swap)) }
    #expect(plan.next(Self.tested) == .failed(.verifyNoEnd, "the board's images did not settle within \(UpdatePlan.stepLimit) steps"))
  }

  @Test("Newer firmware on the board is refused unless a downgrade is allowed; build numbers count")
  func downgrade() {
    let newer = [Self.slot(0, Self.old, "ac", version: "2.0.0.1")]
    var strict = Self.plan(.testAndConfirm)
    #expect(strict.next(newer) == .failed(.policyDowngrade, "the board runs 2.0.0.1, newer than 2.0.0"))
    var lenient = Self.plan(.testAndConfirm, downgrade: true)
    #expect(lenient.next(newer) == .upload(0))
  }

  @Test("testOnly is refused where the bootloader cannot go back, before anything is written")
  func testOnlyOnOverwrite() {
    var plan = Self.plan(.testOnly, .overwrite)
    #expect(plan.next(Self.normal) == .failed(.policyNoRevert, "the bootloader overwrites the old image, so testOnly cannot be kept"))
    #expect(!plan.didWrite)
  }

  @Test("A stored image that is not trusted is uploaded again")
  func distrust() {
    var plan = Self.plan(.testAndConfirm, trusts: false)
    #expect(plan.next(Self.stored) == .upload(0))
  }

  @Test("What an earlier attempt of the batch did counts as passed, not skipped")
  func earlierAttempt() {
    var plan = Self.plan(.testAndConfirm, writtenBefore: true)
    #expect(plan.next(Self.forGood) == .finished(.passed, .confirmed))
  }

  @Test("An empty list, a list without flags (frugal) and a foreign image number")
  func oddLists() {
    var empty = Self.plan(.testAndConfirm)
    #expect(empty.next([]) == .failed(.verifyOtherFirmware, "the board lists no running image"))
    var other = Self.plan(.testAndConfirm)
    #expect(
      other.next([ImageSlot(image: 1, slot: 0, hash: Self.wanted, confirmed: true, active: true)])
        == .failed(.verifyOtherFirmware, "the board lists no running image"))
    var noHash = Self.plan(.testAndConfirm)
    #expect(noHash.next([ImageSlot(slot: 0, version: "1.0.0", confirmed: true, active: true)]) == .upload(0))
  }
}
