import Bluetooth

/// One adapter as the virtual bluetoothd has it: who discovers on it, which boards it knows, which one it connects to.
///
/// A value; the host asks it and tells it, and does the waiting.
struct StackAdapter: Sendable {
  /// A board that has an object below this adapter.
  struct KnownBoard: Hashable, Sendable {
    /// What has been heard of it: bluetoothd replaces a name, but only adds services, until the object is removed (metaboot.md §10, 1).
    var face: BoardFace
    enum Link: Hashable, Sendable {
      case none
      case connected
      case resolved
    }

    /// Nil when no discovery runs.
    var rssi: Int?
    var link = Link.none
    /// Paired; the object then stays until it is removed, and links are encrypted.
    var isBonded = false
    /// The object goes when this passes without the board being heard; ignored while connected.
    var expires: Duration
  }

  /// Whether discovery can start on the adapter.
  enum Illness: Hashable, Sendable {
    case none
    /// Nothing helps but this; nil: nothing at all.
    case lasting(until: LineFault.Remedy?)
  }

  /// The one connection attempt that an adapter can have (bluez.md §1, "Connect").
  struct Attempt: Hashable, Sendable {
    var board: Int
    var ticket: Int
  }

  let number: Int
  let address: BluetoothAddress
  /// The kernel's name of the USB device.
  let usbPath: String
  /// The number in hciN; nil while unplugged.
  var hci: Int?
  var powered = true
  var illness = Illness.none
  /// Discovering clients by unique name; the value tells whether the client set a filter.
  var discoverers: Set<String> = []
  var filtering: Set<String> = []
  var boards: [Int: KnownBoard] = [:]
  var attempt: Attempt?
  /// Where the next round of advertisements begins.
  var nextHeard = 0

  init(number: Int) {
    self.number = number
    address = BluetoothAddress(bits: 0x02_F1_00_00_00_00 | UInt64(number + 1))
    usbPath = "1-\(1 + number / 4).\(1 + number % 4)"
    hci = number
  }

  var isDiscovering: Bool { powered && !discoverers.isEmpty }

  var isIll: Bool { illness != .none }

  /// A station tries this on the adapter.
  mutating func tried(_ remedy: LineFault.Remedy) {
    if illness == .lasting(until: remedy) { illness = .none }
  }

  /// Strength changes below this are not told: 8 without a filter, every change with one (bluez src/device.c).
  var threshold: Int { filtering.isDisjoint(with: discoverers) ? 8 : 1 }

  /// A board was heard. Nil when nothing is to be told.
  mutating func heard(_ board: Int, _ face: BoardFace, rssi: Int, until expires: Duration) -> Heard? {
    guard var known = boards[board] else {
      boards[board] = KnownBoard(face: face, rssi: rssi, expires: expires)
      return .appeared
    }
    known.expires = expires
    defer { boards[board] = known }
    let before = known.face
    known.face.name = face.name
    known.face.services += face.services.filter { !before.services.contains($0) }
    if known.face == before, let old = known.rssi, abs(old - rssi) < threshold { return nil }
    known.rssi = rssi
    return known.face == before ? .changed : .turned
  }

  enum Heard: Hashable, Sendable {
    case appeared
    /// Its strength.
    case changed
    /// Its name or its services too.
    case turned
  }

  /// Boards whose objects have outlived their time.
  func expired(at now: Duration) -> [Int] {
    boards.filter { $0.value.link == .none && !$0.value.isBonded && attempt?.board != $0.key && $0.value.expires <= now }.map(\.key).sorted()
  }

  /// The adapter has gone or bluetoothd has: nothing is remembered.
  mutating func forgetAll() {
    discoverers = []
    filtering = []
    boards = [:]
    attempt = nil
  }
}
