import SMP
import Testing

@testable import Flashing

/// The machine that installs a SUIT package, input by input. Every [R] of facts/device-manager.md §4.3 has a row that shows the right behaviour.
@Suite struct SUITInstallTests {
  static let wanted = [UInt8](repeating: 7, count: 32)
  static let old = SUITBoardState(digests: [[1]], digest: [1], sequenceNumber: 3)
  static let new = SUITBoardState(digests: [wanted], digest: wanted, sequenceNumber: 4)
  static let pause = SUITInstall.Limits().pollInterval
  static let question = SUITResourceQuestion(session: 1, resource: SUITResourceID("file://a.bin"))

  static let raw = SUITResourceQuestion(session: 1, resource: SUITResourceID("raw://0"))

  /// What is reported to the machine.
  enum Input: Hashable, Sendable {
    case attached, linkEnded, read(SUITBoardState?), cleanedUp, uploaded, begun, beginRefused(SMPStatus), polled(SUITResourceQuestion?), pollFailed,
      pollUnanswered, waited
    case missing(SUITResourceID)
  }

  static func install(
    caches: Int = 0, route: SUITInstall.Route = .suitGroup, allowsDowngrade: Bool = false, wasWrittenBefore: Bool = false,
    limits: SUITInstall.Limits = SUITInstall.Limits(install: .seconds(30)), sequence: UInt64? = 4
  ) -> SUITInstall {
    let target = SUITInstall.Target(
      digest: wanted, sequenceNumber: sequence, caches: caches, allowsDowngrade: allowsDowngrade, wasWrittenBefore: wasWrittenBefore)
    return SUITInstall(target, route: route, limits: limits)
  }

