import Flashing
import SMP
import Testing

/// The plan as one table: for each bootloader mode, each state of the slots and each upgrade mode the whole run, as its steps and its end.
///
/// Words: `upload`, `test` and `permanent` (marks by hash), `erase` (a foreign image that is pending), `clear` (a reset before the upload), `loader`
/// (into the firmware loader), `reset`, `confirm`. Behind a word stands the image, or with Direct-XIP the slot.
/// Source: facts/device-manager.md §§1.2, 1.3, 1.5, 1.7, 1.9, 1.12; facts/smp.md §§3.2, 4.4, 5.
struct UpdatePlanTableTests {
  typealias Board = ModelBoard

  struct Row: Sendable, CustomTestStringConvertible {
    var state: String
    var slots: [ImageSlot]
    var testOnly: String
    var confirmOnly: String
    var testAndConfirm: String
    var uploadOnly: String
    var testDescription: String { state }

    var cells: [(UpgradeMode, String)] {
      [(.testOnly, testOnly), (.confirmOnly, confirmOnly), (.testAndConfirm, testAndConfirm), (.uploadOnly, uploadOnly)]
    }

    init(_ state: String, _ slots: [ImageSlot], testOnly: String, confirmOnly: String, testAndConfirm: String, uploadOnly: String) {
      self.state = state
      self.slots = slots
      self.testOnly = testOnly
      self.confirmOnly = confirmOnly
      self.testAndConfirm = testAndConfirm
      self.uploadOnly = uploadOnly
    }

    init(_ state: String, _ slots: [ImageSlot], all: String) {
      self.init(state, slots, testOnly: all, confirmOnly: all, testAndConfirm: all, uploadOnly: all)
    }
  }

  static func slot(_ number: Int, _ hash: [UInt8]?, _ flags: String, image: Int = 0, version: String = "1.0.0") -> ImageSlot {
    Board.slot(number, hash, flags, image: image, version: version)
  }

  /// The wanted image in a slot.
  static func wanted(_ number: Int, _ flags: String, image: Int = 0, build: Int = 1) -> ImageSlot {
    slot(number, Board.wanted(image, slot: build), flags, image: image, version: "2.0.0")
  }

  static let old = slot(0, Board.old, "ac")
  static let one = [UpdatePlan.Image(hash: Board.wanted(), version: "2.0.0")]

  private func check(_ row: Row, _ number: Int?, _ images: [UpdatePlan.Image], change: (inout Board) -> Void = { _ in }) {
    for (mode, cell) in row.cells {
      var board = Board(Bootloader(number.map { BootloaderMode(rawValue: $0) }), row.slots)
      change(&board)
      #expect(board.run(images, mode) == cell, "bootloader mode \(number.map(String.init) ?? "not told"), \(mode)")
    }
  }

  // MARK: -1 unknown, 1 swap using scratch, 3 swap without scratch, 9 swap using offset, none told

