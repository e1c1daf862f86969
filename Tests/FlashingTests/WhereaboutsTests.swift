import Bluetooth
import Testing

@testable import Flashing

/// Which advertisement is taken for the board that restarted: boards of one lot stand beside each other on the bench and have neighbouring addresses
/// (facts/nordic-dfu.md §2.8 and §3.2; seen on the rig, where a board's neighbour in MetaBoot was connected first).
@Suite struct WhereaboutsTests {
  static let board = BluetoothAddress(bits: 0xC0DE_0000_0003)
  static let (below, above) = (BluetoothAddress(bits: 0xC0DE_0000_0002), BluetoothAddress(bits: 0xC0DE_0000_0004))

  struct Row: Sendable {
    var family: RescueOrder.Family
    var isInBootloader: Bool
    var heard: BluetoothAddress
    var name: String?
    var agreedName: String?
    var canTell = true
    var mayReturnBelow = true
    /// Seconds of silence after which it is taken; nil never.
    var after: Int?
  }

  @Test(
    "A neighbouring address only after a silence, and never where nothing could tell the boards apart",
    arguments: [
      Row(family: .metaWear, isInBootloader: true, heard: board, after: 0),
      Row(family: .metaWear, isInBootloader: true, heard: above, after: 10),
      Row(family: .metaWear, isInBootloader: true, heard: above, canTell: false, after: nil),
      Row(family: .metaWear, isInBootloader: true, heard: below, after: 10),
      Row(family: .metaWear, isInBootloader: true, heard: below, canTell: false, after: nil),
      Row(family: .metaWear, isInBootloader: false, heard: above, after: 10),
      Row(family: .metaWear, isInBootloader: false, heard: above, canTell: false, after: nil),
      Row(family: .nordic, isInBootloader: true, heard: below, canTell: false, after: 3),
      Row(family: .nordic, isInBootloader: true, heard: below, canTell: false, mayReturnBelow: false, after: nil),
      Row(family: .nordic, isInBootloader: false, heard: below, mayReturnBelow: false, after: nil),
      Row(family: .nordic, isInBootloader: false, heard: above, canTell: false, mayReturnBelow: false, after: 3),
      Row(family: .nordic, isInBootloader: true, heard: above, canTell: false, after: nil),
      Row(family: .nordic, isInBootloader: true, heard: above, after: 3),
      Row(family: .nordic, isInBootloader: false, heard: above, canTell: false, after: 3),
      Row(family: .nordic, isInBootloader: false, heard: above, name: "FL1", agreedName: "FL1", canTell: false, after: 0),
      Row(family: .nordic, isInBootloader: false, heard: above, name: "FL2", agreedName: "FL1", after: nil),
      Row(family: .nordic, isInBootloader: false, heard: above, name: nil, agreedName: "FL1", after: 3),
      // An application that takes no other name says so; its own address stays its own.
      Row(family: .nordic, isInBootloader: false, heard: board, name: "DfuTarg", agreedName: "FL1", after: 0),
    ])
  func takes(_ row: Row) {
    let whereabouts = Whereabouts(Self.board, family: row.family, isInBootloader: row.isInBootloader, mayReturnBelow: row.mayReturnBelow)
    let heard = Advertisement(address: row.heard, addressType: .random, name: row.name)
    let first = (0...20).first { whereabouts.takes(heard, after: .seconds($0), agreedName: row.agreedName, canTell: row.canTell) }
    #expect(first == row.after)
  }

  @Test("Where the board itself was met is its own; where somebody else was met is asked no more")
  func learns() {
    var whereabouts = Whereabouts(Self.board, family: .nordic, isInBootloader: false, mayReturnBelow: true)
    whereabouts.met(at: Self.above)
    whereabouts.remove(Self.below)
    let takes = { (address: BluetoothAddress, seconds: Int) in
      whereabouts.takes(Advertisement(address: address, addressType: .random), after: .seconds(seconds), agreedName: nil, canTell: true)
    }
    #expect(takes(Self.above, 0) && takes(Self.board, 0) && !takes(Self.below, 60))
    #expect(whereabouts.all == [Self.board, Self.above])
  }

  @Test("An application is the board's under the board's address, or under the one before where the board was met in its bootloader; never under the next")
  func applications() {
    for mayReturnBelow in [false, true] {
      var whereabouts = Whereabouts(Self.board, family: .nordic, isInBootloader: false, mayReturnBelow: mayReturnBelow)
      // Its bootloader was met there, which makes the address no application's.
      whereabouts.met(at: Self.above)
      #expect([Self.below, Self.board, Self.above].map { whereabouts.mayBeApplication(at: $0) } == [mayReturnBelow, true, false])
    }
  }
}