  /// The actions that answer inputs in order.
  static func run(_ machine: inout SUITInstall, _ inputs: [Input]) -> [SUITInstall.Action] {
    inputs.compactMap { input in
      switch input {
      case .attached: return machine.attached()
      case .linkEnded:
        machine.linkEnded()
        return nil
      case .read(let state): return machine.read(state)
      case .cleanedUp: return machine.cleanedUp()
      case .uploaded: return machine.uploaded()
      case .begun: return machine.begun()
      case .beginRefused(let status): return machine.beginRefused(.status(status))
      case .polled(let question): return machine.polled(question)
      case .pollFailed: return machine.pollFailed()
      case .pollUnanswered: return machine.pollUnanswered()
      case .waited: return machine.waited()
      case .missing(let resource): return machine.resourceMissing(resource)
      }
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var machine: SUITInstall
    var inputs: [Input]
    var actions: [SUITInstall.Action]
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "installed already is skipped", machine: install(), inputs: [.attached, .read(new)], actions: [.read, .finished(.skipped)]),
    Row(
      name: "installed by an earlier attempt is passed", machine: install(wasWrittenBefore: true), inputs: [.attached, .read(new)],
      actions: [.read, .finished(.passed)]),
    // [R] The known client takes the envelope from an unsorted list: here it is first, whatever else there is.
    Row(
      name: "the envelope goes first, then the caches, then the order to begin", machine: install(caches: 2),
      inputs: [.attached, .read(old), .uploaded, .uploaded, .uploaded, .begun],
      actions: [.read, .upload(.envelope(deferred: true)), .upload(.cache(0)), .upload(.cache(1)), .begin, .poll]),
    Row(
      name: "without caches the board begins by itself", machine: install(), inputs: [.attached, .read(old), .uploaded, .polled(nil), .waited],
      actions: [.read, .upload(.envelope(deferred: false)), .poll, .wait(pause), .poll]),
    Row(
      name: "a resource is sent and the board asked again", machine: install(),
      inputs: [.attached, .read(old), .uploaded, .polled(question), .uploaded, .polled(nil)],
      actions: [.read, .upload(.envelope(deferred: false)), .poll, .upload(.resource(question)), .poll, .wait(pause)]),
    // [R] The known client takes a lost link for success.
    Row(
      name: "a restart is an installation when the manifest says so", machine: install(),
      inputs: [.attached, .read(old), .uploaded, .linkEnded, .attached, .read(new)],
      actions: [.read, .upload(.envelope(deferred: false)), .poll, .read, .finished(.passed)]),
    Row(
      name: "a restart with the old manifest is none", machine: install(limits: limits(looks: 1)),
      inputs: [.attached, .read(old), .uploaded, .linkEnded, .attached, .read(old)],
      actions: [
        .read, .upload(.envelope(deferred: false)), .poll, .read, .failed(.verifyNotInstalled, "the board came back and still has sequence number 3 installed"),
      ]),
    // [R] The known client takes an error, and a command that is not supported, for success.
    Row(
      name: "a refused question leads to a reading, and that decides", machine: install(limits: limits(looks: 2)),
      inputs: [.attached, .read(old), .uploaded, .pollFailed, .read(old), .waited, .pollFailed, .read(nil)],
      actions: [
        .read, .upload(.envelope(deferred: false)), .poll, .read, .wait(.milliseconds(4950)), .poll, .read,
        .failed(.verifyNotInstalled, "the board took the package and does not tell what is installed on it"),
      ]),
    Row(
      name: "a refused question is no failure either", machine: install(), inputs: [.attached, .read(old), .uploaded, .pollFailed, .read(new)],
      actions: [.read, .upload(.envelope(deferred: false)), .poll, .read, .finished(.passed)]),
    Row(
      name: "a question without an answer is asked again, for the board waits 5 s at most; then the manifest decides", machine: install(),
      inputs: [.attached, .read(old), .uploaded, .pollUnanswered, .pollUnanswered, .pollUnanswered, .read(new)],
      actions: [.read, .upload(.envelope(deferred: false)), .poll, .poll, .poll, .read, .finished(.passed)]),
    // [R] The known client takes another scheme for "no resource" and waits for success.
    Row(
      name: "a resource of another scheme is a failure", machine: install(),
      inputs: [.attached, .read(old), .uploaded, .polled(raw), .missing(SUITResourceID("raw://0"))],
      actions: [
        .read, .upload(.envelope(deferred: false)), .poll, .upload(.resource(raw)),
        .failed(.imageResourceMissing, "the board asks for raw://0, which is no file of a package"),
      ]),
    Row(
      name: "an older package is refused", machine: install(sequence: 2), inputs: [.attached, .read(old)],
      actions: [.read, .failed(.policyDowngrade, "the board has sequence number 3, the package 2")]),
    Row(
      name: "an older package is sent when that is meant", machine: install(allowsDowngrade: true, sequence: 2), inputs: [.attached, .read(old)],
      actions: [.read, .upload(.envelope(deferred: false))]),
    Row(
      name: "the board's own policy outranks ours", machine: install(allowsDowngrade: true, sequence: 2),
      inputs: [.attached, .read(SUITBoardState(digests: [[1]], digest: [1], sequenceNumber: 3, forbidsDowngrade: true))],
      actions: [.read, .failed(.policyDowngrade, "the board has sequence number 3, the package 2, and the board's own policy forbids an older one")]),
    Row(
      name: "pieces of an earlier attempt are erased", machine: install(wasWrittenBefore: true), inputs: [.attached, .read(old), .cleanedUp],
      actions: [.read, .cleanUp, .upload(.envelope(deferred: false))]),
    Row(
      name: "a link lost in a cache begins anew", machine: install(caches: 1), inputs: [.attached, .read(old), .uploaded, .attached, .read(old), .cleanedUp],
      actions: [.read, .upload(.envelope(deferred: true)), .upload(.cache(0)), .read, .cleanUp, .upload(.envelope(deferred: true))]),
    Row(
      name: "a refusal to begin ends it", machine: install(caches: 1), inputs: [.attached, .read(old), .uploaded, .uploaded, .beginRefused(.badState)],
      actions: [
        .read, .upload(.envelope(deferred: true)), .upload(.cache(0)), .begin,
        .failed(
          .imageRefused,
          "the board refused to begin the installation: the board is not ready for it: nothing is being transferred, or its partition is not prepared (suit, rc 6)"
        ),
      ]),
    Row(
      name: "EUNKNOWN at the beginning is tried again, not for ever", machine: install(caches: 1),
      inputs: [.attached, .read(old), .uploaded, .uploaded, .beginRefused(.unknown), .waited, .beginRefused(.unknown), .waited, .beginRefused(.unknown)],
      actions: [
        .read, .upload(.envelope(deferred: true)), .upload(.cache(0)), .begin, .wait(pause), .begin, .wait(pause), .begin,
        .failed(.imageRefused, "the board refused to begin the installation: the board could not do it and gives no reason (suit, rc 1)"),
      ]),
    Row(
      name: "over the image group: everything, a confirmation, and a reading", machine: install(caches: 1, route: .imageGroup),
      inputs: [.attached, .read(old), .uploaded, .uploaded, .begun, .waited, .read(old), .waited, .read(new)],
      actions: [
        .read, .upload(.envelope(deferred: false)), .upload(.cache(0)), .begin, .wait(.milliseconds(4950)), .read, .wait(.milliseconds(4950)), .read,
        .finished(.passed),
      ]),
    Row(
      name: "over the image group without a confirmation", machine: install(route: .imageGroup),
      inputs: [.attached, .read(old), .uploaded, .beginRefused(.notSupported)],
      actions: [.read, .upload(.envelope(deferred: false)), .begin, .wait(.milliseconds(4950))]),
    Row(
      name: "a board that tells nothing is not written to", machine: install(), inputs: [.attached, .read(nil)],
      actions: [.read, .failed(.smpError, "the board does not tell what is installed on it")]),
    Row(
      name: "a report out of turn is the station's defect", machine: install(), inputs: [.attached, .begun],
      actions: [.read, .failed(.stationInternal, "a step of the installation was reported out of turn")]),
  ]

