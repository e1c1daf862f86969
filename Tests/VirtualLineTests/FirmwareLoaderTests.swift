import Bluetooth
import Firmware
import Testing

@testable import VirtualLine

/// A bare-metal board with a firmware loader. Sources: smp.md §6 "Bare metal"; device-manager.md §1.7; the request frames are those of device-manager.md §9.
struct FirmwareLoaderTests {
  /// `fw_loader/adv_name` = `FL_01234`.
  private static let rename =
    "0A00002600030800A2646E616D657266775F6C6F616465722F6164765F6E616D656376616C48464C5F3031323334"
  private static let save = "0A00000100030903A0"
  private static let intoLoader = "0A00000C00000305A169626F6F745F6D6F646501"
  private static let address = BluetoothAddress(bits: 0xC0DE_0000_0001)
  private static let loaderAddress = BluetoothAddress(bits: 0xC0DE_4000_0001)

  private func bench(faults: [BoardFault] = [], _ change: (inout BoardSettings) -> Void = { _ in }) -> BoardBench {
    var bench = BoardBench(settings(.loader, change), faults: faults)
    _ = bench.connect()
    return bench
  }

  private var update: [UInt8] { BootModeTests.build(SMPKind.loader.settings, "2.0.0", slot: 0) }

  /// The application has no image group: rc 8 to whatever it is asked.
  @Test(arguments: [
    (BoardBench.list, "0900000600010000bf62726308ff"), ("0a00000100010001a0", "0b00000600010001bf62726308ff"),
    ("0a00000100010005a0", "0b00000600010005bf62726308ff"), ("0800000100010006a0", "0900000600010006bf62726308ff"),
    ("0A00000A00010500A167636F6E6669726DF5", "0b00000600010500bf62726308ff"),
  ])
  func theApplicationUpdatesNothing(_ request: String, _ answer: String) {
    var bench = bench()
    #expect(bench.ask(request) == answer)
  }

  @Test func theWholeWay() {
    var bench = bench()
    #expect(bench.ask(Self.rename) == "0b00000200030800bfff")
    #expect(bench.ask(Self.save) == "0b00000200030903bfff")
    #expect(bench.board.face == BoardFace(address: Self.address, name: "VLINE-0001", services: [.simpleManagement]))
    #expect(bench.ask(Self.intoLoader) == "0b00000200000305bfff")
    bench.run(for: .seconds(10))
    #expect(bench.ended == [.lost])
    #expect(bench.board.advertises)
    #expect(bench.board.face == BoardFace(address: Self.loaderAddress, name: "FL_01234", services: [.simpleManagement]))
    #expect(bench.board.truth(number: 0).mode == "loader")
    #expect(bench.board.truth(number: 0).loader == LineTruth.Loader(address: "C0:DE:40:00:00:01", name: "FL_01234"))

    _ = bench.connect()
    let (old, loader) = (FirstImages.image(0, bench.board.settings, size: 256)?.hash, FirstImages.loader(bench.board.settings)?.hash)
    #expect(
      bench.ask(BoardBench.list) == HandList.answer([HandList.entry(slot: 0, "1.0.0", old, "b"), HandList.entry(slot: 1, "0.9.0", loader, "bca")]))
    #expect(bench.setState(loader, confirm: true) == HandList.notBuilt(command: 0))
    #expect(bench.board.read(.firmwareRevision) == Array("0.9.0".utf8))
    bench.upload(update, image: 0)
    #expect(bench.slots == ["2.0.0 b", "0.9.0 bca"])
    bench.reset()
    #expect(bench.board.boots == [.loader, .switched])
    #expect(bench.board.face == BoardFace(address: Self.address, name: "VLINE-0001", services: [.simpleManagement]))
    #expect(bench.board.read(.firmwareRevision) == Array("2.0.0".utf8))
    #expect(bench.board.isUpdated)
    #expect(bench.board.truth(number: 0).loader == nil)
    #expect(bench.ask(BoardBench.list) == HandList.notBuilt(command: 0, isWrite: false))
  }

  /// Only what was saved outlives the reset.
  @Test func aNameThatWasNotSavedIsLost() {
    var bench = bench()
    _ = bench.ask(Self.rename)
    _ = bench.ask(Self.intoLoader)
    bench.run(for: .seconds(10))
    #expect(bench.board.nameNow == "FL_LOADER")
  }

  @Test func theLoaderMayKeepTheAddressAndKnowNothingOfTheBoard() {
    var bench = bench { ($0.loader.sameAddress, $0.loader.information, $0.loader.name) = (true, false, "Loader") }
    _ = bench.ask(Self.intoLoader)
    bench.run(for: .seconds(10))
    #expect(bench.board.face == BoardFace(address: Self.address, name: "Loader", services: [.simpleManagement]))
    #expect(bench.board.read(.serialNumber) == nil)
    #expect(bench.board.services.map(\.uuid) == [.simpleManagement])
    #expect(bench.board.addresses == [Self.address])
  }

  /// A half-written or broken application leaves the loader, whatever is asked.
  @Test(arguments: [BoardFault(.spoilImage), BoardFault(.reboot, offset: 300)])
  func withoutAnApplicationTheLoaderStays(_ fault: BoardFault) {
    var bench = bench(faults: [fault])
    _ = bench.ask(Self.intoLoader)
    bench.run(for: .seconds(10))
    _ = bench.connect()
    bench.upload(update, image: 0)
    bench.run(for: .seconds(10))
    _ = bench.connect()
    bench.reset()
    #expect(bench.board.flash.isInLoader)
    #expect(bench.board.advertises || bench.board.isConnected)
    // And it takes the next upload.
    bench.upload(update, image: 0)
    bench.reset()
    #expect(bench.board.read(.firmwareRevision) == Array("2.0.0".utf8))
  }

  /// Nothing leads back: a bare-metal board has no second application.
  @Test func anApplicationThatDoesNotComeUpIsTheEnd() {
    var bench = bench(faults: [BoardFault(.imageReverts, count: 2)])
    _ = bench.ask(Self.intoLoader)
    bench.run(for: .seconds(10))
    _ = bench.connect()
    bench.upload(update, image: 0)
    bench.reset()
    #expect(bench.board.boots == [.loader, .dead])
    #expect(!bench.board.advertises && !bench.board.isConnected)
  }

  @Test func aPlainResetStartsTheApplication() {
    var bench = bench()
    bench.reset()
    #expect(bench.board.boots == [.none])
    #expect(bench.board.addressNow == Self.address)
  }

  /// Other boards do not know `boot_mode` (smp.md §3.1).
  @Test func otherBoardsIgnoreTheBootMode() {
    var bench = BoardBench()
    _ = bench.connect()
    _ = bench.ask(Self.intoLoader)
    bench.run(for: .seconds(10))
    #expect(bench.board.advertises)
    #expect(bench.board.addressNow == Self.address)
  }
}

