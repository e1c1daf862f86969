/// Which calls are on the bus, which wait for a place there, and whose answer a serial number is: a value, no I/O.
struct CallLedger {
  enum Action: Equatable {
    /// Send this call now; then tell the ledger its serial number.
    case send(UInt64)
    /// It waits until a place is free.
    case wait
    /// Too many wait already.
    case refuse
  }

  private enum Place: Equatable {
    case waiting
    /// Its place is taken; libdbus has not numbered it yet.
    case sending
    case onBus(UInt32)
  }

  private let outstandingLimit: Int
  private let waitingLimit: Int
  private var places: [UInt64: Place] = [:]
  private var calls: [UInt32: UInt64] = [:]
  private var outstanding = 0
  /// First come, first served. Those that left are skipped when their turn comes.
  private var queue: [UInt64] = []
  private var queueStart = 0

  init(outstandingLimit: Int, waitingLimit: Int) {
    self.outstandingLimit = outstandingLimit
    self.waitingLimit = waitingLimit
  }

  /// Everything that is neither answered nor removed.
  var open: [UInt64] { places.keys.sorted() }

  mutating func submit(_ call: UInt64) -> Action {
    if outstanding < outstandingLimit {
      outstanding += 1
      places[call] = .sending
      return .send(call)
    }
    guard places.count - outstanding < waitingLimit else { return .refuse }
    places[call] = .waiting
    queue.append(call)
    return .wait
  }

  /// The bus knows the call by this number now.
  mutating func sent(_ call: UInt64, serial: UInt32) {
    guard places[call] == .sending else { return }
    places[call] = .onBus(serial)
    calls[serial] = call
  }

  /// The call that a reply belongs to; nil for the reply of one that was given up.
  func call(answeredBy serial: UInt32) -> UInt64? { calls[serial] }

  /// The call is over (answered, timed out, cancelled); the next one that may be sent, if any.
  mutating func remove(_ call: UInt64) -> Action? {
    switch places.removeValue(forKey: call) {
    case nil, .waiting:
      return nil
    case .onBus(let serial):
      calls[serial] = nil
    case .sending:
      break
    }
    outstanding -= 1
    return nextWaiting()
  }

  private mutating func nextWaiting() -> Action? {
    while queueStart < queue.count {
      let call = queue[queueStart]
      queueStart += 1
      guard places[call] == .waiting else { continue }
      places[call] = .sending
      outstanding += 1
      compact()
      return .send(call)
    }
    compact()
    return nil
  }

  private mutating func compact() {
    guard queueStart > 64, queueStart * 2 > queue.count else { return }
    queue.removeFirst(queueStart)
    queueStart = 0
  }
}
