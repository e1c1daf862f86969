import Firmware
import Testing

@testable import VirtualLine

/// What list, upload, test, confirm and reset do under each mode of MCUboot. Sources: smp.md §3.1 (modes), §3.2, §4.2, §5; device-manager.md §1.2.
struct BootModeTests {
  /// The answer to the query "mode": device-manager.md §9 gives the request, smp.md §3.1 the numbers.
  @Test(arguments: [
    (BootMode.single, "00"), (.swapScratch, "01"), (.overwrite, "02"), (.swapMove, "03"), (.directXIP, "04"), (.directXIPRevert, "05"), (.ramLoad, "06"),
    (.firmwareLoader, "07"), (.singleRAMLoad, "08"), (.swapOffset, "09"),
  ])
  func modeIsTold(_ mode: BootMode, _ number: String) {
    var bench = BoardBench(settings { $0.bootMode = mode })
    #expect(bench.connect() == 498)
    #expect(bench.ask("0800000C00000208A1657175657279646D6F6465") == "0900000800000208bf646d6f6465" + number + "ff")
  }

  /// −1, no information at all, and the ban on older images (smp.md §3.1).
  @Test func modesThatAreNotTold() {
    var unknown = BoardBench(settings(.ramLoad) { $0.reportedMode = -1 })
    _ = unknown.connect()
    #expect(unknown.ask("0800000C00000208A1657175657279646D6F6465") == "0900000800000208bf646d6f646520ff")
    var none = BoardBench(settings { $0.bootloaderInfo = false })
    _ = none.connect()
    #expect(none.ask("0800000100000008A0") == "0900000600000008bf62726308ff")
    #expect(none.ask("0800000C00000208A1657175657279646D6F6465") == "0900000600000208bf62726308ff")
    var upwards = BoardBench(settings { $0.noDowngrade = true })
    _ = upwards.connect()
    #expect(upwards.ask("0800000C00000208A1657175657279646D6F6465") == "0900001600000208bf646d6f6465036c6e6f2d646f776e6772616465f5ff")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    enum Mark: Sendable {
      case none, test, permanent
    }

    var mode: BootMode
    var mark = Mark.none
    /// The group error of the first chunk; nil when the whole upload is taken.
    var upload: Int?
    /// Whether test and confirm are built.
    var marks = true
    var uploaded: [String]
    var marked: [String]
    /// After one reset, and after another one without a confirmation.
    var first: [String]
    var second: [String]
    var steps: [BootStep]