  static let swapRows = [
    Row(
      "old", [old], testOnly: "upload test reset: passed testing", confirmOnly: "upload permanent reset: passed confirmed",
      testAndConfirm: "upload test reset confirm: passed confirmed", uploadOnly: "upload: passed stored"),
    Row(
      "stored", [old, wanted(1, "")], testOnly: "test reset: passed testing", confirmOnly: "permanent reset: passed confirmed",
      testAndConfirm: "test reset confirm: passed confirmed", uploadOnly: "skipped stored"),
    Row(
      "pending", [old, wanted(1, "p")], testOnly: "reset: passed testing", confirmOnly: "reset confirm: passed confirmed",
      testAndConfirm: "reset confirm: passed confirmed", uploadOnly: "upload: passed stored"),
    Row(
      "permanent", [old, wanted(1, "P")], testOnly: "upload test reset: passed testing", confirmOnly: "reset: passed confirmed",
      testAndConfirm: "reset: passed confirmed", uploadOnly: "upload: passed stored"),
    Row(
      "on trial", [wanted(0, "a"), slot(1, Board.old, "c")], testOnly: "skipped testing", confirmOnly: "confirm: passed confirmed",
      testAndConfirm: "confirm: passed confirmed", uploadOnly: "skipped testing"),
    Row("there", [wanted(0, "ac"), slot(1, Board.old, "")], all: "skipped confirmed"),
    Row("in both slots", [wanted(0, "ac"), wanted(1, "")], all: "skipped confirmed"),
    Row(
      "there, a foreign one pending", [wanted(0, "ac"), slot(1, Board.foreign, "p")], all: "erase: passed confirmed"),
    Row(
      "foreign stored", [old, slot(1, Board.foreign, "")], testOnly: "upload test reset: passed testing",
      confirmOnly: "upload permanent reset: passed confirmed", testAndConfirm: "upload test reset confirm: passed confirmed",
      uploadOnly: "upload: passed stored"),
    Row(
      "foreign pending", [old, slot(1, Board.foreign, "p")], testOnly: "erase upload test reset: passed testing",
      confirmOnly: "erase upload permanent reset: passed confirmed", testAndConfirm: "erase upload test reset confirm: passed confirmed",
      uploadOnly: "erase upload: passed stored"),
    Row(
      "foreign permanent", [old, slot(1, Board.foreign, "P")], testOnly: "erase upload test reset: passed testing",
      confirmOnly: "erase upload permanent reset: passed confirmed", testAndConfirm: "erase upload test reset confirm: passed confirmed",
      uploadOnly: "erase upload: passed stored"),
    Row(
      "foreign on trial", [slot(0, Board.foreign, "a"), slot(1, Board.old, "c")], testOnly: "clear upload test reset: passed testing",
      confirmOnly: "clear upload permanent reset: passed confirmed", testAndConfirm: "clear upload test reset confirm: passed confirmed",
      uploadOnly: "clear upload: passed stored"),
    Row("newer", [slot(0, Board.old, "ac", version: "2.0.1")], all: "refused policy.downgrade"),
    Row("nothing listed", [], all: "failed verify.other_firmware"),
  ]

  @Test("Swap", arguments: swapRows, [nil, -1, 1, 3, 9] as [Int?])
  func swap(_ row: Row, _ number: Int?) { check(row, number, Self.one) }

  // MARK: 2 overwrite only

  static let overwriteRows = [
    Row(
      "old", [old], testOnly: "refused policy.no_revert", confirmOnly: "upload permanent reset: passed confirmed",
      testAndConfirm: "upload test reset: passed confirmed", uploadOnly: "upload: passed stored"),
    Row(
      "stored", [old, wanted(1, "")], testOnly: "refused policy.no_revert", confirmOnly: "permanent reset: passed confirmed",
      testAndConfirm: "test reset: passed confirmed", uploadOnly: "skipped stored"),
    Row(
      "pending", [old, wanted(1, "P")], testOnly: "refused policy.no_revert", confirmOnly: "reset: passed confirmed",
      testAndConfirm: "reset: passed confirmed", uploadOnly: "upload: passed stored"),
    Row("there", [wanted(0, "ac")], all: "skipped confirmed"),
    Row(
      "foreign pending", [old, slot(1, Board.foreign, "P")], testOnly: "refused policy.no_revert",
      confirmOnly: "erase upload permanent reset: passed confirmed", testAndConfirm: "erase upload test reset: passed confirmed",
      uploadOnly: "erase upload: passed stored"),
    Row(
      "newer", [slot(0, Board.old, "ac", version: "3.0.0")], testOnly: "refused policy.no_revert", confirmOnly: "refused policy.downgrade",
      testAndConfirm: "refused policy.downgrade", uploadOnly: "refused policy.downgrade"),
  ]

  @Test("Overwrite only", arguments: overwriteRows)
  func overwrite(_ row: Row) { check(row, 2, Self.one) }

  // MARK: 4 Direct-XIP without revert

  /// The builds for slot 0 and slot 1.
  static let builds = [0, 1].map { UpdatePlan.Image(slot: $0, hash: Board.wanted(slot: $0), version: "2.0.0") }