/// Erase storage, group 63. Sources: smp.md §3.8, §1.5; the request is device-manager.md §9's.
struct StorageTests {
  private static let erase = "0A000001003F0600A0"

  @Test func whatWasErasedIsGone() {
    var bench = BoardBench()
    _ = bench.connect()
    #expect(bench.board.truth(number: 0).storage == LineTruth.Storage(erased: 0, values: ["app/counter": "31"]))
    #expect(bench.ask(Self.erase) == "0b000002003f0600bfff")
    #expect(bench.board.truth(number: 0).storage == LineTruth.Storage(erased: 1, values: [:]))
    bench.reset()
    #expect(bench.board.truth(number: 0).storage == LineTruth.Storage(erased: 1, values: [:]))
  }

  @Test func itTakesTheTimeOfAnErase() {
    var bench = BoardBench(settings { $0.eraseMilliseconds = 3000 })
    _ = bench.connect()
    #expect(bench.ask(bytes(Self.erase), within: .milliseconds(2900)).isEmpty)
    bench.run(for: .milliseconds(200))
    #expect(bench.notified.count == 1)
  }

  /// Not built (rc 8), flash erase failed (group error 4), and what version 1 makes of that: success (smp.md §1.5).
  @Test func refusals() {
    var none = BoardBench(settings { $0.eraseStorage = false })
    _ = none.connect()
    #expect(none.ask(Self.erase) == "0b000006003f0600bf62726308ff")
    #expect(none.board.store.erasures == 0)
    var fault = BoardFault(.refuse, group: 63, command: 0)
    fault.groupCode = 4
    var failing = BoardBench(faults: [fault])
    _ = failing.connect()
    #expect(failing.ask(Self.erase) == "0b000014003f0600bf63657272bf6567726f7570183f62726304ffff")
    #expect(failing.board.store.erasures == 0)
    var original = BoardBench(settings { $0.smpVersion = 1 }, faults: [fault])
    _ = original.connect()
    #expect(original.ask("02000001003F0600A0") == "03000006003f0600bf62726300ff")
    #expect(original.board.store.erasures == 0)
  }

  @Test func storageHasLimits() {
    var store = SettingsStore([:])
    let refused = [store.write(String(repeating: "n", count: 65), [1]), store.write("a", [UInt8](repeating: 0, count: 257))]
    #expect(refused == [false, false])
    let taken = (0..<SettingsStore.places).map { store.write("n\($0)", [1]) }
    #expect(taken.allSatisfy { $0 })
    let full = [store.write("one more", [1]), store.write("n0", [2]), store.delete("n1"), store.delete("n1")]
    #expect(full == [false, true, true, false])
    store.load()
    #expect(store.values.isEmpty)
  }
}
