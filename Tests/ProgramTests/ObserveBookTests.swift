import Bluetooth
import Cloud
import Flashing
import Station
import Testing

@testable import flashline

/// Whom `observe` connects to, and what follows when a link ends.
@Suite struct ObserveBookTests {
  private static let board = BluetoothAddress(bits: 0xC0DE_0000_0001)
  private static let other = BluetoothAddress(bits: 0xC0DE_0000_0002)

  private static func heard(
    _ address: BluetoothAddress = board, services: Set<BluetoothUUID> = [.diagnostics], name: String? = "Line 1", rssi: Int? = -50,
    type: AddressType = .public
  ) -> Advertisement {
    Advertisement(address: address, addressType: type, name: name, rssi: rssi, services: services)
  }

  private static func profile(_ text: String = "", name: String = "line") throws -> BoardProfile {
    let folder = try TemporaryFolder()
    return try BoardProfile(
      path: folder.write("[board]\nname = \(name)\nfamily = mcuboot\n\(text)[match]\nname_prefix = Line\nmin_rssi = -70\n", to: "p.profile"))
  }

  private static func book(
    _ wanted: Set<BluetoothAddress> = [], _ profiles: [BoardProfile] = [], _ pairing: ObserveRequest.Pairing? = nil
  ) -> ObserveBook {
    ObserveBook(wanted: wanted, profiles: profiles, pairing: pairing)
  }

  @Test func withoutAnAddressTheServiceDecides() {
    var book = Self.book()
    #expect(book.heard(Self.heard(services: [.simpleManagement]), on: "1-1", fewest: 0, now: .zero) == .nothing)
    #expect(book.heard(Self.heard(), on: "1-1", fewest: 0, now: .zero) == .take(nil))
    #expect(book.heard(Self.heard(), on: "1-2", fewest: 0, now: .zero) == .nothing, "it is in hand")
    #expect(book.links(on: "1-1") == 1 && book.links(on: "1-2") == 0)
  }

  @Test func aNamedBoardComesWithoutTheService() {
    var book = Self.book([Self.board])
    #expect(book.isLooking(.zero) && !book.isOver)
    #expect(book.heard(Self.heard(Self.other), on: "1-1", fewest: 0, now: .zero) == .nothing)
    #expect(book.heard(Self.heard(services: [], rssi: nil), on: "1-1", fewest: 0, now: .zero) == .take(nil))
    #expect(!book.isLooking(.zero))
  }