  static let xipRows = [
    Row(
      "old in slot 0", [slot(0, Board.old, "a")], testOnly: "refused policy.no_revert", confirmOnly: "upload1 reset: passed confirmed",
      testAndConfirm: "upload1 reset: passed confirmed", uploadOnly: "upload1: passed stored"),
    Row(
      "old in slot 1", [slot(1, Board.old, "a")], testOnly: "refused policy.no_revert", confirmOnly: "upload0 reset: passed confirmed",
      testAndConfirm: "upload0 reset: passed confirmed", uploadOnly: "upload0: passed stored"),
    Row(
      "stored", [slot(0, Board.old, "ac"), wanted(1, "P")], testOnly: "refused policy.no_revert", confirmOnly: "reset: passed confirmed",
      testAndConfirm: "reset: passed confirmed", uploadOnly: "skipped stored"),
    Row("there in slot 0", [wanted(0, "ac", build: 0), slot(1, Board.old, "")], all: "skipped confirmed"),
    Row("there in slot 1", [slot(0, Board.old, ""), wanted(1, "a")], all: "skipped confirmed"),
    Row(
      "there, a higher foreign one stored", [wanted(0, "a", build: 0), slot(1, Board.foreign, "P", version: "3.0.0")], all: "erase: passed confirmed"),
    Row(
      "a foreign one stored", [slot(0, Board.old, "a"), slot(1, Board.foreign, "P", version: "1.5.0")], testOnly: "refused policy.no_revert",
      confirmOnly: "upload1 reset: passed confirmed", testAndConfirm: "upload1 reset: passed confirmed", uploadOnly: "upload1: passed stored"),
    Row("no slot is active", [slot(0, Board.old, "")], all: "refused policy.bootloader"),
    Row(
      "the same version in slot 0", [slot(0, Board.old, "a", version: "2.0.0")], testOnly: "refused policy.no_revert",
      confirmOnly: "refused policy.bootloader", testAndConfirm: "refused policy.bootloader", uploadOnly: "refused policy.bootloader"),
    Row(
      "the same version in slot 1", [slot(1, Board.old, "a", version: "2.0.0")], testOnly: "refused policy.no_revert",
      confirmOnly: "upload0 reset: passed confirmed", testAndConfirm: "upload0 reset: passed confirmed", uploadOnly: "upload0: passed stored"),
  ]

  @Test("Direct-XIP without revert", arguments: xipRows)
  func directXIP(_ row: Row) { check(row, 4, Self.builds) }

  // MARK: 5 Direct-XIP with revert

  static let revertRows = [
    Row(
      "old in slot 0", [old], testOnly: "upload1 test1 reset: passed testing", confirmOnly: "upload1 permanent1 reset: passed confirmed",
      testAndConfirm: "upload1 test1 reset confirm1: passed confirmed", uploadOnly: "upload1: passed stored"),
    Row(
      "old in slot 1", [slot(1, Board.old, "ac")], testOnly: "upload0 test0 reset: passed testing",
      confirmOnly: "upload0 permanent0 reset: passed confirmed", testAndConfirm: "upload0 test0 reset confirm0: passed confirmed",
      uploadOnly: "upload0: passed stored"),
    Row(
      "stored", [old, wanted(1, "")], testOnly: "test1 reset: passed testing", confirmOnly: "permanent1 reset: passed confirmed",
      testAndConfirm: "test1 reset confirm1: passed confirmed", uploadOnly: "skipped stored"),
    Row(
      "pending", [slot(1, Board.old, "ac"), wanted(0, "p", build: 0)], testOnly: "reset: passed testing", confirmOnly: "reset confirm0: passed confirmed",
      testAndConfirm: "reset confirm0: passed confirmed", uploadOnly: "upload0: passed stored"),
    Row(
      "the build for the running slot is stored in the other", [old, wanted(1, "", build: 0)], testOnly: "upload1 test1 reset: passed testing",
      confirmOnly: "upload1 permanent1 reset: passed confirmed", testAndConfirm: "upload1 test1 reset confirm1: passed confirmed",
      uploadOnly: "upload1: passed stored"),
    Row(
      "on trial in slot 1", [slot(0, Board.old, "c"), wanted(1, "a")], testOnly: "skipped testing", confirmOnly: "confirm1: passed confirmed",
      testAndConfirm: "confirm1: passed confirmed", uploadOnly: "skipped testing"),
    Row("there in slot 1", [slot(0, Board.old, ""), wanted(1, "ac")], all: "skipped confirmed"),
    Row(
      "foreign on trial", [slot(0, Board.old, "c"), slot(1, Board.foreign, "a")], testOnly: "clear upload1 test1 reset: passed testing",
      confirmOnly: "clear upload1 permanent1 reset: passed confirmed", testAndConfirm: "clear upload1 test1 reset confirm1: passed confirmed",
      uploadOnly: "clear upload1: passed stored"),
  ]

