import Bluetooth
import Testing

@testable import Station

/// That only a board which waited long enough without a break counts as stranded (contract §2).
struct StrandedWatchTests {
  static let board = BluetoothAddress(bits: 0xC0DE_0000_0001)
  static let limit = Duration.seconds(30)

  struct Row: Sendable {
    var what: String
    /// Seconds of listening at which the board was heard; negative is seen in its application then.
    var heard: [Int]
    var asked: Int
    var isStranded: Bool
    var waiting: Int
  }

  @Test(arguments: [
    Row(what: "never heard", heard: [], asked: 100, isStranded: false, waiting: 0),
    Row(what: "heard once", heard: [0], asked: 5, isStranded: false, waiting: 1),
    Row(what: "a second too short", heard: [0, 10, 20, 29], asked: 29, isStranded: false, waiting: 1),
    Row(what: "just long enough", heard: [0, 10, 20, 30], asked: 30, isStranded: true, waiting: 0),
    Row(what: "time passes only for what is heard", heard: [0, 10, 20, 29], asked: 35, isStranded: false, waiting: 1),
    Row(what: "silent for the limit of a break", heard: [0, 10, 20, 30], asked: 40, isStranded: true, waiting: 0),
    Row(what: "silent for longer", heard: [0, 10, 20, 30], asked: 41, isStranded: false, waiting: 0),
    Row(what: "a break begins anew", heard: [0, 10, 20, 31, 41, 51], asked: 51, isStranded: false, waiting: 1),
    Row(what: "and is waited out", heard: [0, 10, 20, 31, 41, 51, 61], asked: 61, isStranded: true, waiting: 0),
    Row(what: "its application was seen", heard: [0, 10, 20, -25, 28, 38], asked: 38, isStranded: false, waiting: 1),
    Row(what: "its application was seen at last", heard: [0, 10, 20, 30, -31], asked: 31, isStranded: false, waiting: 0),
  ])
  func waits(_ row: Row) {
    var watch = StrandedWatch()
    for second in row.heard {
      if second < 0 { watch.forget(Self.board) } else { watch.heard(Self.board, at: .seconds(second)) }
    }
    #expect(watch.isStranded(Self.board, after: Self.limit, at: .seconds(row.asked)) == row.isStranded, "\(row.what)")
    #expect(watch.waiting(after: Self.limit, at: .seconds(row.asked)) == row.waiting, "\(row.what)")
  }

  @Test("Who was heard under the address before a bootloader's, while that waited, is not its application; who was heard before or after a break may be")
  func neighbours() {
    let second = { Duration.seconds($0) }
    var watch = StrandedWatch()
    watch.heardNeighbour(of: Self.board, at: second(0))
    #expect(!watch.hasNeighbour(Self.board))
    watch.heard(Self.board, at: second(1))
    watch.heardNeighbour(of: Self.board, at: second(12))
    #expect(!watch.hasNeighbour(Self.board))
    watch.heard(Self.board, at: second(13))
    watch.heardNeighbour(of: Self.board, at: second(14))
    #expect(watch.hasNeighbour(Self.board))
    watch.heard(Self.board, at: second(20))
    #expect(watch.hasNeighbour(Self.board))
    watch.heard(Self.board, at: second(31))
    #expect(!watch.hasNeighbour(Self.board))
  }

  @Test("Boards do not share their times")
  func apart() {
    var watch = StrandedWatch()
    let other = BluetoothAddress(bits: 0xC0DE_0000_0002)
    for second in stride(from: 0, through: 30, by: 10) { watch.heard(Self.board, at: .seconds(second)) }
    watch.heard(other, at: .seconds(30))
    #expect(watch.isStranded(Self.board, after: Self.limit, at: .seconds(30)))
    #expect(!watch.isStranded(other, after: Self.limit, at: .seconds(30)))
  }

  @Test("Beyond the limit the boards heard longest ago make room, and nothing else does")
  func boardLimit() {
    var watch = StrandedWatch()
    for number in 0...StrandedWatch.boardLimit { watch.heard(BluetoothAddress(bits: UInt64(number)), at: .milliseconds(number)) }
    let now = Duration.milliseconds(StrandedWatch.boardLimit)
    #expect(watch.waiting(after: Self.limit, at: now) == StrandedWatch.boardLimit)
    #expect(!watch.isStranded(BluetoothAddress(bits: 0), after: .zero, at: now))
    #expect(watch.isStranded(BluetoothAddress(bits: 1), after: .zero, at: now))
  }
}
