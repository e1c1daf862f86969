import Firmware
import Testing

@testable import VirtualLine

/// A board with several images: an application and a network core, an application and a patch. Sources: smp.md §3.2, §4.2, §6 (multi-image order);
/// device-manager.md §1.9 and §11.7.
struct BoardImagesTests {
  private func bench(_ kind: SMPKind, faults: [BoardFault] = [], _ change: (inout BoardSettings) -> Void = { _ in }) -> BoardBench {
    var bench = BoardBench(settings(kind, change), faults: faults)
    _ = bench.connect()
    return bench
  }

  private func build(_ bench: BoardBench, _ image: Int, _ version: String = "2.0.0") -> [UInt8] {
    BootModeTests.build(bench.board.settings, version, slot: 1, image: image)
  }

  private func hash(_ file: [UInt8]) -> [UInt8] { StoredImage(file)?.hash ?? [] }
  private func first(_ bench: BoardBench, _ image: Int) -> [UInt8] { bench.board.flash.images[image].slots[0].image?.hash ?? [] }

  // MARK: The list

  @Test func aNetworkCoreIsListedOnlyWhileItsUpdateWaits() {
    var bench = bench(.multi)
    let application = HandList.entry(image: 0, slot: 0, "1.0.0", first(bench, 0), "bca")
    #expect(bench.ask(BoardBench.list) == HandList.answer([application]))
    let core = build(bench, 1)
    bench.upload(core, image: 1)
    #expect(bench.ask(BoardBench.list) == HandList.answer([application, HandList.entry(image: 1, slot: 1, "2.0.0", hash(core), "b")]))
    #expect(
      bench.setState(hash(core), confirm: true)
        == HandList.answer([application, HandList.entry(image: 1, slot: 1, "2.0.0", hash(core), "bpP")], isWrite: true))
    bench.reset()
    #expect(bench.ask(BoardBench.list) == HandList.answer([application]))
    #expect(bench.allSlots == [["1.0.0 bca", "-"], ["2.0.0 bca", "-"]])
    #expect(bench.board.flash.images[1].boots == [.overwritten])
    #expect(bench.board.boots == [.none])
  }

  @Test func aCoreThatIsListedWithoutItsHash() {
    var bench = bench(.multi) { $0.images[1].listing = .noHash }
    let entries = [HandList.entry(image: 0, slot: 0, "1.0.0", first(bench, 0), "bca"), HandList.entry(image: 1, slot: 0, "1.0.0", nil, "bca")]
    #expect(bench.ask(BoardBench.list) == HandList.answer(entries))
    // What is not listed is not found.
    #expect(bench.setState(first(bench, 1), confirm: true) == HandList.error(8, command: 0))
  }

  @Test func aPatchIsListedAsAnyImage() {
    var patch = bench(.patch)
    #expect(
      patch.ask(BoardBench.list)
        == HandList.answer([
          HandList.entry(image: 0, slot: 0, "1.0.0", first(patch, 0), "bca"), HandList.entry(image: 1, slot: 0, "1.0.0", first(patch, 1), "bca"),
        ]))
    #expect(first(patch, 0) != first(patch, 1))
    // Builds that call only the application active.
    var shy = bench(.patch) { $0.images[1].active = false }
    #expect(shy.ask(BoardBench.list).contains(HandList.entry(image: 1, slot: 0, "1.0.0", first(shy, 1), "bc")))
  }

  /// 0x69000 = 1a 00 06 90 00; the number for `image` of an upload stands at the slot that takes it.
  @Test func slotInfo() {
    let slot = { (number: String, more: String) in "bf64736c6f74" + number + "6473697a651a00069000" + more + "ff" }
    let image = { (number: String) in
      "bf65696d616765" + number + "65736c6f74739f" + slot("00", "") + slot("01", "6f75706c6f61645f696d6167655f6964" + number) + "ffff"
    }
    var bench = bench(.patch)
    let answer = bench.ask("0800000100010006a0")
    #expect(answer.dropFirst(16) == "bf66696d616765739f" + image("00") + image("01") + "ffff")
  }

  // MARK: Marks and resets

  /// All uploaded, each tested by its hash, one reset (device-manager.md §1.9).
  @Test func bothOnTrialAndBack() {
    var bench = bench(.patch)
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 b"], ["1.0.0 bca", "2.0.0 b"]])
    for file in files { _ = bench.setState(hash(file), confirm: false) }
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 bp"], ["1.0.0 bca", "2.0.0 bp"]])
    bench.reset()
    #expect(bench.allSlots == [["2.0.0 ba", "1.0.0 bc"], ["2.0.0 ba", "1.0.0 bc"]])
    #expect(!bench.board.isUpdated)
    // Without a hash only the application is confirmed; the other needs a build that allows it (err 32).
    _ = bench.setState(nil, confirm: true)
    #expect(bench.setState(hash(files[1]), confirm: true) == HandList.error(32, command: 0))
    bench.reset()
    #expect(bench.allSlots == [["2.0.0 bca", "1.0.0 b"], ["1.0.0 bca", "2.0.0 b"]])
  }

  @Test func bothConfirmedWhereTheBuildAllowsIt() {
    var bench = bench(.patch) { $0.confirmsOtherImages = true }
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    for file in files { _ = bench.setState(hash(file), confirm: false) }
    bench.reset()
    for file in files { #expect(!bench.setState(hash(file), confirm: true).contains("63657272")) }
    bench.reset()
    #expect(bench.allSlots == [["2.0.0 bca", "1.0.0 b"], ["2.0.0 bca", "1.0.0 b"]])
    #expect(bench.board.isUpdated)
  }

  /// Confirm only, the way for every multi-image update (device-manager.md §1.5).
  @Test func bothForGoodAtOnce() {
    var bench = bench(.multi)
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    for file in files { _ = bench.setState(hash(file), confirm: true) }
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 bpP"], ["1.0.0 bca", "2.0.0 bpP"]])
    bench.reset()
    #expect(bench.allSlots == [["2.0.0 bca", "1.0.0 b"], ["2.0.0 bca", "-"]])
    #expect(bench.board.truth(number: 0).images?.map(\.boots) == [[.permanentSwap], [.overwritten]])
  }

  /// The state of one image does not stand in another one's way, and each call names one image.
  @Test func marksAreEachImagesOwn() {
    var bench = bench(.patch)
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    _ = bench.setState(hash(files[0]), confirm: true)
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 bpP"], ["1.0.0 bca", "2.0.0 b"]])
    #expect(bench.setState(hash(files[0]), confirm: false) == HandList.error(28, command: 0))
    #expect(bench.setState(first(bench, 1), confirm: false) == HandList.error(33, command: 0))
    _ = bench.setState(hash(files[1]), confirm: false)
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 bpP"], ["1.0.0 bca", "2.0.0 bp"]])
    #expect(bench.setState([UInt8](repeating: 9, count: 32), confirm: false) == HandList.error(8, command: 0))
    #expect(bench.setState(nil, confirm: false) == HandList.error(24, command: 0))
  }

  @Test func onTrialOneImageStillTakesTheOther() {
    var bench = bench(.patch)
    let file = build(bench, 0)
    bench.upload(file, image: 0)
    _ = bench.setState(hash(file), confirm: false)
    bench.reset()
    #expect(bench.upload(build(bench, 0, "3.0.0"), image: 0) == HandList.error(9, command: 1))
    bench.upload(build(bench, 1), image: 1)
    #expect(bench.allSlots == [["2.0.0 ba", "1.0.0 bc"], ["1.0.0 bca", "2.0.0 b"]])
  }

  // MARK: Uploads and erases

  @Test(arguments: [(SMPKind.patch, 2, true), (.patch, 255, true), (.swap, 5, false)])
  func imageNumbers(_ kind: SMPKind, _ number: Int, _ isRefused: Bool) {
    var bench = bench(kind)
    let answer = bench.upload(build(bench, 0), image: number)
    #expect((answer == HandList.error(9, command: 1)) == isRefused)
    // A build for one image ignores the number (smp.md §3.2).
    if !isRefused { #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 b"]]) }
  }

  /// `upgrade` of an image whose running version nobody can read: err 26.
  @Test func anUpgradeOfWhatCannotBeRead() {
    var bench = bench(.multi)
    let file = build(bench, 1)
    let pairs = [
      ("off", Hand.number(0)), ("data", Hand.data(Array(file[0..<200]))), ("len", Hand.number(file.count)), ("image", [1]), ("upgrade", [0xF5]),
    ]
    #expect(hex(bench.ask(request(2, group: 1, command: 1, Hand.map(pairs))).flatMap { $0 }) == HandList.error(26, command: 1))
  }

  /// The board has one upload session (smp.md §4.2): another image's first chunk ends the one before.
  @Test func theSessionIsOne() {
    var bench = bench(.patch)
    let files = [build(bench, 0), build(bench, 1)]
    let start = { (number: Int) in
      request(
        2, group: 1, command: 1,
        Hand.map([
          ("off", Hand.number(0)), ("data", Hand.data(Array(files[number][0..<200]))), ("len", Hand.number(files[number].count)),
          ("sha", Hand.data([UInt8(number)])), ("image", Hand.number(number)),
        ]))
    }
    #expect(hex(bench.ask(start(0)).flatMap { $0 }).hasSuffix("bf636f666618c8ff"))
    #expect(hex(bench.ask(Hand.upload(200, Array(files[0][200..<400]))).flatMap { $0 }).hasSuffix("bf636f6666190190ff"))
    #expect(hex(bench.ask(start(0)).flatMap { $0 }).hasSuffix("bf636f6666190190ff"), "resumed")
    #expect(hex(bench.ask(start(1)).flatMap { $0 }).hasSuffix("bf636f666618c8ff"))
    #expect(hex(bench.ask(Hand.upload(400, Array(files[0][400..<600]))).flatMap { $0 }).hasSuffix("bf636f666618c8ff"), "where image 1 goes on")
    #expect(hex(bench.ask(start(0)).flatMap { $0 }).hasSuffix("bf636f666618c8ff"), "from the beginning")
  }

  /// `slot` = 2·image + slot; the request for image 1, slot 1 is device-manager.md §9's.
  @Test func erases() {
    var bench = bench(.patch)
    for number in 0...1 { bench.upload(build(bench, number), image: number) }
    #expect(bench.ask("0A00000700010705A164736C6F7403") == "0b00000200010705bfff")
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 b"], ["1.0.0 bca", "-"]])
    #expect(bench.ask("0A00000700010005A164736C6F7402") == HandList.error(9, command: 5))
    #expect(bench.ask("0A00000700010005A164736C6F7400") == HandList.error(9, command: 5))
    #expect(bench.ask("0A00000700010005A164736C6F7404") == HandList.error(10, command: 5))
    #expect(bench.ask("0a00000100010005a0") == "0b00000200010005bfff")
    #expect(bench.allSlots == [["1.0.0 bca", "-"], ["1.0.0 bca", "-"]])
  }

  // MARK: Faults

  @Test func theLinkGoesAtAByteOfOneImage() {
    var bench = bench(.patch, faults: [BoardFault(.dropLink, offset: 500, image: 1)])
    bench.upload(build(bench, 0), image: 0)
    #expect(bench.ended.isEmpty)
    bench.upload(build(bench, 1), image: 1)
    #expect(bench.ended == [.lost])
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 b"], ["1.0.0 bca", "-"]])
  }

  /// The application is new, its network core is not: what a station must not call good.
  @Test func oneSpoiltImageLeavesTheOtherUpdated() {
    var bench = bench(.multi, faults: [BoardFault(.spoilImage, image: 1)])
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    for file in files { _ = bench.setState(hash(file), confirm: true) }
    bench.reset()
    #expect(bench.allSlots == [["2.0.0 bca", "1.0.0 b"], ["1.0.0 bca", "-"]])
    #expect(bench.board.flash.images.map(\.boots) == [[.permanentSwap], [.refused]])
    #expect(bench.board.advertises || bench.board.isConnected)
  }

  @Test(arguments: [nil, 0, 1])
  func aCrashTakesBackWhateverIsOnTrial(_ image: Int?) {
    var bench = bench(.patch, faults: [BoardFault(.imageReverts, image: image)])
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    for file in files { _ = bench.setState(hash(file), confirm: false) }
    bench.reset()
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 b"], ["1.0.0 bca", "2.0.0 b"]])
    #expect(bench.board.flash.images.map(\.boots) == [[.crashedAndReverted], [.crashedAndReverted]])
  }

  /// The network core is confirmed and stays, the application on trial goes back.
  @Test func aCrashOfTheApplicationLeavesTheCoreNew() {
    var bench = bench(.multi, faults: [BoardFault(.imageReverts, image: 0)])
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    _ = bench.setState(hash(files[0]), confirm: false)
    _ = bench.setState(hash(files[1]), confirm: true)
    bench.reset()
    #expect(bench.allSlots == [["1.0.0 bca", "2.0.0 b"], ["2.0.0 bca", "-"]])
  }

  @Test func aCrashOfAnImageForGoodIsTheEnd() {
    var bench = bench(.patch, faults: [BoardFault(.imageReverts, image: 1)])
    let file = build(bench, 1)
    bench.upload(file, image: 1)
    _ = bench.setState(hash(file), confirm: true)
    bench.reset()
    #expect(bench.board.flash.images.map(\.boots) == [[.none], [.dead]])
    #expect(!bench.board.isConnected && !bench.board.advertises)
    #expect(bench.board.truth(number: 0).mode == "gone")
  }

  @Test func otherFirmwareOfOneImage() {
    var fault = BoardFault(.otherFirmware, image: 1)
    fault.version = "7.7.7"
    var bench = bench(.patch, faults: [fault])
    bench.reset()
    #expect(bench.allSlots == [["1.0.0 bca", "-"], ["7.7.7 bca", "-"]])
  }

  @Test func slowErasesOfOneImage() {
    var fault = BoardFault(.slowErase, image: 1)
    fault.milliseconds = 5000
    var bench = bench(.patch, faults: [fault])
    #expect(bench.ask(bytes("0A00000700010005A164736C6F7401")).count == 1)
    #expect(bench.ask(bytes("0A00000700010005A164736C6F7403"), within: .milliseconds(4900)).isEmpty)
    bench.run(for: .milliseconds(200))
    #expect(bench.notified.count == 1)
  }

  /// Each image is moved in its own time.
  @Test func twoSwapsTakeTwiceTheTime() {
    var bench = bench(.patch)
    let files = [build(bench, 0), build(bench, 1)]
    for (number, file) in files.enumerated() { bench.upload(file, image: number) }
    for file in files { _ = bench.setState(hash(file), confirm: true) }
    bench.write(request(2, group: 0, command: 5, [0xA0]))
    bench.run(for: .milliseconds(250 + 600 + 2400 - 10))
    #expect(!bench.board.advertises)
    bench.run(for: .milliseconds(20))
    #expect(bench.board.advertises)
  }
}
