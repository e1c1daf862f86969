import Bluetooth
import Testing

@testable import Station

/// That boards go to the free adapter that hears them best, once, within bounded memory.
struct SightingBookTests {
  static let adapters = ["A", "B", "C", "D"].enumerated().map { AdapterName(usbPath: "1-\($0.offset + 1)", label: $0.element) }
  static var a: AdapterName { adapters[0] }
  static var b: AdapterName { adapters[1] }

  /// Lets an adapter hear a board `times` times at `time`.
  static func hear(_ book: inout SightingBook, _ board: UInt64, on adapter: AdapterName, rssi: Int?, at time: Duration, times: Int = 3) {
    let heard = Advertisement(address: BluetoothAddress(bits: board), addressType: .public, rssi: rssi)
    for _ in 0..<times { book.heard(heard, on: adapter, verdict: .application(profile: 0), minRSSI: -70, at: time) }
  }

  static func assign(_ book: inout SightingBook, free: [AdapterName], at time: Duration) -> [String] {
    book.assign(free: free, now: time) { _ in true }.map { "\($0.board.bits)\($0.adapter.label)\($0.rssi)" }
  }

  struct Case: Sendable {
    var what: String
    /// Board, adapter (place in `adapters`), strength, seconds, number of advertisements.
    var heard: [(UInt64, Int, Int, Int, Int)]
    var free: [Int]
    var at: Duration
    var given: [String]
  }

  @Test(arguments: [
    Case(what: "nothing heard", heard: [], free: [0, 1], at: .seconds(9), given: []),
    Case(what: "two advertisements are too few", heard: [(1, 0, -50, 0, 2)], free: [0], at: .seconds(2), given: []),
    Case(what: "one free adapter needs no settling", heard: [(1, 0, -50, 0, 3)], free: [0], at: .zero, given: ["1A-50"]),
    Case(what: "others may still hear it", heard: [(1, 0, -50, 0, 3)], free: [0, 1], at: .milliseconds(999), given: []),
    Case(what: "settled", heard: [(1, 0, -50, 0, 3)], free: [0, 1], at: .seconds(1), given: ["1A-50"]),
    Case(what: "all free ones hear it", heard: [(1, 0, -60, 0, 3), (1, 1, -50, 0, 3)], free: [0, 1], at: .zero, given: ["1B-50"]),
    Case(what: "the best is not free", heard: [(1, 0, -60, 0, 3), (1, 1, -50, 0, 3)], free: [0], at: .zero, given: ["1A-60"]),
    Case(what: "a tie goes by label", heard: [(1, 1, -50, 0, 3), (1, 0, -50, 0, 3)], free: [1, 0], at: .zero, given: ["1A-50"]),
    Case(what: "too weak", heard: [(1, 0, -71, 0, 3)], free: [0], at: .seconds(5), given: []),
    Case(what: "just strong enough", heard: [(1, 0, -70, 0, 3)], free: [0], at: .seconds(5), given: ["1A-70"]),
    Case(what: "the median decides", heard: [(1, 0, -90, 0, 1), (1, 0, -50, 0, 2)], free: [0], at: .zero, given: ["1A-50"]),
    Case(what: "of four the weaker middle", heard: [(1, 0, -72, 0, 2), (1, 0, -50, 0, 2)], free: [0], at: .zero, given: []),
    Case(what: "old ones do not count", heard: [(1, 0, -50, 0, 2), (1, 0, -50, 11, 1)], free: [0], at: .seconds(11), given: []),
    Case(what: "one board a worker", heard: [(1, 0, -50, 0, 3), (2, 0, -40, 0, 3)], free: [0], at: .zero, given: ["2A-40"]),
    Case(
      what: "the weaker board takes the adapter that is left", heard: [(1, 0, -50, 0, 3), (1, 1, -60, 0, 3), (2, 0, -40, 0, 3), (2, 1, -45, 0, 3)],
      free: [0, 1], at: .zero, given: ["2A-40", "1B-60"]),
  ])
  func gives(row: Case) {
    var book = SightingBook()
    for (board, adapter, rssi, second, times) in row.heard {
      Self.hear(&book, board, on: Self.adapters[adapter], rssi: rssi, at: .seconds(second), times: times)
    }
    #expect(Self.assign(&book, free: row.free.map { Self.adapters[$0] }, at: row.at) == row.given, "\(row.what)")
    // What was given is in hand: nobody gets it again.
    let before = row.given
    let again = Self.assign(&book, free: row.free.map { Self.adapters[$0] }, at: row.at)
    #expect(!again.contains { before.contains($0) })
  }

