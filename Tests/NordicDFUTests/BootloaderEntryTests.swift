import Testing

@testable import NordicDFU

/// From the application into the bootloader: nordic-dfu.md §2.8, §3.2, §7 (7, 14); metaboot.md §2.
struct BootloaderEntryTests {
  private static let unbonded = EntryPath.secureApplication(bonded: false)
  private static let settle: [EntryAction] = [.pause(.milliseconds(1500))]
  private static let handoff = EntryAction.expect(.handoff, within: .seconds(5))

  @Test("MetaWear: FE 02 without a response, then the board drops the link, then it settles")
  func metaWear() {
    var entry = BootloaderEntry(.metaWear)
    #expect(entry.start() == [.write([0xFE, 0x02], withResponse: false), Self.handoff])
    #expect(entry.start() == [])
    #expect(entry.written() == [])
    #expect(entry.linkLost() == Self.settle)
    #expect(entry.linkLost() == [])
    #expect(entry.paused() == [.finished])
    #expect(entry.paused() == [])
  }

  @Test("A board that stays is disconnected as the last resort", arguments: [EntryPath.metaWear, .legacyApplication, unbonded])
  func stays(path: EntryPath) {
    var entry = BootloaderEntry(path)
    _ = entry.start() + entry.subscribed() + entry.written()
    #expect(entry.silent() == [.disconnect, .expect(.reset, within: .seconds(5))])
    var silent = entry
    #expect(entry.linkLost() == Self.settle)
    #expect(silent.silent() == Self.settle, "the disconnection is not told either")
    #expect(silent.paused() == [.finished])
  }

