import Bluetooth
import Cloud
import Flashing
import SMP

/// What one board tells of itself for the cloud: by SMP's group 128, and what that does not give by MDS and the Device Information Service
/// (facts/device-manager.md §§7.1, 7.3).
struct BoardTold: Sendable {
  /// For one value to be read.
  static let readLimit = Duration.seconds(5)

  var values = ReleaseValues()
  var key: ProjectKey?
  /// The board kept something to itself that a paired station might read.
  private var isReserved = false

  private let wantsKey: Bool
  private let link: any GATTLink
  private let time: Timekeeper

  /// Asks a board for everything it tells, and for its key where that is wanted: a secret that nobody needs is not fetched.
  static func read(over link: any GATTLink, wantsKey: Bool, time: Timekeeper) async throws -> BoardTold {
    var told = BoardTold(wantsKey: wantsKey, link: link, time: time)
    try await told.askSMP()
    if told.isComplete { return told }
    let offered = Set(await link.characteristics().map(\.uuid))
    try await told.readDiagnosticService(offered)
    try await told.readDeviceInformation(offered)
    if told.isReserved, !told.isComplete { throw SMPClientError.link(.notPermitted("it tells some of its values to paired stations only")) }
    return told
  }

  private init(wantsKey: Bool, link: any GATTLink, time: Timekeeper) {
    self.wantsKey = wantsKey
    self.link = link
    self.time = time
  }

  private var isComplete: Bool { values.missing.isEmpty && (key != nil || !wantsKey) }

  // MARK: SMP

  private mutating func askSMP() async throws {
    let wantsKey = wantsKey
    let answer: (DiagnosticIdentity?, BoardProjectKey?)
    do {
      answer = try await SMPClient.connected(over: link, time: time) { client in try await Self.ask(client, wantsKey: wantsKey) }
    } catch SMPClientError.link(.attributeMissing) {
      // No SMP: its bootloader may be another one.
      return
    } catch SMPClientError.link(.notPermitted) {
      isReserved = true
      return
    }
    if let identity = answer.0 {
      values.offer(identity.hardwareVersion, as: .hardwareVersion, from: .smp)
      values.offer(identity.softwareType, as: .softwareType, from: .smp)
      values.offer(identity.currentVersion, as: .currentVersion, from: .smp)
      values.offer(identity.serial, as: .serial, from: .smp)
    }
    key = answer.1.flatMap { ProjectKey($0.secret) }
  }

  /// Only a board that answers a question for its groups is asked anything of group 128: some firmware hangs at a group that it does not know
  /// (facts/device-manager.md §6). One that *refuses* to list its groups has just shown that it does not.
  private static func ask(_ client: SMPClient, wantsKey: Bool) async throws -> (DiagnosticIdentity?, BoardProjectKey?) {
    let groups: [SMPGroup]?
    do {
      groups = try await client.groups()
    } catch SMPClientError.silent {
      return (nil, nil)
    } catch SMPClientError.malformed {
      return (nil, nil)
    } catch SMPClientError.refused {
      return (nil, nil)
    }
    guard groups?.contains(.memfault) ?? true else { return (nil, nil) }
    let identity = try await answer(client, DiagnosticIdentityRequest())
    return (identity, wantsKey ? try await answer(client, ProjectKeyRequest()) : nil)
  }

  /// Nil for every answer that is none: another service may know.
  private static func answer<Request: SMPRequest>(_ client: SMPClient, _ request: Request) async throws -> Request.Response? {
    do {
      return try await client.send(request)
    } catch SMPClientError.silent {
      return nil
    } catch SMPClientError.malformed {
      return nil
    } catch SMPClientError.refused {
      return nil
    }
  }

  // MARK: GATT

  /// The device id is what the cloud knows the board by: it goes before 2A25.
  private mutating func readDiagnosticService(_ offered: Set<BluetoothUUID>) async throws {
    // What is not 0 belongs to a later version of the service (facts/device-manager.md §7.3).
    guard offered.contains(.diagnosticFeatures), try await hasKnownFeatures() else { return }
    if values[.serial] == nil, offered.contains(.diagnosticDeviceID) {
      values.offer(try await text(.diagnosticDeviceID, of: .diagnostics), as: .serial, from: .mds)
    }
    guard wantsKey, key == nil, offered.contains(.diagnosticAuthorization), let line = try await text(.diagnosticAuthorization, of: .diagnostics) else {
      return
    }
    // `Memfault-Project-Key:KEY`; another header is not for a server of releases.
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "memfault-project-key" else { return }
    key = ProjectKey(parts[1].drop { $0 == " " })
  }

  private mutating func readDeviceInformation(_ offered: Set<BluetoothUUID>) async throws {
    let places: [(ReleaseValues.Field, BluetoothUUID)] = [
      (.serial, .serialNumber), (.currentVersion, .firmwareRevision), (.hardwareVersion, .hardwareRevision), (.softwareType, .softwareRevision),
    ]
    for (field, characteristic) in places where values[field] == nil && offered.contains(characteristic) {
      values.offer(try await text(characteristic, of: .deviceInformation), as: field, from: .dis)
    }
  }

  private mutating func hasKnownFeatures() async throws -> Bool {
    guard let features = try await bytes(.diagnosticFeatures, of: .diagnostics) else { return false }
    return !features.isEmpty && features.allSatisfy { $0 == 0 }
  }

  private mutating func text(_ characteristic: BluetoothUUID, of service: BluetoothUUID) async throws -> String? {
    try await bytes(characteristic, of: service).flatMap { BoardIdentity.text($0) }
  }

  /// Nil for what the board does not tell.
  private mutating func bytes(_ characteristic: BluetoothUUID, of service: BluetoothUUID) async throws -> [UInt8]? {
    do throws(CentralError) {
      return try await link.read(characteristic, of: service, limit: Self.readLimit)
    } catch {
      switch error {
      case .notPermitted: isReserved = true
      case .attributeMissing, .noAnswer, .refused: break
      default: throw SMPClientError.link(error)
      }
      return nil
    }
  }
}