  @Test func eightBoardsSpreadOverFourAdapters() {
    var book = SightingBook()
    // One adapter hears all boards best.
    for board in 1...8 as ClosedRange<UInt64> {
      for (place, adapter) in Self.adapters.enumerated() { Self.hear(&book, board, on: adapter, rssi: -40 - 5 * place, at: .zero) }
    }
    let first = book.assign(free: Self.adapters, now: .zero) { _ in true }
    #expect(first.map(\.adapter.label).sorted() == ["A", "B", "C", "D"])
    let second = book.assign(free: Self.adapters, now: .seconds(1)) { _ in true }
    #expect(second.map(\.adapter.label).sorted() == ["A", "B", "C", "D"])
    #expect(Set((first + second).map(\.board)).count == 8)
    #expect(book.assign(free: Self.adapters, now: .seconds(2)) { _ in true }.isEmpty)
  }

  @Test func retriesAvoidTheAdapterThatFailed() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -40, at: .zero)
    #expect(Self.assign(&book, free: [Self.a], at: .zero) == ["1A-40"])
    book.giveBack(BluetoothAddress(bits: 1), pause: .seconds(2), avoided: Self.a, now: .seconds(5))
    Self.hear(&book, 1, on: Self.a, rssi: -40, at: .seconds(6))
    Self.hear(&book, 1, on: Self.b, rssi: -65, at: .seconds(6))
    #expect(Self.assign(&book, free: [Self.a, Self.b], at: .seconds(6)) == [], "the pause is not over")
    #expect(book.nextChange(after: .seconds(6)) == .seconds(7))
    var other = book
    #expect(Self.assign(&other, free: [Self.a, Self.b], at: .seconds(7)) == ["1B-65"])
    other = book
    #expect(Self.assign(&other, free: [Self.a], at: .seconds(7)) == ["1A-40"], "no other free adapter hears it")
  }

  @Test func boardsForAnotherAttemptGoFirst() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -60, at: .zero)
    _ = Self.assign(&book, free: [Self.a], at: .zero)
    book.giveBack(BluetoothAddress(bits: 1), pause: .zero, avoided: nil, now: .seconds(1))
    Self.hear(&book, 2, on: Self.a, rssi: -30, at: .seconds(1))
    Self.hear(&book, 1, on: Self.a, rssi: -60, at: .seconds(1))
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(1)) == ["1A-60"])
  }

  @Test func whatTheLedgerRefusesStaysAndLetsOthersPass() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -40, at: .zero)
    Self.hear(&book, 2, on: Self.a, rssi: -50, at: .zero)
    let given = book.assign(free: [Self.a], now: .zero) { $0.board.bits == 2 }
    #expect(given.map(\.board.bits) == [2])
    #expect(Self.assign(&book, free: [Self.a], at: .zero) == ["1A-40"])
  }

  @Test func adaptersThatGoAreForgotten() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -40, at: .zero)
    book.forget(adapter: Self.a)
    #expect(Self.assign(&book, free: [Self.a], at: .zero) == [])
  }

  @Test func boardsThatTurnOutToBeOthersAreForgotten() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -40, at: .zero)
    let heard = Advertisement(address: BluetoothAddress(bits: 1), addressType: .public, name: "Other", rssi: -40)
    #expect(book.heard(heard, on: Self.a, verdict: .neither, minRSSI: nil, at: .zero) == false)
    #expect(book.count == 0)
  }

  @Test func advertisementsWithoutStrengthOnlyKeepABoardAlive() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: nil, at: .zero, times: 9)
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(5)) == [])
    #expect(book.lastHeard(BluetoothAddress(bits: 1)) == .zero)
  }

  @Test func aStormOfAddressesStaysWithinTheLimit() {
    var limits = SightingBook.Limits()
    limits.boards = 8
    var book = SightingBook(limits: limits)
    Self.hear(&book, 1, on: Self.a, rssi: -40, at: .zero)
    #expect(Self.assign(&book, free: [Self.a], at: .zero) == ["1A-40"])
    for board in 100...1099 as ClosedRange<UInt64> { Self.hear(&book, board, on: Self.b, rssi: -60, at: .milliseconds(Int(board))) }
    #expect(book.count == 8)
    // The board in hand is still there, and the newest ones.
    #expect(book.lastHeard(BluetoothAddress(bits: 1)) != nil)
    #expect(book.lastHeard(BluetoothAddress(bits: 1099)) != nil)
    #expect(book.lastHeard(BluetoothAddress(bits: 100)) == nil)
  }

  @Test("On a full line a free adapter is kept for a board that is due again, and not for ever")
  func keepsAnAdapterForARetry() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -60, at: .zero)
    #expect(Self.assign(&book, free: [Self.a], at: .zero) == ["1A-60"])
    // It fails; the line is full of boards that the adapter hears better.
    book.giveBack(BluetoothAddress(bits: 1), pause: .seconds(1), avoided: nil, now: .seconds(5))
    Self.hear(&book, 2, on: Self.a, rssi: -40, at: .seconds(5))
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(6)) == [], "kept for board 1")
    Self.hear(&book, 1, on: Self.a, rssi: -60, at: .seconds(7))
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(7)) == ["1A-60"], "heard again, it goes first")
    book.giveBack(BluetoothAddress(bits: 1), pause: .seconds(1), avoided: nil, now: .seconds(8))
    Self.hear(&book, 2, on: Self.a, rssi: -40, at: .seconds(9))
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(9)) == [])
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(12)) == ["2A-40"], "a silent board does not stop the line")
  }

  @Test("What counts is how long an adapter has listened for a board that is due, not how long ago it began to")
  func keepsAnAdapterUntilItHasListened() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -60, at: .zero)
    Self.hear(&book, 3, on: Self.b, rssi: -60, at: .zero)
    #expect(Self.assign(&book, free: [Self.a, Self.b], at: .seconds(1)) == ["1A-60", "3B-60"])
    for board in [1, 3] as [UInt64] { book.giveBack(BluetoothAddress(bits: board), pause: .zero, avoided: nil, now: .seconds(5)) }
    Self.hear(&book, 2, on: Self.a, rssi: -40, at: .seconds(5))
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(6)) == [])
    // The adapter goes to the other board that is due; for a while none is free.
    Self.hear(&book, 3, on: Self.a, rssi: -60, at: .milliseconds(6200))
    #expect(Self.assign(&book, free: [Self.a], at: .milliseconds(6200)) == ["3A-60"])
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(10)) == [], "board 1 was listened for only 0.2 s")
    Self.hear(&book, 1, on: Self.a, rssi: -60, at: .seconds(11))
    #expect(Self.assign(&book, free: [Self.a], at: .seconds(11)) == ["1A-60"])
  }

  @Test("Only as many adapters are kept as boards are due")
  func keepsOneAdapterABoard() {
    var book = SightingBook()
    Self.hear(&book, 1, on: Self.a, rssi: -60, at: .zero)
    #expect(Self.assign(&book, free: [Self.a], at: .zero) == ["1A-60"])
    book.giveBack(BluetoothAddress(bits: 1), pause: .zero, avoided: nil, now: .seconds(5))
    for adapter in [Self.a, Self.b] {
      Self.hear(&book, 2, on: adapter, rssi: -40, at: .seconds(5))
      Self.hear(&book, 3, on: adapter, rssi: -50, at: .seconds(5))
    }
    #expect(Self.assign(&book, free: [Self.a, Self.b], at: .seconds(6)) == ["2A-40"])
  }
}
