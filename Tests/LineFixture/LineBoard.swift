public import Bluetooth
import Locks
import Synchronization
public import VirtualLine

/// One virtual board of a fixture: the board's value, how it is built around it, and what was asked of it.
///
/// All state lies behind one lock; what the board wants done is done by its central.
public final class LineBoard: Sendable {
  /// What is special about it, beyond the settings and faults of the virtual board.
  public struct Quirks: Sendable {
    /// Strength on adapters that are not named in `strengths`.
    public var rssi = -50
    /// By USB path of the adapter; nil is not heard there.
    public var strengths: [String: Int?] = [:]
    /// No SMP service at all.
    public var lacksSMP = false
    /// The stack shows the services of an earlier firmware until the board is forgotten.
    public var hasStaleServices = false
    /// Notifications may only be switched on over an encrypted link.
    public var demandsEncryption = false
    /// What the board accepts when it is paired; nil: no pairing.
    public var acceptsPairing: PairingMethod?
    /// What the bootloader says of its mode, whatever it is.
    public var reportedMode: UInt8?
    /// Another board answers at this address after the first reset.
    public var serialAfterReset: String?
    /// Random addresses are advertised as such.
    public var addressType = AddressType.random
    public var advertisedName: String?
    /// It stops advertising for good after so many links.
    public var vanishesAfterLinks: Int?

    public init() {}
  }

  struct State {
    var board: VirtualBoard
    var quirks: Quirks
    var requests: [Request] = []
    var partial = 0
    var link: LineLink?
    var links = 0
  }

  /// The head of a request that was written to the board.
  public struct Request: Hashable, Sendable, CustomStringConvertible {
    public var isWrite: Bool
    public var group: UInt16
    public var command: UInt8
    public var bytes: [UInt8]
    public var description: String { "\(isWrite ? "write" : "read") \(group)/\(command)" }
  }

  /// The application's address.
  public let address: BluetoothAddress
  /// All addresses that it can have: a firmware loader has its own.
  public let addresses: [BluetoothAddress]
  let state: Locked<State>

  /// - Parameters:
  ///   - settings: how it is built; `SMPKind.xip.settings` and so on are boards that have a word of their own.
  ///   - running: the application at first; nil for what the settings say. Other images are always as the settings say.
  public init(
    _ address: BluetoothAddress, settings: BoardSettings = BoardSettings(), faults: [BoardFault] = [], running: [UInt8]? = nil, quirks: Quirks = Quirks()
  ) {
    self.address = address
    let identity = BoardIdentity(
      address: address, name: settings.name ?? "Line board", serial: settings.serial ?? "SN-\(address.bits & 0xFFFF)", model: settings.model ?? "VB-1",
      hardware: settings.hardware ?? "rev B", manufacturer: settings.manufacturer ?? "Virtual Line")
    var board =
      running.map { VirtualBoard(identity: identity, settings: settings, image: StoredImage($0), faults: faults) }
      ?? VirtualBoard(identity: identity, settings: settings, faults: faults)
    board.start()
    addresses = board.addresses
    state = Locked(State(board: board, quirks: quirks))
  }

  /// Everything that was asked of the board.
  public var requests: [Request] { state.withLock { $0.requests } }
  /// Requests that change something: image and settings writes, erases, resets.
  public var writes: [Request] { requests.filter { $0.isWrite && !($0.group == 0 && $0.command == 0) } }
  public var uploads: Int { requests.count { $0.isWrite && $0.group == 1 && $0.command == 1 } }
  public var resets: [Request] { requests.filter { $0.isWrite && $0.group == 0 && $0.command == 5 } }
  public var links: Int { state.withLock { $0.links } }
  public var isConnected: Bool { state.withLock { $0.link != nil } }
  /// The version that runs.
  public var version: String {
    state.withLock { String(decoding: $0.board.read(.firmwareRevision) ?? [], as: UTF8.self) }
  }
  public var boots: [BootStep] { state.withLock { $0.board.boots } }
  /// What really is in the board, of every image.
  public var truth: LineTruth.Board { state.withLock { $0.board.truth(number: 0) } }
  /// The images as letters, each slot with its version and then p(ending) c(onfirmed) a(ctive) P(ermanent).
  public var slots: [[String]] {
    (truth.images ?? []).map { image in
      image.slots.map { slot in
        guard let version = slot.version else { return "-" }
        let letters = [("p", slot.pending), ("c", slot.confirmed), ("a", slot.active), ("P", slot.permanent)]
        return "\(version) " + letters.filter(\.1).map(\.0).joined()
      }
    }
  }
  /// Where it is heard now.
  public var addressNow: BluetoothAddress { state.withLock { $0.board.addressNow } }

  func advertisement(for adapter: String) -> Advertisement? {
    state.withLock { state in
      let quirks = state.quirks
      if let most = quirks.vanishesAfterLinks, state.links >= most { return nil }
      guard state.board.advertises, let rssi = quirks.strengths[adapter] ?? quirks.rssi else { return nil }
      return Advertisement(
        address: state.board.addressNow, addressType: quirks.addressType, name: quirks.advertisedName ?? state.board.nameNow, rssi: rssi,
        services: [.simpleManagement])
    }
  }

  /// Notes the head of each request that a packet begins.
  func note(_ packet: [UInt8]) {
    state.withLock { state in
      if state.partial > 0 {
        state.partial = max(0, state.partial - packet.count)
        return
      }
      guard packet.count >= 8 else { return }
      let length = 8 + (Int(packet[2]) << 8 | Int(packet[3]))
      state.partial = max(0, length - packet.count)
      state.requests.append(
        Request(isWrite: packet[0] & 7 == 2, group: UInt16(packet[4]) << 8 | UInt16(packet[5]), command: packet[7], bytes: packet))
    }
  }
}