  @Test("Direct-XIP with revert", arguments: revertRows)
  func directXIPWithRevert(_ row: Row) { check(row, 5, Self.builds) }

  // MARK: 6 RAM load

  static let ramRows = [
    Row(
      "old in slot 0", [slot(0, Board.old, "a")], testOnly: "refused policy.no_revert", confirmOnly: "upload reset: passed confirmed",
      testAndConfirm: "upload reset: passed confirmed", uploadOnly: "upload: passed stored"),
    Row(
      "old in slot 1", [slot(1, Board.old, "a")], testOnly: "refused policy.no_revert", confirmOnly: "upload reset: passed confirmed",
      testAndConfirm: "upload reset: passed confirmed", uploadOnly: "upload: passed stored"),
    Row(
      "stored", [old, wanted(1, "P")], testOnly: "refused policy.no_revert", confirmOnly: "reset: passed confirmed",
      testAndConfirm: "reset: passed confirmed", uploadOnly: "skipped stored"),
    Row("there", [slot(0, Board.old, ""), wanted(1, "a")], all: "skipped confirmed"),
  ]

  @Test("RAM load", arguments: ramRows)
  func ramLoad(_ row: Row) { check(row, 6, Self.one) }

  // MARK: 7 firmware loader

  static let loaderRows = [
    Row(
      "old", [old], testOnly: "refused policy.no_revert", confirmOnly: "loader upload reset: passed confirmed",
      testAndConfirm: "loader upload reset: passed confirmed", uploadOnly: "refused policy.bootloader"),
    Row("there", [wanted(0, "a")], all: "skipped confirmed"),
    Row(
      "newer", [slot(0, Board.old, "ac", version: "2.0.1")], testOnly: "refused policy.no_revert", confirmOnly: "refused policy.downgrade",
      testAndConfirm: "refused policy.downgrade", uploadOnly: "refused policy.bootloader"),
  ]

  @Test("Firmware loader, the application lists its image", arguments: loaderRows)
  func firmwareLoader(_ row: Row) { check(row, 7, Self.one) }

  static let silentRows = [
    Row(
      "old", [old], testOnly: "refused policy.no_revert", confirmOnly: "loader upload reset: passed confirmed by version",
      testAndConfirm: "loader upload reset: passed confirmed by version", uploadOnly: "refused policy.bootloader"),
    // Only the loader can tell that it is there already.
    Row(
      "there", [wanted(0, "a")], testOnly: "refused policy.no_revert", confirmOnly: "loader reset: skipped confirmed by version",
      testAndConfirm: "loader reset: skipped confirmed by version", uploadOnly: "refused policy.bootloader"),
    Row(
      "newer", [slot(0, Board.old, "ac", version: "2.0.1")], testOnly: "refused policy.no_revert", confirmOnly: "refused policy.downgrade",
      testAndConfirm: "refused policy.downgrade", uploadOnly: "refused policy.bootloader"),
  ]

  @Test("Firmware loader, the application has no image list (rc 8)", arguments: silentRows)
  func silentApplication(_ row: Row) { check(row, 7, Self.one) { $0.applicationLists = false } }

  @Test("Firmware loader, the application tells neither list nor version: done, and not read back")
  func muteApplication() {
    for (slots, cell) in [([Self.old], "loader upload reset: passed stored by none"), ([Self.wanted(0, "a")], "loader reset: skipped stored by none")] {
      check(
        Row("", slots, testOnly: "refused policy.no_revert", confirmOnly: cell, testAndConfirm: cell, uploadOnly: "refused policy.bootloader"), 7, Self.one
      ) {
        $0.applicationLists = false
        $0.tellsVersion = false
      }
    }
  }

  @Test("Firmware loader: an older image in the loader's list sends the board back before it is refused")
  func refusedInTheLoader() {
    check(
      Row(
        "", [Self.slot(0, Board.old, "ac", version: "2.0.1")], testOnly: "refused policy.no_revert", confirmOnly: "loader clear: refused policy.downgrade",
        testAndConfirm: "loader clear: refused policy.downgrade", uploadOnly: "refused policy.bootloader"), 7, Self.one
    ) {
      $0.applicationLists = false
      $0.tellsVersion = false
    }
  }

