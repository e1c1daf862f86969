import Bluetooth
import Flashing
import Testing

@testable import Station

/// That `--boards` files are read as spreadsheets write them, and refused with the line when they are wrong.
struct BoardListTests {
  func read(_ text: String) throws(ConfigurationError) -> BoardList {
    try BoardList(bytes: Array(text.utf8), file: "b.csv")
  }

  static let three = "unit_id,mac,serial_number\r\nU1,C0:DE:00:00:00:01,\r\nU2,,S2\r\n,c0:de:00:00:00:03,S3\r\n"

  @Test(arguments: [
    three, "\u{FEFF}" + three, three.replacing("\r\n", with: "\n"), three.replacing(",", with: ";"), String(three.dropLast()), three + "\r\n",
    three.replacing("U2", with: "\"U2\""), three.replacing("U2", with: "'U2"),
  ])
  func readsTheSameFromEveryWriting(text: String) throws {
    let list = try read(text)
    #expect(
      list.entries == [
        BoardList.Entry(unitID: "U1", mac: BluetoothAddress("C0:DE:00:00:00:01"), serialNumber: nil, line: 2),
        BoardList.Entry(unitID: "U2", mac: nil, serialNumber: "S2", line: 3),
        BoardList.Entry(unitID: nil, mac: BluetoothAddress("C0:DE:00:00:00:03"), serialNumber: "S3", line: 4),
      ])
    #expect(list.entries.map(\.title) == ["U1", "U2", "C0:DE:00:00:00:03"])
  }

  @Test func quotedCellsMayHoldAnything() throws {
    let list = try read("unit_id,mac,serial_number\n\"a,\"\"b\"\"\",,S1\n")
    #expect(list.entries.first?.unitID == "a,\"b\"")
  }

  @Test(arguments: [
    ("", "b.csv:1: the header is missing: begin the file with the line unit_id,mac,serial_number"),
    ("mac\nC0:DE:00:00:00:01", "b.csv:1: the header is missing: begin the file with the line unit_id,mac,serial_number"),
    ("unit_id,mac,serial_number\n", "b.csv: lists no board: write one line for each board"),
    ("unit_id,mac,serial_number\n1,2", "b.csv:2: this line has 2 cells: write the three of the header; those without a value stay empty"),
    ("unit_id,mac,serial_number\nU,C0:DE,", "b.csv:2: \"C0:DE\" is no address: write it like C0:DE:00:00:00:01, or leave it empty"),
    ("unit_id,mac,serial_number\nU,,", "b.csv:2: nothing here tells which board it is: write its mac or its serial_number"),
    ("unit_id,mac,serial_number\nU,,1\nU,,2", "b.csv:3: unit_id U stands here again (first in line 2): keep one of the two"),
    ("unit_id,mac,serial_number\n,,1\n,,1", "b.csv:3: serial_number 1 stands here again (first in line 2): keep one of the two"),
    (
      "unit_id,mac,serial_number\n,c0:de:00:00:00:01,\n,C0:DE:00:00:00:01,",
      "b.csv:3: mac C0:DE:00:00:00:01 stands here again (first in line 2): keep one of the two"
    ),
    ("unit_id,mac,serial_number\n\"U,,1", "b.csv:2: a cell in quotation marks has no end: close the quotation marks"),
    ("unit_id,mac,serial_number\n\"U\"x,,1", "b.csv:2: text follows a closing quotation mark: double the quotation marks inside a cell"),
    ("unit_id,mac,serial_number\nU\"x,,1", "b.csv:2: a quotation mark stands inside a cell: put the whole cell in quotation marks and double those inside"),
    ("unit_id,mac,serial_number\n\"U\n1\",,1", "b.csv:2: \"U\\u{a}1\" holds a control character or more than 64 characters: correct the cell"),
  ])
  func refuses(text: String, message: String) {
    #expect(complaint { () throws(ConfigurationError) in _ = try read(text) } == message)
  }

  @Test func refusesBytesThatAreNotText() {
    let message = complaint { () throws(ConfigurationError) in _ = try BoardList(bytes: [0xFF, 0xFE, 0x41], file: "b.csv") }
    #expect(message == "b.csv: is not valid UTF-8: save the file as UTF-8")
  }

  @Test func findsBoards() throws {
    let list = try read(Self.three)
    let (first, third, stranger) = (BluetoothAddress(bits: 0xC0DE_0000_0001), BluetoothAddress(bits: 0xC0DE_0000_0003), BluetoothAddress(bits: 9))
    #expect(list.standing(first) == .listed(list.entries[0]))
    #expect(list.standing(stranger) == .perhaps)
    #expect(list.verdict(first, serial: "whatever") == .listed(list.entries[0]))
    #expect(list.verdict(stranger, serial: "S2") == .listed(list.entries[1]))
    #expect(list.verdict(stranger, serial: "S9") == .notListed)
    #expect(list.verdict(stranger, serial: nil) == .notListed)
    #expect(list.verdict(third, serial: "S3") == .listed(list.entries[2]))
    #expect(list.verdict(third, serial: "S4") == .otherSerial(list.entries[2]))
    // A serial number that is listed with an address belongs to that address only.
    #expect(list.verdict(stranger, serial: "S3") == .notListed)
    let addressesOnly = try read("unit_id,mac,serial_number\n,C0:DE:00:00:00:01,\n")
    #expect(addressesOnly.standing(stranger) == .notListed)
  }

  @Test("In a rescue a listed board is met under its bootloader's address, too; another listed board's own address goes first")
  func inBootloaders() throws {
    let list = try read("unit_id,mac,serial_number\nU1,C0:DE:00:00:00:01,\nU2,C0:DE:00:00:00:02,\nU3,C0:DE:00:00:00:FF,\nU4,,S4\n").inBootloaders
    func entry(_ bits: UInt64) -> String? { if case .listed(let entry) = list.standing(BluetoothAddress(bits: bits)) { entry.unitID } else { nil } }
    #expect(entry(0xC0DE_0000_0001) == "U1")
    #expect(entry(0xC0DE_0000_0002) == "U2")
    #expect(entry(0xC0DE_0000_0003) == "U2")
    #expect(entry(0xC0DE_0000_0004) == nil)
    // The last octet only, without a carry (facts/nordic-dfu.md §5.4).
    #expect(entry(0xC0DE_0000_0000) == "U3")
    #expect(entry(0xC0DE_0000_0100) == nil)
    #expect(list.addresses(of: list.entries[0]) == [BluetoothAddress(bits: 0xC0DE_0000_0001)])
    #expect(list.addresses(of: list.entries[3]) == [])
    #expect(list.verdict(BluetoothAddress(bits: 0xC0DE_0000_0003), serial: "x") == .listed(list.entries[1]))
    let plain = try read("unit_id,mac,serial_number\nU1,C0:DE:00:00:00:01,\n")
    #expect(plain.standing(BluetoothAddress(bits: 0xC0DE_0000_0002)) == .notListed)
    #expect(plain.addresses(of: plain.entries[0]) == [BluetoothAddress(bits: 0xC0DE_0000_0001)])
  }

  @Test("In a rescue a board is also met at the next address, unless that is another listed board's own")
  func findsBootloaders() {
    let (first, second) = (BluetoothAddress(bits: 0xC0DE_0000_0001), BluetoothAddress(bits: 0xC0DE_0000_0002))
    let entries = [BoardList.Entry(unitID: "U1", mac: first), BoardList.Entry(unitID: "U2", mac: second)]
    let list = BoardList(entries: entries).inBootloaders
    #expect(list.addresses(of: entries[0]) == [first])
    #expect(list.addresses(of: entries[1]) == [second, second.bootloaderNeighbour])
    #expect(list.standing(second) == .listed(entries[1]))
    #expect(list.standing(second.bootloaderNeighbour) == .listed(entries[1]))
  }
}