  static func limits(looks: Int = 6, questions: Int = 64, returns: Int = 3) -> SUITInstall.Limits {
    var limits = SUITInstall.Limits(install: .seconds(30))
    limits.looks = looks
    limits.looksAfterReturn = min(limits.looksAfterReturn, looks)
    limits.questions = questions
    limits.returns = returns
    return limits
  }

  @Test("Inputs and actions", arguments: rows)
  func row(_ row: Row) {
    var machine = row.machine
    #expect(Self.run(&machine, row.inputs) == row.actions)
  }

  /// [R] The known client declares success after 33 empty answers, about 5 s.
  @Test func emptyAnswersAreNoSuccess() {
    var machine = Self.install(limits: Self.limits(looks: 2))
    _ = Self.run(&machine, [.attached, .read(Self.old), .uploaded])
    for look in 1...2 {
      for poll in 1...33 { #expect(machine.polled(nil) == (poll == 33 ? .read : .wait(Self.pause))) }
      let action = machine.read(Self.old)
      let end = SUITInstall.Action.failed(.verifyNotInstalled, "the board took the package and still has sequence number 3 installed")
      #expect(action == (look == 1 ? .poll : end))
    }
  }

  @Test func noBoardAsksForEver() {
    var machine = Self.install(limits: Self.limits(questions: 5))
    _ = Self.run(&machine, [.attached, .read(Self.old), .uploaded])
    for number in 1...5 {
      let question = SUITResourceQuestion(session: number, resource: SUITResourceID("file://\(number)"))
      #expect(machine.polled(question) == .upload(.resource(question)))
      #expect(machine.uploaded() == .poll)
    }
    #expect(machine.polled(Self.question) == .failed(.imageRefused, "the board asked for more than 5 resources"))
  }

  @Test func noBoardGetsTheSameForEver() {
    var machine = Self.install()
    _ = Self.run(&machine, [.attached, .read(Self.old), .uploaded])
    for _ in 1...3 {
      #expect(machine.polled(Self.question) == .upload(.resource(Self.question)))
      #expect(machine.uploaded() == .poll)
    }
    #expect(machine.polled(Self.question) == .failed(.imageRefused, "the board got file://a.bin 3 times and asks for it again"))
  }

  @Test func noBoardRestartsForEver() {
    var machine = Self.install(limits: Self.limits(returns: 1))
    #expect(
      Self.run(&machine, [.attached, .read(Self.old), .uploaded, .linkEnded, .attached, .read(Self.old), .linkEnded, .attached]).last
        == .failed(.verifyNoEnd, "the board's link ended 2 times while it was to install"))
  }

  @Test("Which manifest is the root, and what the columns show")
  func boardState() {
    let app = SUITManifestState(downgradePolicy: .enabled, digest: [1], sequenceNumber: 9, semanticVersion: [1, 2, 3])
    let top = SUITManifestState(digest: Self.wanted, sequenceNumber: 2)
    let installed = SUITBoardState([.applicationRoot: app, .topSecure: top], wanted: Self.wanted)
    #expect(installed.digest == Self.wanted)
    #expect(installed.text == "2")
    #expect(!installed.forbidsDowngrade)
    let other = SUITBoardState([.applicationRoot: app, .radioLocal1: SUITManifestState(digest: [2])], wanted: Self.wanted)
    #expect(other.digest == [1])
    #expect(other.forbidsDowngrade)
    #expect(other.digests == [[1], [2]])
    #expect(SUITBoardState([.applicationRoot: SUITManifestState(semanticVersion: [1, 0, 0, -2, 1])], wanted: Self.wanted).text == "1.0.0-beta1")
    let listed = SUITBoardState([ImageSlot(slot: 0, version: "5", hash: [3]), ImageSlot(slot: 1, version: "6", hash: Self.wanted)])
    #expect(listed.digests == [[3]])
    #expect(listed.sequenceNumber == 5)
  }

  @Test("Resources of a package: by exact name, otherwise in any case, and only files")
  func resources() {
    let files = SUITResources([(name: "Radio.bin", bytes: [1]), (name: "radio.bin", bytes: [2]), (name: "Radio.bin", bytes: [3])])
    #expect(files.content(of: SUITResourceID("file://Radio.bin")) == [1])
    #expect(files.content(of: SUITResourceID("file://radio.bin")) == [2])
    #expect(files.content(of: SUITResourceID("FILE://RADIO.BIN")) == [1])
    #expect(files.content(of: SUITResourceID("radio.bin")) == nil)
    #expect(files.content(of: SUITResourceID("http://radio.bin")) == nil)
  }
}