  @Test func aProfileDecidesWithItsStrengthAndPairing() throws {
    var book = Self.book([], [try Self.profile("pairing = just-works\n")])
    let known = Self.heard(services: [.simpleManagement])
    #expect(book.heard(Self.heard(services: [.simpleManagement], name: "Other"), on: "1-1", fewest: 0, now: .zero) == .nothing)
    #expect(book.heard(known, on: "1-1", fewest: 0, now: .zero) == .nothing && book.heard(known, on: "1-1", fewest: 0, now: .zero) == .nothing)
    #expect(book.heard(known, on: "1-1", fewest: 0, now: .zero) == .take(.justWorks), "the third strength makes a median")
    var weak = Self.book([], [try Self.profile()])
    for _ in 0..<5 { #expect(weak.heard(Self.heard(services: [.simpleManagement], rssi: -90), on: "1-1", fewest: 0, now: .zero) == .nothing) }
  }

  @Test func theCommandLineOutranksTheProfilesPairing() throws {
    let profile = try Self.profile("pairing = just-works\n")
    let rows: [(ObserveRequest.Pairing?, PairingMethod?)] = [(nil, .justWorks), (ObserveRequest.Pairing.none, nil), (.method(.passkey(7)), .passkey(7))]
    for (asked, method) in rows {
      var book = Self.book([Self.board], [profile], asked)
      #expect(book.heard(Self.heard(), on: "1-1", fewest: 0, now: .zero) == .take(method))
    }
  }

  @Test func privateAddressesAndTwoProfilesAreRefusedOnce() throws {
    var book = Self.book([Self.board])
    let moving = BluetoothAddress(bits: 0x40DE_0000_0001)
    var named = Self.book([moving])
    guard case .refuse(let words) = named.heard(Self.heard(moving, type: .random), on: "1-1", fewest: 0, now: .zero) else {
      Issue.record("a private address was taken")
      return
    }
    #expect(words.contains("fixed address"))
    #expect(named.heard(Self.heard(moving, type: .random), on: "1-1", fewest: 0, now: .zero) == .nothing && named.isOver)
    #expect(book.heard(Self.heard(moving, type: .random), on: "1-1", fewest: 0, now: .zero) == .nothing, "a stranger is not even refused")
    var two = Self.book([], [try Self.profile(), try Self.profile(name: "twin")])
    guard case .refuse = two.heard(Self.heard(services: [.simpleManagement]), on: "1-1", fewest: 0, now: .zero) else {
      Issue.record("two profiles")
      return
    }
  }

  @Test func linksAreSharedOutAndLimited() {
    var book = Self.book()
    #expect(book.heard(Self.heard(), on: "1-1", fewest: 0, now: .zero) == .take(nil))
    #expect(book.heard(Self.heard(Self.other), on: "1-1", fewest: 0, now: .zero) == .nothing, "another adapter has fewer links")
    #expect(book.heard(Self.heard(Self.other), on: "1-1", fewest: 0, now: .seconds(3)) == .take(nil), "but it does not hear the board")
    for number in 3..<20 { _ = book.heard(Self.heard(BluetoothAddress(bits: UInt64(number))), on: "1-1", fewest: 9, now: .zero) }
    #expect(book.links(on: "1-1") == book.limits.linksPerAdapter)
  }

  static let endings: [(ObserveBook.Ending, ObserveBook.Next?)] = [
    (.forgotten, .again(.zero)), (.full, .again(.seconds(1))), (.broken, .again(.seconds(1))),
    (.observed(.stopped, lasted: .zero, chunks: 0), .again(.seconds(1))), (.observed(.linkLost, lasted: .seconds(60), chunks: 9), .again(.seconds(1))),
    (.failed(.otherClient), .again(.seconds(1))), (.failed(.notOffered(.diagnostics)), .again(.zero)), (.refused("no"), .out("no")),
    (.failed(.notEncrypted("x")), nil), (.failed(.unknownFeatures([1])), nil), (.failed(.malformed(.dataURI)), nil),
  ]

  @Test(arguments: endings) func whatFollows(ending: ObserveBook.Ending, next: ObserveBook.Next?) {
    var book = Self.book()
    _ = book.heard(Self.heard(), on: "1-1", fewest: 0, now: .zero)
    let follows = book.ended(Self.board, ending, now: .zero)
    if let next { #expect(follows == next) } else if case .again = follows { Issue.record("it is tried again") }
  }

  @Test func aBoardThatLacksTheServiceTwiceIsLeftAlone() {
    var book = Self.book([Self.board])
    _ = book.heard(Self.heard(), on: "1-1", fewest: 0, now: .zero)
    #expect(book.ended(Self.board, .failed(.notOffered(.diagnostics)), now: .zero) == .again(.zero), "the stack may have shown an earlier firmware's services")
    #expect(book.heard(Self.heard(), on: "1-1", fewest: 0, now: .zero) == .take(nil))
    guard case .out = book.ended(Self.board, .failed(.notOffered(.diagnostics)), now: .zero) else {
      Issue.record("again")
      return
    }
    #expect(book.isOver)
  }

  @Test func thePausesGrowAndEnd() {
    var book = Self.book([Self.board])
    var (now, pauses) = (Duration.zero, [Int64]())
    while true {
      #expect(book.heard(Self.heard(), on: "1-1", fewest: 0, now: now) == .take(nil))
      guard case .again(let pause) = book.ended(Self.board, .failed(.link(.connectTimedOut)), now: now) else { break }
      #expect(book.heard(Self.heard(), on: "1-1", fewest: 0, now: now) == .nothing, "not before the pause is over")
      pauses.append(pause.components.seconds)
      now += pause
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60] && book.isOver)
  }

  @Test func aLinkThatBroughtSomethingStartsTheCountAgain() {
    var book = Self.book([Self.board])
    for chunks in [0, 0, 1, 0] {
      _ = book.heard(Self.heard(), on: "1-1", fewest: 0, now: .seconds(1000 * chunks + 1000))
      let next = book.ended(Self.board, .observed(.linkLost, lasted: .zero, chunks: chunks), now: .zero)
      if chunks == 1 { #expect(next == .again(.seconds(1))) }
    }
  }

  @Test func aStormOfAddressesIsBounded() {
    var book = Self.book()
    for number in 0..<2000 {
      let board = BluetoothAddress(bits: UInt64(number))
      if book.heard(Self.heard(board), on: "1-\(number)", fewest: 0, now: .zero) == .take(nil) { #expect(number < book.limits.boards) }
    }
  }
}

/// The counts of a run and its exit code.
@Suite struct ObserveTallyTests {
  private static let board = BluetoothAddress(bits: 0xC0DE_0000_0001)
  private static let begun: [ObserveEvent] = [
    .started(station: "s", queue: "q", isUploadOnly: false, boards: [board]),
    .connected(board, adapter: "A", deviceID: "SN-1", host: "h"), .chunk(board, adapter: "A", number: 0, bytes: 9),
  ]

  private static func tally(_ events: [ObserveEvent]) -> ObserveTally {
    var tally = ObserveTally()
    for event in begun + events { tally.apply(event, at: 0) }
    return tally
  }

  static let rows: [([ObserveEvent], Int32)] = [
    ([], 0), ([.gap(board, adapter: "A", missing: 2)], 1), ([.full(board, adapter: "A", isLost: true)], 1), ([.full(board, adapter: "A", isLost: false)], 0),
    ([.malformed(board, adapter: "A")], 1), ([.refused(board, reason: "x")], 1), ([.disconnected(board, adapter: "A", reason: "x", chunks: 1, again: nil)], 0),
    ([.refused(BluetoothAddress(bits: 7), reason: "x")], 1),
  ]

  @Test(arguments: rows) func exits(events: [ObserveEvent], exit: Int32) {
    let tally = Self.tally(events)
    #expect(tally.exit(isStopped: false, hasFault: false) == exit)
    #expect(tally.exit(isStopped: false, hasFault: true) == 3 && tally.exit(isStopped: true, hasFault: true) == 130)
  }

  @Test func aBoardThatWasNotHeardIsNotGood() {
    var tally = ObserveTally()
    tally.apply(Self.begun[0], at: 0)
    #expect(tally.exit(isStopped: false, hasFault: false) == 1 && tally.unobserved.map(\.mac) == [Self.board])
    #expect(ObserveText.summary(tally, queue: "q", isUploadOnly: false).contains { $0.contains("not heard") })
  }

  @Test func theScreenFitsItsTerminal() {
    var table = ObserveTable()
    table.apply(Self.tally([.gap(Self.board, adapter: "A", missing: 2)]), .init(text: "line", weight: .news), at: 0)
    let frame = table.frame(columns: 60, rows: 6, now: 1000)
    #expect(frame.allSatisfy { $0.count <= 60 } && frame.count <= 6)
    #expect(frame.contains { $0.contains("\(Self.board)") && $0.contains("SN-1") })
    #expect(table.takeLines().count == 1 && table.takeLines().isEmpty)
  }

  @Test func everyEventIsOneLineForPrograms() throws {
    let tally = Self.tally([])
    let lines = Self.begun.compactMap { $0.json(tally, at: 0)?.line }
    #expect(lines.count == 3 && lines[1].hasPrefix("{\"event\":\"observe.connected\",\"time\":\"1970-01-01T00:00:00.000Z\",\"mac\":\"C0:DE:00:00:00:01\""))
    #expect(lines[2].contains("\"received\":1"))
    #expect(ObserveEvent.finished(reason: .time, exit: 0).json(tally, at: 0)?.line.hasSuffix("\"end_reason\":\"time\",\"exit\":0}") == true)
  }
}

/// `observe` on the command line.
@Suite struct ObserveInvocationTests {
  private static func request(_ words: String...) throws -> ObserveRequest {
    guard case .observe(let request) = try Invocation(["observe"] + words).command else { throw ProgramError.usage("not observe", "") }
    return request
  }

  @Test func whatIsUnderstood() throws {
    #expect(try Self.request() == ObserveRequest())
    let two = try Self.request("C0:DE:00:00:00:01", "C0:DE:00:00:00:02", "C0:DE:00:00:00:01", "--seconds", "60", "--pairing", "just-works", "--profile", "p")
    #expect(two.boards.count == 2 && two.seconds == 60 && two.pairing == .method(.justWorks) && two.profiles == ["p"])
    #expect(try Self.request("--pairing", "012345").pairing == .method(.passkey(12_345)))
    #expect(try Self.request("--pairing", "none").pairing == ObserveRequest.Pairing.none)
    #expect(try Self.request("--upload-only", "--until", "17:30").isUploadOnly)
  }

  @Test(arguments: [
    ["here"], ["--seconds", "0"], ["--seconds", "5", "--until", "17:30"], ["--pairing", "12345"], ["--pairing", "1234567"], ["--pairing", "x"],
    ["--upload-only", "C0:DE:00:00:00:01"], ["--upload-only", "--profile", "p"], ["--upload-only", "--pairing", "none"],
  ])
  func whatIsRefused(words: [String]) {
    #expect { try Invocation(["observe"] + words) } throws: { ($0 as? ProgramError)?.exit == ExitStatus.usage }
  }
}
