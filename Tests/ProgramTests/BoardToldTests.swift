import Bluetooth
import Cloud
import Flashing
import Testing

@testable import flashline

/// What is asked of a board that has no group 128: MDS and the Device Information Service (facts/device-manager.md §§7.1, 7.3).
struct BoardToldTests {
  /// A board without SMP whose characteristics are a table.
  struct Link: GATTLink {
    var values: [String: Result<String, CentralError>]
    let board = BluetoothAddress(bits: 0xC0DE_0000_0001)

    func pair(_ method: PairingMethod, limit: Duration) async throws(CentralError) {}

    func characteristics() async -> [GATTCharacteristic] {
      values.keys.compactMap { BluetoothUUID($0) }.map { GATTCharacteristic(service: .deviceInformation, uuid: $0, flags: ["read"]) }
    }

    func read(_ characteristic: BluetoothUUID, of service: BluetoothUUID, limit: Duration) async throws(CentralError) -> [UInt8] {
      for (uuid, value) in values where BluetoothUUID(uuid) == characteristic { return Array(try value.get().utf8) }
      throw .attributeMissing(characteristic)
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, limit: Duration) async throws(CentralError) {}

    func openChannel(
      notifying: BluetoothUUID, writing: BluetoothUUID?, of service: BluetoothUUID, limit: Duration
    ) async throws(CentralError) -> any PacketChannel {
      throw .attributeMissing(service)
    }

    func ended() async {}
    func disconnect() async {}
  }

  static let features = "54220001-f6a5-4007-a371-722f4ebd8436"
  static let deviceID = "54220002-f6a5-4007-a371-722f4ebd8436"
  static let authorization = "54220004-f6a5-4007-a371-722f4ebd8436"
  static let information: [String: Result<String, CentralError>] = [
    "2a25": .success("S-DIS"), "2a26": .success("1.2.3+4"), "2a27": .success("DVT\0\0"), "2a28": .success(" main "),
  ]

  private func read(_ values: [String: Result<String, CentralError>], wantsKey: Bool = false) async throws -> BoardTold {
    try await BoardTold.read(over: Link(values: values), wantsKey: wantsKey, time: Timekeeper(ContinuousClock(), wall: { 0 }))
  }

  @Test func deviceInformationAlone() async throws {
    let values = try await read(Self.information).values
    #expect(values[.hardwareVersion]?.text == "DVT" && values[.softwareType]?.text == "main" && values[.currentVersion]?.text == "1.2.3+4")
    #expect(values[.serial]?.text == "S-DIS" && values[.serial]?.origin == .dis)
  }

  @Test func theDiagnosticServiceKnowsTheSerialBetter() async throws {
    var table = Self.information
    table[Self.features] = .success("\0")
    table[Self.deviceID] = .success("S-MDS")
    table[Self.authorization] = .success("Memfault-Project-Key:k3y")
    var told = try await read(table)
    #expect(told.values[.serial]?.text == "S-MDS" && told.values[.serial]?.origin == .mds && told.values[.hardwareVersion]?.origin == .dis)
    #expect(told.key == nil, "a key that nobody needs is not read")
    told = try await read(table, wantsKey: true)
    #expect(told.key == ProjectKey("k3y"))
    for other in ["\u{1}", "\0\u{1}", ""] {
      table[Self.features] = .success(other)
      told = try await read(table, wantsKey: true)
      #expect(told.key == nil && told.values[.serial]?.origin == .dis, "a later version of the service")
    }
  }

  @Test(
    "Only a project key is taken as one",
    arguments: [
      ("memfault-project-key: k3y", "k3y"), ("Memfault-Project-Key:a:b", "a:b"), ("Authorization:Bearer x", nil), ("k3y", nil), ("Memfault-Project-Key:", nil),
      ("Memfault-Project-Key:k\r\nX: y", nil), ("", nil),
    ])
  func keys(text: String, key: String?) async throws {
    var table = Self.information
    table[Self.features] = .success("\0")
    table[Self.authorization] = .success(text)
    #expect(try await read(table, wantsKey: true).key == key.flatMap { ProjectKey($0) })
  }

  @Test func whatIsKeptForPairedStationsIsSaid() async throws {
    var table = Self.information
    table[Self.features] = .success("\0")
    table[Self.deviceID] = .failure(.notPermitted("encryption"))
    #expect(try await read(table).values[.serial]?.text == "S-DIS", "another value serves as well")
    table["2a27"] = .failure(.notPermitted("encryption"))
    await #expect(throws: SMPClientError.self) { try await read(table) }
    await #expect(throws: SMPClientError.link(.linkLost)) { try await read(["2a25": .failure(.linkLost)]) }
    #expect(try await read(["2a25": .failure(.noAnswer("x"))]).values.missing.count == 4)
  }
}