  @Test(
    "Each path has its request, with notifications or indications first",
    arguments: [
      (EntryPath.legacyApplication, [0x01, 0x04] as [UInt8]), (unbonded, [0x01]), (.secureApplication(bonded: true), [0x01]),
      (.experimentalApplication, [0x01]),
    ])
  func requests(path: EntryPath, request: [UInt8]) {
    for isWritten in [false, true] {
      var entry = BootloaderEntry(path, name: path == Self.unbonded ? nil : "Dfu00001")
      #expect(entry.start() == [.subscribe, .expect(.write, within: .seconds(10))])
      #expect(entry.subscribed() == [.write(request, withResponse: true), Self.handoff])
      #expect(entry.subscribed() == [])
      if isWritten { #expect(entry.written() == []) }
      #expect(entry.received([0x20, 0x01, 0x01]) == [], "the link's end is the answer")
      #expect(entry.linkLost() == Self.settle, "with or without the write's response")
    }
  }

  @Test("The bootloader's name is set first, and is no condition")
  func name() {
    func named() -> BootloaderEntry {
      var entry = BootloaderEntry(Self.unbonded, name: "Dfu01234")
      _ = entry.start()
      #expect(entry.subscribed() == [.write([0x02, 8] + [UInt8]("Dfu01234".utf8), withResponse: true), .expect(.answer, within: .seconds(20))])
      return entry
    }
    let leave: [EntryAction] = [.write([0x01], withResponse: true), Self.handoff]
    var good = named()
    #expect(good.received([0x20, 0x01, 0x01]) == [])
    #expect(good.received([0x20, 0x02, 0x01]) == leave)
    #expect(good.isNamed)
    for status: UInt8 in [2, 4, 5, 6, 7, 0, 99] {
      var refused = named()
      #expect(refused.received([0x20, 0x02, status]) == leave)
      #expect(!refused.isNamed)
    }
    var silent = named()
    #expect(silent.silent() == leave)
    var unwritable = named()
    #expect(unwritable.failed() == leave)
    var crashed = named()
    #expect(crashed.linkLost() == [.failed(.linkLost(offset: 0))])
  }

  @Test("Names that cannot be set are not asked for", arguments: ["", "123456789012345678901", "ÄÖÜÄÖÜÄÖÜÄÖ"])
  func badNames(name: String) {
    var entry = BootloaderEntry(Self.unbonded, name: name)
    #expect(entry.start().first == .subscribe)
    #expect(entry.subscribed().first == .write([0x01], withResponse: true))
  }

  @Test(
    "A refusal ends it; what is only not possible now may be tried again",
    arguments: [(2, DFURecovery.never), (4, .again), (5, .never), (7, .never), (0, .again), (99, .again)] as [(UInt8, DFURecovery)])
  func refused(status: UInt8, recovery: DFURecovery) {
    var entry = BootloaderEntry(Self.unbonded)
    _ = entry.start() + entry.subscribed()
    let failure = DFUFailure.entryRefused(status: status)
    #expect(entry.received([0x20, 0x01, status]) == [.failed(failure)])
    #expect(failure.recovery == recovery)
    #expect(entry.linkLost() == [])
  }

  @Test("A busy board is asked four times")
  func busy() {
    var entry = BootloaderEntry(Self.unbonded)
    _ = entry.start() + entry.subscribed()
    for _ in 1..<BootloaderEntry.busyTries {
      #expect(entry.received([0x20, 0x01, 0x06]) == [.pause(.milliseconds(500))])
      #expect(entry.paused() == [.write([0x01], withResponse: true), Self.handoff])
    }
    #expect(entry.received([0x20, 0x01, 0x06]) == [.failed(.entryRefused(status: 6))])
  }

  @Test("A Legacy application answers in its own words")
  func legacyRefused() {
    var entry = BootloaderEntry(.legacyApplication)
    _ = entry.start() + entry.subscribed()
    #expect(entry.received([0x20, 0x01, 0x06]) == [])
    #expect(entry.received([0x10, 0x02, 0x06]) == [])
    #expect(entry.received([0x10, 0x01, 0x01]) == [])
    #expect(entry.received([0x10, 0x01, 0x02]) == [.failed(.legacyRefused(.start, status: 2))])
  }

  @Test(
    "Notifications that are no answer change nothing",
    arguments: [[], [0x20], [0x20, 0x01], [0x20, 0x02, 0x04], [0x60, 0x01, 0x04], [0x10, 0x01, 0x06]] as [[UInt8]])
  func strays(bytes: [UInt8]) {
    var entry = BootloaderEntry(Self.unbonded)
    _ = entry.start() + entry.subscribed()
    #expect(entry.received(bytes) == [])
    #expect(entry.linkLost() == Self.settle)
  }

  @Test("What cannot be written, an end too early, a stop")
  func failures() {
    var subscription = BootloaderEntry(Self.unbonded)
    _ = subscription.start()
    #expect(subscription.failed() == [.failed(.writeRefused(1))])
    var silent = BootloaderEntry(Self.unbonded)
    _ = silent.start()
    #expect(silent.silent() == [.failed(.silent(.write, offset: 0))])
    var command = BootloaderEntry(.metaWear)
    _ = command.start()
    #expect(command.failed() == [.failed(.writeRefused(0xFE))])
    var lost = BootloaderEntry(.legacyApplication)
    _ = lost.start()
    #expect(lost.linkLost() == [.failed(.linkLost(offset: 0))])
    var unknown = BootloaderEntry(.unknown)
    #expect(unknown.start() == [.failed(.noBootloader)])
    var stopped = BootloaderEntry(.metaWear)
    _ = stopped.start()
    #expect(stopped.cancel() == [.failed(.cancelled)])
    #expect(stopped.cancel() == [])
  }

  // MARK: - Addresses

  @Test(
    "Plus one is the last octet alone, without a carry (§5.4)",
    arguments: [
      (0xC99F_E167_A9E3, 0xC99F_E167_A9E4), (0xC99F_E167_A9FF, 0xC99F_E167_A900), (0xFFFF_FFFF_FFFF, 0xFFFF_FFFF_FF00), (0, 1),
    ] as [(UInt64, UInt64)])
  func next(address: UInt64, next: UInt64) {
    #expect(DFUAddress.next(address) == next)
    #expect(DFUAddress.previous(next) == address)
  }

  @Test("Both addresses are the board's; which is likelier depends on the path")
  func addresses() {
    let (same, next, previous): (UInt64, UInt64, UInt64) = (0xC99F_E167_A9FF, 0xC99F_E167_A900, 0xC99F_E167_A9FE)
    for path in [EntryPath.metaWear, .legacyApplication, .secureApplication(bonded: true), .unknown] {
      #expect(path.bootloaderAddresses(ofApplication: same) == [same, next])
      #expect(path.applicationAddresses(ofBootloader: same) == [same, previous])
    }
    for path in [EntryPath.secureApplication(bonded: false), .experimentalApplication] {
      #expect(path.bootloaderAddresses(ofApplication: same) == [next, same])
      #expect(path.applicationAddresses(ofBootloader: same) == [previous, same])
    }
  }
}
