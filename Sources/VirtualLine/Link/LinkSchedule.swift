import Bluetooth

/// What a value on the air is.
enum LinkTag: Hashable, Sendable {
  /// A value without more about it.
  case value
  case notification(BluetoothUUID)
  case command(BluetoothUUID)
  /// A write that wants a response, by its number.
  case request(BluetoothUUID, Int)
  /// The response: nil is success, else an ATT error code.
  case response(UInt8?, Int)
}

/// When which packet of a link is on the air: connection events at the interval, exchanges of one packet each way inside them.
///
/// A machine: packets and the time go in, packets that have arrived come out. The central's queue has no end, as in bluetoothd
/// (nordic-dfu.md §6.4), up to `mostQueued`; what is queued when the link ends is lost with it. Links of one adapter do not share the air here.
struct LinkSchedule: Sendable {
  /// What arrived.
  struct Arrivals: Hashable, Sendable {
    var atBoard: [[UInt8]] = []
    var atCentral: [[UInt8]] = []
    /// What each of them is, as it was queued.
    var tagsAtBoard: [LinkTag] = []
    var tagsAtCentral: [LinkTag] = []
  }

  private struct Direction: Sendable {
    var queue: [(value: [UInt8], tag: LinkTag)] = []
    /// Link layer packets of the first one that are already across.
    var across = 0

    /// Payload of the next link layer packet; nil when nothing waits.
    func next(_ size: Int) -> Int? {
      guard let first = queue.first else { return nil }
      return min(size, first.value.count + RadioParameters.attributeOverhead - across * size)
    }

    /// One link layer packet is across; the value when it was its last.
    mutating func advance(_ size: Int) -> (value: [UInt8], tag: LinkTag)? {
      guard let first = queue.first else { return nil }
      across += 1
      guard across * size >= first.value.count + RadioParameters.attributeOverhead else { return nil }
      across = 0
      return queue.removeFirst()
    }
  }

  /// Most values that wait in one direction; more are lost. At 495 bytes this is 4 MB.
  static let mostQueued = 8192
  /// Most connection events that are made up for at once when the host was late.
  static let mostLateEvents = 16

  private let radio: RadioParameters
  private let anchor: Duration
  private var toBoard = Direction()
  private var toCentral = Direction()
  /// The number of the last event that took place.
  private var done: Int64 = -1

  /// - Parameter start: the time of the first connection event.
  init(radio: RadioParameters, start: Duration) {
    self.radio = radio
    anchor = start
  }

  mutating func write(_ packet: [UInt8], _ tag: LinkTag = .value) {
    if toBoard.queue.count < Self.mostQueued { toBoard.queue.append((packet, tag)) }
  }

  mutating func notify(_ packet: [UInt8], _ tag: LinkTag = .value) {
    if toCentral.queue.count < Self.mostQueued { toCentral.queue.append((packet, tag)) }
  }

  var isIdle: Bool { toBoard.queue.isEmpty && toCentral.queue.isEmpty }

  /// When the next event with something to carry is; nil while nothing waits.
  func nextEvent(after now: Duration) -> Duration? {
    guard !isIdle else { return nil }
    return anchor + radio.interval * Double(max(done + 1, number(at: now) + 1))
  }

  /// Runs the connection events up to `now`, at most `mostLateEvents` of them.
  mutating func run(until now: Duration) -> Arrivals {
    let last = number(at: now)
    var arrivals = Arrivals()
    guard last > done else { return arrivals }
    let first = max(done + 1, last - Int64(Self.mostLateEvents) + 1)
    for _ in first...last where !isIdle { event(&arrivals) }
    done = last
    return arrivals
  }

  /// Events that pass without anything to carry; called before something is queued on an idle link.
  mutating func skip(until now: Duration) {
    if isIdle { done = max(done, number(at: now)) }
  }

  private func number(at now: Duration) -> Int64 {
    guard now >= anchor else { return -1 }
    return Int64(((now - anchor) / radio.interval).rounded(.down))
  }

  private mutating func event(_ arrivals: inout Arrivals) {
    var left = Int(radio.interval / .microseconds(1))
    while true {
      let (down, up) = (toBoard.next(radio.packetSize), toCentral.next(radio.packetSize))
      guard down != nil || up != nil else { return }
      let exchange = radio.airtime(payload: down ?? 0) + radio.airtime(payload: up ?? 0) + 2 * RadioParameters.interFrameSpace
      guard exchange <= left else { return }
      left -= exchange
      if down != nil, let arrived = toBoard.advance(radio.packetSize) {
        arrivals.atBoard.append(arrived.value)
        arrivals.tagsAtBoard.append(arrived.tag)
      }
      if up != nil, let arrived = toCentral.advance(radio.packetSize) {
        arrivals.atCentral.append(arrived.value)
        arrivals.tagsAtCentral.append(arrived.tag)
      }
    }
  }
}
