import Bluetooth
import Firmware
import LineFixture
import Testing
import VirtualLine

@testable import Flashing

/// Updates of every kind of board that has a word of its own, with the package that the SDK would build for it: what is recorded is what the board knows.
@Suite struct SessionKindTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var kind: SMPKind
    var mode: UpgradeMode
    var state: ImageState
    var good: Bool
    var by = Verification.imageHash
    var code: FailureCode?
    var outcome: Outcome { code == nil ? .passed : .refused }
    var testDescription: String { "\(kind.rawValue), \(mode)" }

    init(_ kind: SMPKind, _ mode: UpgradeMode, _ state: ImageState, good: Bool = false, by: Verification = .imageHash, refused code: FailureCode? = nil) {
      (self.kind, self.mode, self.state, self.good, self.by, self.code) = (kind, mode, state, good, by, code)
    }
  }

  private static func done(_ mode: UpgradeMode) -> [Row] {
    [
      Row(.swap, mode, .confirmed, good: true), Row(.overwrite, mode, .confirmed, good: true), Row(.patch, mode, .confirmed, good: true),
      Row(.xip, mode, .confirmed, good: true), Row(.xipRevert, mode, .confirmed, good: true), Row(.ramLoad, mode, .confirmed, good: true),
      Row(.sha512, mode, .confirmed, good: true), Row(.loader, mode, .confirmed, good: true, by: .version),
      Row(.multi, mode, .confirmed, good: false, by: .none),
    ]
  }

  private static let tried: [Row] = [
    Row(.swap, .testOnly, .testing), Row(.patch, .testOnly, .testing), Row(.xipRevert, .testOnly, .testing), Row(.sha512, .testOnly, .testing),
    Row(.overwrite, .testOnly, .unknown, refused: .policyNoRevert), Row(.multi, .testOnly, .unknown, refused: .policyNoRevert),
    Row(.xip, .testOnly, .unknown, refused: .policyNoRevert), Row(.ramLoad, .testOnly, .unknown, refused: .policyNoRevert),
  ]

  private static let kept: [SMPKind] = [.swap, .overwrite, .multi, .patch, .xip, .xipRevert, .ramLoad, .sha512]

  static let rows: [Row] = {
    var rows = done(.testAndConfirm)
    rows += done(.confirmOnly)
    rows += tried
    rows += kept.map { Row($0, .uploadOnly, .stored) }
    return rows
  }()

  @Test(arguments: rows) func kind(_ row: Row) async throws {
    let bench = SessionBench(row.kind, mode: row.mode)
    let record = try await bench.run()
    #expect(record.outcome == row.outcome, "\(record.failureCode?.rawValue ?? ""): \(record.failureMessage ?? "")")
    #expect(record.failureCode == row.code)
    #expect(record.imageState == row.state)
    #expect(record.good == row.good)
    #expect(!bench.board.isConnected)
    #expect(bench.central.violations.isEmpty)
    guard row.outcome == .passed else {
      #expect(bench.board.writes.isEmpty)
      return
    }
    #expect(record.verifiedBy == row.by)
    let images = try #require(bench.board.truth.images)
    let isNew = row.mode != .uploadOnly
    #expect(images.allSatisfy { $0.version == (isNew ? "1.1.0" : "1.0.0") })
    #expect(images.allSatisfy { $0.confirmed == (row.mode != .testOnly) })
    #expect(record.firmwareBefore == "1.0.0")
    #expect(record.firmwareAfter == images[0].version)
    #expect(record.imageHashAfter == Self.column(images))
    #expect(record.uploadBytes == bench.sent)
    #expect(bench.observer.progress.last == bench.sent)
    #expect(record.retries == 0)
  }

  /// `image_hash_after` as the board's truth makes it.
  private static func column(_ images: [LineTruth.Image]) -> String? {
    guard images.count > 1 else { return images.first?.hash }
    return images.filter(\.readable).map { "\($0.image):\($0.hash ?? "")" }.joined(separator: " ")
  }

  @Test("Firmware loader: modes that it cannot keep are refused, and the board stays in its application", arguments: [UpgradeMode.testOnly, .uploadOnly])
  func loaderModes(_ mode: UpgradeMode) async throws {
    let bench = SessionBench(.loader, mode: mode)
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == (mode == .testOnly ? .policyNoRevert : .policyBootloader))
    #expect(record.leftAs == .untouched)
    #expect(bench.board.writes.isEmpty)
  }

  @Test("What is there already is skipped, and what nobody can read is not", arguments: SMPKind.allCases.filter { $0 != .suit })
  func again(_ kind: SMPKind) async throws {
    let bench = SessionBench(kind)
    #expect(try await bench.run().outcome == .passed)
    let uploads = bench.board.truth.uploads
    let record = try await bench.run(attempt: 2)
    let isHidden = kind == .multi
    #expect(record.outcome == (isHidden ? .passed : .skipped), "\(record.failureMessage ?? "")")
    #expect(record.good == !isHidden)
    #expect(bench.board.truth.uploads == uploads + (isHidden ? 1 : 0))
  }

  @Test("Direct-XIP: each update goes to the slot that does not run, with the build for it", arguments: [SMPKind.xip, .xipRevert])
  func alternates(_ kind: SMPKind) async throws {
    let bench = SessionBench(kind)
    for (minor, active) in [(UInt8(1), 1), (2, 0), (3, 1)] {
      bench.order = SessionBench.order(bench.settings, minor: minor, mode: .testAndConfirm)
      let record = try await bench.run(attempt: Int(minor))
      #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
      #expect(record.good)
      #expect(bench.board.truth.images?.first?.active == active)
      #expect(bench.board.version == "1.\(minor).0")
    }
  }

  @Test("field report 23: the file for the inactive slot is chosen; the other one is never sent")
  func inactiveSlot() async throws {
    let bench = SessionBench(.xip)
    let record = try await bench.run()
    #expect(record.uploadBytes == bench.order.images.first { $0.slot == 1 }?.bytes.count)
    #expect(record.imageHashAfter == bench.order.images.first { $0.slot == 1 }?.hash.hex)
    #expect(record.imageHash == record.imageHashAfter)
  }

  // MARK: several images

  @Test("Of two images each is marked by its own hash, and one reset serves both")
  func pair() async throws {
    let bench = SessionBench(.patch) { $0.confirmsOtherImages = true }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.board.resets.count == 1)
    #expect(bench.board.writes.count { $0.group == 1 && $0.command == 0 } == 4)
    #expect(record.imageHash == nil)
  }

  @Test("A board that lets only image 0 be confirmed while it runs gets the other one made permanent before the next start")
  func deniedConfirmation() async throws {
    let bench = SessionBench(.patch)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.board.resets.count == 3)
  }

  @Test("A link that is lost in the second image resumes there, and the first is not sent again")
  func resumes() async throws {
    let bench = SessionBench(.patch, [BoardFault(.dropLink, offset: 5000, image: 1)], mode: .confirmOnly)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries == 1)
    #expect(record.resumedFrom.map { $0 > 0 && $0 < 6000 } == true)
    #expect(record.uploadBytes == bench.sent)
    #expect(bench.board.truth.uploads == 2)
  }

  @Test("R §5.3: a board that forgets the second image's upload gets that one again, and only that")
  func restarts() async throws {
    let bench = SessionBench(.patch, [BoardFault(.reboot, offset: 5000, image: 1)], mode: .confirmOnly)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.board.truth.uploads == 3)
    #expect(bench.board.slots.allSatisfy { $0[0] == "1.1.0 ca" })
  }

  @Test("One image that is given up takes the board back, and the record says which")
  func revertsOne() async throws {
    let bench = SessionBench(.patch, [BoardFault(.imageReverts, image: 1)])
    let record = try await bench.run()
    #expect(record.outcome == .failed)
    #expect(!record.good)
    #expect(record.failureMessage?.contains("image ") == true)
  }

  @Test("A package of two images is refused by a board that has one, before anything is written: it would write both into one slot")
  func absentImage() async throws {
    let bench = SessionBench(.swap)
    var patch = SMPKind.patch.settings
    patch.bufferSize = 1024
    bench.order = SessionBench.order(patch, minor: 1, mode: .testAndConfirm)
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .policyBootloader)
    #expect(bench.board.writes.isEmpty)
  }

  @Test("With direct upload the numbers mean slots, and the board tells which")
  func directUpload() async throws {
    let bench = SessionBench(.patch, mode: .confirmOnly) { $0.directUpload = true }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
  }

  @Test("A network core that is listed without a hash, or never called active", arguments: [ImageListing.noHash, .none], [true, false])
  func hiddenCores(_ listing: ImageListing, _ active: Bool) async throws {
    let bench = SessionBench(.multi) {
      $0.images[1].listing = listing
      $0.images[1].active = active
    }
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(!record.good)
    #expect(record.verifiedBy == Verification.none)
    #expect(record.imageHashAfter == "0:\(bench.board.truth.hash ?? "")")
    #expect(bench.board.truth.images?.allSatisfy { $0.version == "1.1.0" && $0.confirmed } == true)
  }

  // MARK: the firmware loader

  @Test("The loader's address is recorded, and other boards are left alone whatever they are called")
  func loaderAddress() async throws {
    let bench = SessionBench(.loader)
    let decoy = LineBoard(BluetoothAddress(bits: 0xC0DE_0000_00FF), settings: SMPKind.swap.settings.named("FL_LOADER"))
    bench.central.add(decoy)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(record.mac == SessionBench.address)
    #expect(record.dfuMAC == bench.board.addresses.last)
    #expect(record.leftAs == .application)
    #expect(decoy.links == 0)
    #expect(bench.board.resets.count == 2, "into the loader, and back")
    #expect(bench.board.addressNow == SessionBench.address)
  }

  struct Visit: Sendable, CustomTestStringConvertible {
    var name: String
    var faults: [BoardFault] = []
    var settings: @Sendable (inout BoardSettings) -> Void = { _ in }
    var testDescription: String { name }
  }

  @Test(
    arguments: [
      Visit(name: "the same address", settings: { $0.loader.sameAddress = true }),
      Visit(name: "no Device Information Service", settings: { $0.loader.information = false }),
      Visit(name: "link lost in the upload", faults: [BoardFault(.dropLink, offset: 9000)]),
      Visit(name: "link closed in the upload", faults: [BoardFault(.closeLink, offset: 9000)]),
      Visit(name: "power cut in the upload", faults: [BoardFault(.powerCut, offset: 9000).with { $0.milliseconds = 500 }]),
      Visit(name: "restart in the upload", faults: [BoardFault(.reboot, offset: 9000)]),
      Visit(name: "reset answers lost", faults: [BoardFault(.loseAnswer, times: 2, group: 0, command: 5)]),
      Visit(name: "slow boot", faults: [BoardFault(.slowBoot).with { $0.milliseconds = 12_000 }]),
    ])
  func visits(_ row: Visit) async throws {
    let bench = SessionBench(.loader, row.faults, settings: row.settings)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureCode?.rawValue ?? ""): \(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.board.version == "1.1.0")
    #expect(bench.board.addressNow == SessionBench.address)
    #expect(bench.central.violations.isEmpty)
  }

  @Test("A board that takes no name for its loader is refused: it could not be told from others")
  func unnamed() async throws {
    let bench = SessionBench(.swap) { ($0.reportedMode, $0.groups.built) = (7, []) }
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .policyBootloader)
    #expect(record.leftAs == .untouched)
    #expect(bench.board.resets.isEmpty && bench.board.uploads == 0)
  }

  @Test("A loader that never comes up fails within its own limit")
  func neverUp() async throws {
    let bench = SessionBench(.loader, [BoardFault(.neverReturn)])
    let record = try await bench.run()
    #expect(record.outcome == .timeout)
    #expect(record.failureCode == .verifyNeverReturned)
    #expect(record.failureMessage?.contains("30 s") == true)
    #expect(record.leftAs == .unknown)
  }

  @Test("Stopped in the loader, the board is left there, and the record says so")
  func stoppedInTheLoader() async throws {
    let bench = SessionBench(.loader)
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(120)) { bench.board.uploads >= 5 }
    work.cancel()
    let record = try await bench.pump.finish(work, within: .seconds(5))
    #expect(record.outcome == .aborted)
    #expect(record.leftAs == .bootloader)
    #expect(!bench.board.isConnected)
  }

  @Test("Names of loaders: eight characters, the same for a board every time, another for its neighbour")
  func names() {
    let names = (0..<200).map { BluetoothAddress(bits: 0xC0DE_0000_0000 + $0).loaderName }
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.utf8.count == 8 && $0.hasPrefix("FL_") })
    #expect(BluetoothAddress(bits: .max).loaderName.utf8.count == 8)
  }

  // MARK: settings

  @Test("Settings are erased once, also where a package has several images or the board a loader", arguments: [SMPKind.patch, .xip, .loader])
  func erases(_ kind: SMPKind) async throws {
    let bench = SessionBench(kind, mode: .confirmOnly)
    bench.order.erasesSettings = true
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.settingsErased == .yes)
    #expect(bench.board.truth.storage?.erased == 1)
  }

  @Test("Where nothing is reset nothing is erased, and the record says so")
  func erasesNothing() async throws {
    let bench = SessionBench(.swap, mode: .uploadOnly)
    bench.order.erasesSettings = true
    let record = try await bench.run()
    #expect(record.settingsErased == .no)
    #expect(bench.board.truth.storage?.erased == 0)
  }

  @Test("A paired board loses its bond with its settings: the host forgets it, and pairs again")
  func erasesBonds() async throws {
    var quirks = LineBoard.Quirks()
    quirks.demandsEncryption = true
    quirks.acceptsPairing = .justWorks
    let bench = SessionBench(.swap, quirks: quirks)
    bench.order.pairing = .justWorks
    bench.order.erasesSettings = true
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.settingsErased == .yes)
    #expect(bench.central.bonds(0).isEmpty)
  }
}

extension BoardSettings {
  fileprivate func named(_ name: String) -> BoardSettings {
    var settings = self
    settings.name = name
    return settings
  }
}
