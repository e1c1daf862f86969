import Bluetooth
import Firmware

@testable import VirtualLine

/// A board on a bench: its alarms ring in the order of a turned clock, its notifications are caught.
struct BoardBench {
  var board: VirtualBoard
  private(set) var now: Duration = .zero
  private(set) var notified: [[UInt8]] = []
  private(set) var ended: [LinkEnd] = []
  private var alarms: [(at: Duration, alarm: BoardAlarm)] = []

  init(_ settings: BoardSettings = BoardSettings(), image: [UInt8]? = nil, faults: [BoardFault] = []) {
    let identity = BoardIdentity(
      address: BluetoothAddress(bits: 0xC0DE_0000_0001), name: "VLINE-0001", serial: "S1", model: "VL-1", hardware: "1.0", manufacturer: "Flashline")
    let first = image.flatMap { StoredImage($0) } ?? FirstImages.image(0, settings, size: 256)
    board = VirtualBoard(identity: identity, settings: settings, image: first, faults: faults)
    board.start()
  }

  /// Connects and subscribes.
  mutating func connect() -> Int? {
    let mtu = board.connect()
    board.subscribe(true)
    return mtu
  }

  mutating func write(_ packet: [UInt8]) { take(board.write(packet)) }

  /// Turns the clock until nothing rings any more, at most `limit` further.
  mutating func run(for limit: Duration = .seconds(120)) {
    let end = now + limit
    while let next = alarms.indices.min(by: { alarms[$0].at < alarms[$1].at }), alarms[next].at <= end {
      let (at, alarm) = alarms.remove(at: next)
      now = max(now, at)
      take(board.alarm(alarm))
    }
    now = end
  }

  /// Sends one request and returns what was notified until the bench is quiet for 200 ms.
  mutating func ask(_ packet: [UInt8], within limit: Duration = .milliseconds(200)) -> [[UInt8]] {
    notified = []
    write(packet)
    run(for: limit)
    return notified
  }

  /// The same in hexadecimal, the notifications joined.
  mutating func ask(_ packet: String, within limit: Duration = .milliseconds(200)) -> String {
    hex(ask(bytes(packet), within: limit).flatMap { $0 })
  }

  private mutating func take(_ actions: [BoardAction]) {
    for action in actions {
      switch action {
      case .notify(let value, _):
        notified.append(value)
        board.sent()
      case .wake(let delay, let alarm): alarms.append((now + delay, alarm))
      case .endLink(let end): ended.append(end)
      case .imageStored, .respond, .servicesChanged: break
      }
    }
  }
}

func bytes(_ text: String) -> [UInt8] {
  let digits = Array(text.filter { $0.isHexDigit })
  return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
}

func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

/// A request in SMP version 2 with a hand-made CBOR map.
func request(_ operation: UInt8, group: UInt8, command: UInt8, sequence: UInt8 = 0, version: UInt8 = 1, _ map: [UInt8]) -> [UInt8] {
  [version << 3 | operation, 0, UInt8(map.count >> 8), UInt8(map.count & 0xFF), 0, group, sequence, command] + map
}

/// CBOR by hand (RFC 8949), independent of the room's own writer.
enum Hand {
  static func head(_ major: UInt8, _ value: Int) -> [UInt8] {
    switch value {
    case ..<24: [major << 5 | UInt8(value)]
    case ..<256: [major << 5 | 24, UInt8(value)]
    case ..<65536: [major << 5 | 25, UInt8(value >> 8), UInt8(value & 0xFF)]
    default: [major << 5 | 26] + [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
    }
  }

  static func text(_ value: String) -> [UInt8] { head(3, value.utf8.count) + Array(value.utf8) }
  static func data(_ value: [UInt8]) -> [UInt8] { head(2, value.count) + value }
  static func number(_ value: Int) -> [UInt8] { head(0, value) }

  static func map(_ pairs: [(String, [UInt8])]) -> [UInt8] { head(5, pairs.count) + pairs.flatMap { text($0.0) + $0.1 } }

  /// An upload request (smp.md §3.2).
  static func upload(_ offset: Int, _ data: [UInt8], length: Int? = nil, sha: [UInt8]? = nil, sequence: UInt8 = 0) -> [UInt8] {
    var pairs = [("off", number(offset)), ("data", Hand.data(data))]
    if let length { pairs.append(("len", number(length))) }
    if let sha { pairs.append(("sha", Hand.data(sha))) }
    return request(2, group: 1, command: 1, sequence: sequence, map(pairs))
  }
}

extension BoardBench {
  /// Uploads a file in chunks, each after the answer to the one before; the answers in hexadecimal.
  @discardableResult
  mutating func upload(_ file: [UInt8], chunk: Int = 200, sha: [UInt8]? = nil) -> [String] {
    stride(from: 0, to: file.count, by: chunk).map { offset in
      let data = Array(file[offset..<min(offset + chunk, file.count)])
      return hex(ask(Hand.upload(offset, data, length: offset == 0 ? file.count : nil, sha: offset == 0 ? sha : nil)).flatMap { $0 })
    }
  }

  /// Slots as letters: version, then b(ootable) p(ending) c(onfirmed) a(ctive) P(ermanent).
  var slots: [String] {
    board.flash.slots.indices.map { number in
      guard let image = board.flash.slots[number].image else { return "-" }
      let flags = board.flash.flags(of: number)
      let letters = [("b", image.bootable), ("p", flags.pending), ("c", flags.confirmed), ("a", flags.active), ("P", flags.permanent)]
      return "\(image.version.smpText) " + letters.filter(\.1).map(\.0).joined()
    }
  }

  /// `{hash, confirm}`, or `{confirm: true}` without a hash.
  mutating func setState(_ hash: [UInt8]?, confirm: Bool?) -> String {
    var pairs: [(String, [UInt8])] = []
    if let hash { pairs.append(("hash", Hand.data(hash))) }
    if let confirm { pairs.append(("confirm", [confirm ? 0xF5 : 0xF4])) }
    return hex(ask(request(2, group: 1, command: 0, Hand.map(pairs))).flatMap { $0 })
  }

  /// OS reset, then all the time it takes; connects again when the board advertises.
  mutating func reset() {
    write(request(2, group: 0, command: 5, [0xA0]))
    run(for: .seconds(60))
    _ = connect()
  }
}