  @Test("Firmware loader: an application that tells another version than was written fails")
  func otherVersion() {
    check(
      Row(
        "", [Self.old], testOnly: "refused policy.no_revert", confirmOnly: "loader upload reset: failed verify.other_firmware",
        testAndConfirm: "loader upload reset: failed verify.other_firmware", uploadOnly: "refused policy.bootloader"), 7, Self.one
    ) {
      $0.applicationLists = false
      $0.tells = "1.0.0"
    }
  }

  // MARK: 0 single application, 8 single slot RAM load, and numbers that nobody knows

  @Test("Bootloaders that a running application cannot update are refused, unless there is nothing to do", arguments: [0, 8, 10, 17])
  func refusedModes(_ number: Int) {
    check(Row("old", [Self.old], all: "refused policy.bootloader"), number, Self.one)
    check(Row("there", [Self.wanted(0, "a")], all: "skipped confirmed"), number, Self.one)
  }

  // MARK: packages and bootloaders that do not fit

  @Test("A Direct-XIP package fits no other bootloader, and a lone build none with Direct-XIP")
  func unsuited() {
    for number in [nil, -1, 1, 2, 3, 6, 9] as [Int?] { check(Row("", [Self.old], all: "refused policy.bootloader"), number, Self.builds) }
    for number in [4, 5] { check(Row("", [Self.old], all: "refused policy.bootloader"), number, Self.one) }
    check(Row("", [Self.old], all: "refused policy.bootloader"), 7, Self.builds)
  }

  // MARK: two images

  static let two = [0, 1].map { UpdatePlan.Image(number: $0, hash: Board.wanted($0), version: "2.0.0") }
  static let oldOne = slot(0, Board.foreign, "ac", image: 1)

  static let pairRows = [
    Row(
      "both old", [old, oldOne], testOnly: "upload0 upload1 test0 test1 reset: passed testing",
      confirmOnly: "upload0 upload1 permanent0 permanent1 reset: passed confirmed",
      testAndConfirm: "upload0 upload1 test0 test1 reset confirm0 confirm1: passed confirmed", uploadOnly: "upload0 upload1: passed stored"),
    Row(
      "one stored", [old, oldOne, wanted(1, "", image: 1)], testOnly: "upload0 test0 test1 reset: passed testing",
      confirmOnly: "upload0 permanent0 permanent1 reset: passed confirmed",
      testAndConfirm: "upload0 test0 test1 reset confirm0 confirm1: passed confirmed", uploadOnly: "upload0: passed stored"),
    Row(
      "one marked", [old, wanted(1, "p"), oldOne, wanted(1, "", image: 1)], testOnly: "test1 reset: passed testing",
      confirmOnly: "permanent1 reset confirm0: passed confirmed", testAndConfirm: "test1 reset confirm0 confirm1: passed confirmed",
      uploadOnly: "upload0: passed stored"),
    Row(
      "one there", [wanted(0, "ac"), oldOne], testOnly: "upload1 test1 reset: passed testing",
      confirmOnly: "upload1 permanent1 reset: passed confirmed", testAndConfirm: "upload1 test1 reset confirm1: passed confirmed",
      uploadOnly: "upload1: passed stored"),
    // One of a pair that was cut short does not run with the other's old firmware for good.
    Row(
      "one on trial, the other old", [wanted(0, "a"), slot(1, Board.old, "c"), oldOne],
      testOnly: "clear upload1 test0 test1 reset: passed testing", confirmOnly: "clear upload1 permanent0 permanent1 reset: passed confirmed",
      testAndConfirm: "clear upload1 test0 test1 reset confirm0 confirm1: passed confirmed", uploadOnly: "clear upload1: passed stored"),
    Row(
      "both on trial", [wanted(0, "a"), slot(1, Board.old, "c"), wanted(0, "a", image: 1), slot(1, Board.foreign, "c", image: 1)],
      testOnly: "skipped testing", confirmOnly: "confirm0 confirm1: passed confirmed", testAndConfirm: "confirm0 confirm1: passed confirmed",
      uploadOnly: "skipped testing"),
    Row("both there", [wanted(0, "ac"), wanted(0, "ac", image: 1)], all: "skipped confirmed"),
    Row(
      "the second is newer", [old, slot(0, Board.foreign, "ac", image: 1, version: "2.1.0")], all: "refused policy.downgrade"),
  ]

  @Test("Two images: all are uploaded, all are marked by their hash, one reset", arguments: pairRows, [1, 3, 9])
  func pair(_ row: Row, _ number: Int) { check(row, number, Self.two) }