    var testDescription: String { "\(mode), \(mark)" }
  }

  static let alone = ["1.0.0 bca"]
  static let stored = ["1.0.0 bca", "2.0.0 b"]
  static let next = ["1.0.0 bca", "2.0.0 bpP"]
  static let trial = ["1.0.0 bca", "2.0.0 bp"]
  static let swapped = ["2.0.0 bca", "1.0.0 b"]

  static let rows =
    [BootMode.swapScratch, .swapMove, .swapOffset].flatMap { mode in
      [
        Row(mode: mode, uploaded: stored, marked: stored, first: stored, second: stored, steps: [.none, .none]),
        Row(mode: mode, mark: .test, uploaded: stored, marked: trial, first: ["2.0.0 ba", "1.0.0 bc"], second: stored, steps: [.testSwap, .reverted]),
        Row(mode: mode, mark: .permanent, uploaded: stored, marked: next, first: swapped, second: swapped, steps: [.permanentSwap, .none]),
      ]
    } + [
      Row(mode: .single, upload: 9, uploaded: alone, marked: alone, first: alone, second: alone, steps: [.none, .none]),
      Row(mode: .singleRAMLoad, upload: 9, marks: false, uploaded: alone, marked: alone, first: alone, second: alone, steps: [.none, .none]),
      Row(mode: .overwrite, uploaded: stored, marked: stored, first: stored, second: stored, steps: [.none, .none]),
      Row(
        mode: .overwrite, mark: .test, uploaded: stored, marked: next, first: ["2.0.0 bca", "-"], second: ["2.0.0 bca", "-"], steps: [.overwritten, .none]),
      // The higher version is what starts next, without a mark.
      Row(
        mode: .directXIP, marks: false, uploaded: next, marked: next, first: ["1.0.0 b", "2.0.0 bca"], second: ["1.0.0 b", "2.0.0 bca"],
        steps: [.switched, .none]),
      Row(
        mode: .ramLoad, marks: false, uploaded: next, marked: next, first: ["1.0.0 b", "2.0.0 bca"], second: ["1.0.0 b", "2.0.0 bca"],
        steps: [.switched, .none]),
      // With revert an image that nobody marked is erased when its turn comes; on trial it is erased at the reset after.
      Row(mode: .directXIPRevert, uploaded: stored, marked: stored, first: ["1.0.0 bca", "-"], second: ["1.0.0 bca", "-"], steps: [.refused, .none]),
      Row(
        mode: .directXIPRevert, mark: .test, uploaded: stored, marked: trial, first: ["1.0.0 bc", "2.0.0 ba"], second: ["1.0.0 bca", "-"],
        steps: [.switched, .reverted]),
      Row(
        mode: .directXIPRevert, mark: .permanent, uploaded: stored, marked: next, first: ["1.0.0 b", "2.0.0 bca"], second: ["1.0.0 b", "2.0.0 bca"],
        steps: [.switched, .none]),
    ]

  @Test(arguments: rows)
  func lifecycle(_ row: Row) {
    let built = settings { $0.bootMode = row.mode }
    var bench = BoardBench(built)
    _ = bench.connect()
    let file = Self.build(built, "2.0.0", slot: 1)
    let answer = bench.upload(file, image: 0)
    if let code = row.upload { #expect(answer == HandList.error(code, command: 1)) }
    #expect(bench.slots == row.uploaded)
    let hash = StoredImage(file)?.hash
    if row.marks {
      switch row.mark {
      case .none: break
      case .test: _ = bench.setState(hash, confirm: false)
      case .permanent: _ = bench.setState(hash, confirm: true)
      }
    } else {
      for confirm in [false, true] { #expect(bench.setState(hash, confirm: confirm) == HandList.notBuilt(command: 0)) }
      #expect(bench.setState(nil, confirm: true) == HandList.notBuilt(command: 0))
    }
    #expect(bench.slots == row.marked)
    bench.reset()
    #expect(bench.slots == row.first)
    bench.reset()
    #expect(bench.slots == row.second)
    #expect(bench.board.boots == row.steps)
    #expect(bench.board.advertises || bench.board.isConnected)
  }

  static func build(_ settings: BoardSettings, _ version: String, slot: Int, image: Int = 0) -> [UInt8] {
    guard let version = ImageVersion(version) else { return [] }
    let hash = settings.digest(of: image) ?? .sha256
    return VirtualFirmware.make(version: version, size: 300, hash: hash, place: settings.place(of: image, slot: slot), number: image)
  }

  // MARK: Direct-XIP

  /// Two builds, each for one slot (smp.md §1.5, 25; §5, load_addr and ROM_FIXED): 0x10000 and 0x79000 here.
  @Test(arguments: [SMPKind.xip, .xipRevert])
  func theBuildForTheOtherSlotIsRefused(_ kind: SMPKind) {
    let settings = kind.settings
    let (first, second) = (Self.build(settings, "2.0.0", slot: 0), Self.build(settings, "2.0.0", slot: 1))
    #expect(hex(Array(first[4..<8])) == "00000100")
    #expect(hex(Array(second[4..<8])) == "00900700")
    #expect(hex(Array(first[16..<20])) == "00010000")
    var bench = BoardBench(settings)
    _ = bench.connect()
    #expect(bench.upload(first, image: 0) == HandList.error(25, command: 1))
    #expect(bench.slots == ["1.0.0 bca", "-"])
    #expect(bench.upload(second, image: 0).hasSuffix("ff"))
    _ = bench.setState(StoredImage(second)?.hash, confirm: true)
    bench.reset()
    #expect(bench.slots == ["1.0.0 b", "2.0.0 bca"])
    // Now the first slot is the free one.
    #expect(bench.upload(Self.build(settings, "3.0.0", slot: 1), image: 0) == HandList.error(25, command: 1))
    let third = Self.build(settings, "3.0.0", slot: 0)
    bench.upload(third, image: 0)
    _ = bench.setState(StoredImage(third)?.hash, confirm: true)
    bench.reset()
    #expect(bench.slots == ["3.0.0 bca", "2.0.0 b"])
  }

  /// "Device picks higher M.m.r(.b), ties → lower slot" (smp.md §5).
  @Test(arguments: [("1.0.0", 0, false), ("1.0.0+1", 1, true), ("0.9.9", 0, false), ("1.0.1", 1, true)])
  func theHigherVersionRuns(_ version: String, _ slot: Int, _ isNext: Bool) {
    let settings = SMPKind.xip.settings
    var bench = BoardBench(settings)
    _ = bench.connect()
    bench.upload(Self.build(settings, version, slot: 1), image: 0)
    #expect(bench.slots.last?.hasSuffix("pP") == isNext)
    bench.reset()
    #expect(bench.board.flash.images[0].active == slot)
  }

  /// The list reads headers, MCUboot checks hashes.
  @Test func aSpoiltBuildIsPendingAndNeverRuns() {
    let settings = SMPKind.xip.settings
    var bench = BoardBench(settings, faults: [BoardFault(.spoilImage)])
    _ = bench.connect()
    bench.upload(Self.build(settings, "2.0.0", slot: 1), image: 0)
    bench.reset()
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 bpP"])
    #expect(bench.board.boots == [.none])
  }

  @Test func onTrialNothingElseIsTaken() {
    let settings = SMPKind.xipRevert.settings
    var bench = BoardBench(settings)
    _ = bench.connect()
    let file = Self.build(settings, "2.0.0", slot: 1)
    let hash = StoredImage(file)?.hash
    bench.upload(file, image: 0)
    _ = bench.setState(hash, confirm: false)
    bench.reset()
    #expect(bench.slots == ["1.0.0 bc", "2.0.0 ba"])
    #expect(bench.upload(Self.build(settings, "3.0.0", slot: 0), image: 0) == HandList.error(9, command: 1))
    #expect(bench.ask("0a00000100010005a0") == HandList.error(9, command: 5))
    #expect(bench.setState(FirstImages.image(0, settings, size: 256)?.hash, confirm: false) == HandList.error(28, command: 0))
    #expect(bench.setState(hash, confirm: false) == HandList.error(28, command: 0))
    _ = bench.setState(nil, confirm: true)
    #expect(bench.slots == ["1.0.0 b", "2.0.0 bca"])
    bench.reset()
    #expect(bench.slots == ["1.0.0 b", "2.0.0 bca"])
  }

  /// The watchdog's reset finds an image that has run and was not confirmed.
  @Test(arguments: [(SMPKind.xipRevert, BootStep.crashedAndReverted, ["1.0.0 bca", "-"]), (.xip, .dead, ["1.0.0 b", "2.0.0 bca"])])
  func aBuildThatDoesNotComeUp(_ kind: SMPKind, _ step: BootStep, _ slots: [String]) {
    let settings = kind.settings
    var bench = BoardBench(settings, faults: [BoardFault(.imageReverts)])
    _ = bench.connect()
    let file = Self.build(settings, "2.0.0", slot: 1)
    bench.upload(file, image: 0)
    _ = bench.setState(StoredImage(file)?.hash, confirm: false)
    bench.reset()
    #expect(bench.slots == slots)
    #expect(bench.board.boots == [step])
    #expect(bench.board.isConnected == (step != .dead))
  }

  // MARK: Hashes and versions

  /// smp.md §3.2: 32, 48 or 64 bytes, under the key `hash` (58 20, 58 30, 58 40).
  @Test(arguments: [(ImageDigest.sha256, "5820"), (.sha384, "5830"), (.sha512, "5840")])
  func hashLengths(_ digest: ImageDigest, _ head: String) {
    var bench = BoardBench(settings { $0.hash = digest.rawValue })
    _ = bench.connect()
    let hash = FirstImages.image(0, bench.board.settings, size: 256)?.hash ?? []
    #expect(hash.count == digest.length)
    let answer = bench.ask(BoardBench.list)
    #expect(answer == HandList.answer([HandList.entry(slot: 0, "1.0.0", hash, "bca")]))
    #expect(answer.contains("6468617368" + head))
  }

  /// A build for SHA-512 knows no other hash (smp.md §3.2, last sentence of "State read"; err 24 for another length).
  @Test func aBuildThatKnowsOneHash() {
    let settings = SMPKind.sha512.settings
    var bench = BoardBench(settings)
    _ = bench.connect()
    let other = VirtualFirmware.make(version: ImageVersion(major: 2, minor: 0, revision: 0), size: 300)
    bench.upload(other, image: 0)
    #expect(!bench.ask(BoardBench.list).contains(hex(Hand.text("2.0.0"))))
    #expect(bench.setState(StoredImage(other)?.hash, confirm: true) == HandList.error(24, command: 0))
    let right = Self.build(settings, "2.0.0", slot: 1)
    bench.upload(right, image: 0)
    _ = bench.setState(StoredImage(right)?.hash, confirm: true)
    bench.reset()
    #expect(bench.slots == ["2.0.0 bca", "1.0.0 b"])
  }

  @Test func anOlderImageIsRefusedByTheBootloader() {
    let settings = settings { $0.noDowngrade = true }
    var bench = BoardBench(settings)
    _ = bench.connect()
    let file = Self.build(settings, "0.9.0", slot: 1)
    bench.upload(file, image: 0)
    _ = bench.setState(StoredImage(file)?.hash, confirm: true)
    bench.reset()
    #expect(bench.slots == ["1.0.0 bca", "-"])
    #expect(bench.board.boots == [.refused])
  }

  /// `upgrade: true` (smp.md §3.2): err 27 without the build number.
  @Test(arguments: [("1.0.0", true), ("1.0.0+7", true), ("0.9.0", true), ("1.0.1", false)])
  func upgradesOnly(_ version: String, _ isRefused: Bool) {
    let settings = BoardSettings()
    var bench = BoardBench(settings)
    _ = bench.connect()
    let file = Self.build(settings, version, slot: 1)
    let map = Hand.map([("off", Hand.number(0)), ("data", Hand.data(Array(file[0..<200]))), ("len", Hand.number(file.count)), ("upgrade", [0xF5])])
    #expect((hex(bench.ask(request(2, group: 1, command: 1, map)).flatMap { $0 }) == HandList.error(27, command: 1)) == isRefused)
  }

  /// `CONFIG_MCUMGR_GRP_IMG_DIRECT_UPLOAD` (smp.md §3.2): 1 is the running slot, 2 the other one.
  @Test(arguments: [(0, nil), (1, 9), (2, nil), (3, 9)])
  func directUpload(_ number: Int, _ code: Int?) {
    let settings = settings { $0.directUpload = true }
    var bench = BoardBench(settings)
    _ = bench.connect()
    let answer = bench.upload(Self.build(settings, "2.0.0", slot: 1), image: number)
    if let code { #expect(answer == HandList.error(code, command: 1)) } else { #expect(bench.slots == Self.stored) }
  }
}