  @Test("Two images, and the board lets only image 0 be confirmed while it runs (image error 32): the other is made permanent before it runs")
  func deniedConfirmation() {
    check(
      Row(
        "", [Self.old, Self.oldOne], testOnly: "upload0 upload1 test0 test1 reset: passed testing",
        confirmOnly: "upload0 upload1 permanent0 permanent1 reset: passed confirmed",
        testAndConfirm: "upload0 upload1 test0 test1 reset confirm0 confirm1 clear permanent1 reset: passed confirmed",
        uploadOnly: "upload0 upload1: passed stored"), 3, Self.two
    ) {
      $0.deniesConfirmation = true
    }
  }

  @Test("Two images, overwrite only")
  func overwrittenPair() {
    check(
      Row(
        "", [Self.old, Self.oldOne], testOnly: "refused policy.no_revert", confirmOnly: "upload0 upload1 permanent0 permanent1 reset: passed confirmed",
        testAndConfirm: "upload0 upload1 test0 test1 reset: passed confirmed", uploadOnly: "upload0 upload1: passed stored"), 2, Self.two)
  }

  // MARK: a network core

  static let hiddenRows = [
    Row(
      "old", [old, oldOne], testOnly: "refused policy.no_revert", confirmOnly: "upload0 upload1 permanent0 permanent1 reset: passed confirmed by none",
      testAndConfirm: "upload0 upload1 test0 permanent1 reset confirm0: passed confirmed by none", uploadOnly: "upload0 upload1: passed stored"),
    Row(
      "application there", [wanted(0, "ac"), oldOne], testOnly: "refused policy.no_revert",
      confirmOnly: "upload1 permanent1 reset: passed confirmed by none", testAndConfirm: "upload1 permanent1 reset: passed confirmed by none",
      uploadOnly: "upload1: passed stored"),
    Row(
      "network core stored", [old, oldOne, wanted(1, "", image: 1)], testOnly: "refused policy.no_revert",
      confirmOnly: "upload0 permanent0 permanent1 reset: passed confirmed by none",
      testAndConfirm: "upload0 test0 permanent1 reset confirm0: passed confirmed by none", uploadOnly: "upload0: passed stored"),
  ]

  @Test("A network core is never tried, never skipped, and not read back", arguments: hiddenRows)
  func networkCore(_ row: Row) { check(row, 3, Self.two) { $0.hidden = [1] } }

  @Test("What the package calls a network core is never tried, also where the board lists it")
  func listedNetworkCore() {
    var images = Self.two
    images[1].isReadBack = false
    check(
      Row(
        "", [Self.old, Self.oldOne], testOnly: "refused policy.no_revert", confirmOnly: "upload0 upload1 permanent0 permanent1 reset: passed confirmed",
        testAndConfirm: "upload0 upload1 test0 permanent1 reset confirm0: passed confirmed", uploadOnly: "upload0 upload1: passed stored"), 3, images)
  }

  @Test("The same where the board lists nothing of it at all")
  func unlistedNetworkCore() {
    check(
      Row(
        "", [Self.old, Self.oldOne], testOnly: "refused policy.no_revert",
        confirmOnly: "upload0 upload1 permanent0 permanent1 reset: passed confirmed by none",
        testAndConfirm: "upload0 upload1 test0 permanent1 reset confirm0: passed confirmed by none", uploadOnly: "upload0 upload1: passed stored by none"),
      3, Self.two
    ) {
      $0.hidden = [1]
      $0.hidesUploads = true
    }
  }

  @Test("The same where it is listed without a hash (facts/device-manager.md §11.7)")
  func networkCoreWithoutHash() {
    let bare = Self.slot(0, nil, "ac", image: 1)
    check(
      Row(
        "", [Self.old, bare], testOnly: "refused policy.no_revert",
        confirmOnly: "upload0 upload1 permanent0 permanent1 reset: passed confirmed",
        testAndConfirm: "upload0 upload1 test0 permanent1 reset confirm0: passed confirmed", uploadOnly: "upload0 upload1: passed stored"), 3, Self.two)
  }

  @Test("A board without the second image is refused: it would write it over the first (facts/smp.md §3.2)")
  func absentImage() {
    check(Row("", [Self.old], all: "refused policy.bootloader"), 3, Self.two) { $0.images = [0] }
  }
}
