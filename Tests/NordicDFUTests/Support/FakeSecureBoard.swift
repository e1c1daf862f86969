@testable import NordicDFU

/// A Secure bootloader (nordic-dfu.md §3.3 to §3.5), with the faults of §9.4.
struct FakeSecureBoard: FakeBoard {
  enum Fault: Hashable {
    /// Object by number, from 0; the checksum is wrong so many times.
    case checksumWrong(object: Int, times: Int)
    /// The last packet of this object is lost, once.
    case packetLost(object: Int)
    /// This receipt never comes, once.
    case receiptMissing(Int)
    /// An answer to `03` that nobody asked for, behind every request but that one.
    case strayChecksums
    /// What was executed before the connection is not executed again.
    case executedBefore
    /// The kept init packet is not in force: no data object before a new one.
    case initNotInForce
    case refuses(SecureOpCode, SecureObjectType, [UInt8])
    case silent(SecureOpCode, SecureObjectType)
    case short(SecureOpCode, SecureObjectType)
    case drop(packet: Int)
    /// The link ends at the last execute, before anything was answered.
    case dropsAtEnd
    case staysUp
    case abortUnknown
  }

  /// What is there of one kind of object.
  struct Store {
    var received = 0
    var executed = 0
    var created = 0
    var isWrong = false
  }

  var faults: Set<Fault>
  var largestCommand = 256
  var largestData = 4096
  var command = Store()
  var data = Store()
  let commandLength: Int
  let length: Int
  /// The CRC-32 of the first bytes.
  var checksum: (DFUData, Int) -> UInt32
  private(set) var isActivated = false
  private var current = SecureObjectType.command
  private var interval = 0
  private var sinceReceipt = 0
  private var packets = 0
  private var receipts = 0
  private var wrongTimes: [Int: Int] = [:]

  init(_ faults: Set<Fault> = [], commandLength: Int, length: Int, checksum: @escaping (DFUData, Int) -> UInt32) {
    self.faults = faults
    self.commandLength = commandLength
    self.length = length
    self.checksum = checksum
  }

  private var store: Store {
    get { current == .command ? command : data }
    set { if current == .command { command = newValue } else { data = newValue } }
  }

  private var position: [UInt8] {
    let value = checksum(current == .command ? .initPacket : .image, store.received)
    return word(store.received) + word(Int(store.isWrong ? ~value : value))
  }

  mutating func control(_ bytes: [UInt8]) -> Reaction {
    guard let op = bytes.first.flatMap(SecureOpCode.init) else { return .notify(0x60, 0, 0x00) }
    if op == .create || op == .select { current = bytes[1] == 1 ? .command : .data }
    for fault in faults {
      switch fault {
      case .refuses(op, current, let result): return Reaction(notifications: [[0x60, op.rawValue] + result])
      case .silent(op, current): return .nothing
      case .short(op, current): return .notify(0x60, op.rawValue, 0x01, 0x00)
      default: break
      }
    }
    var reaction = request(op, bytes)
    if faults.contains(.strayChecksums), op != .checksum { reaction.notifications.append([0x60, 3, 1] + position) }
    return reaction
  }

  private mutating func request(_ op: SecureOpCode, _ bytes: [UInt8]) -> Reaction {
    switch op {
    case .select:
      return Reaction(notifications: [[0x60, 6, 1] + word(current == .command ? largestCommand : largestData) + position])
    case .create: return create(size: Int(bytes[2]) | Int(bytes[3]) << 8 | Int(bytes[4]) << 16)
    case .setReceipts:
      interval = Int(bytes[1]) | Int(bytes[2]) << 8
      return .notify(0x60, 2, 1)
    case .checksum: return Reaction(notifications: [[0x60, 3, 1] + position])
    case .execute: return execute()
    case .abort: return faults.contains(.abortUnknown) ? .notify(0x60, 0x0C, 0x02) : .reset
    default: return .notify(0x60, bytes[0], 0x02)
    }
  }

  private mutating func create(size: Int) -> Reaction {
    sinceReceipt = 0
    if current == .command {
      if size > largestCommand { return .notify(0x60, 1, 0x04) }
      (command, data) = (Store(created: size), Store())
      faults.remove(.initNotInForce)
      return .notify(0x60, 1, 1)
    }
    if faults.contains(.initNotInForce) || command.executed == 0 { return .notify(0x60, 1, 0x08) }
    let isLast = data.executed + size == length
    if size == 0 || !isLast && size % 1024 != 0 { return .notify(0x60, 1, 0x03) }
    if size > largestData { return .notify(0x60, 1, 0x04) }
    if data.executed + size > length { return .notify(0x60, 1, 0x08) }
    let isWrong = data.isWrong && data.received <= data.executed
    data = Store(received: data.executed, executed: data.executed, created: size, isWrong: isWrong)
    return .notify(0x60, 1, 1)
  }

  private mutating func execute() -> Reaction {
    if current == .command {
      if command.executed == commandLength, faults.contains(.executedBefore) { return .notify(0x60, 4, 0x08) }
      guard command.received == commandLength else { return .notify(0x60, 4, 0x08) }
      command.executed = commandLength
      return .notify(0x60, 4, 1)
    }
    if data.created == 0, faults.contains(.executedBefore) {
      data.executed = data.received
      return .notify(0x60, 4, 0x08)
    }
    guard data.created == 0 || data.received - data.executed == data.created else { return .notify(0x60, 4, 0x08) }
    data.executed = data.received
    guard data.executed == length else { return .notify(0x60, 4, 1) }
    if faults.contains(.dropsAtEnd) { return Reaction(isUnanswered: true, dropsLink: true) }
    isActivated = true
    return Reaction(notifications: [[0x60, 4, 1]], dropsLink: !faults.contains(.staysUp))
  }

  mutating func packet(_ bytes: [UInt8]) -> Reaction {
    packets += 1
    if faults.contains(.drop(packet: packets)) { return .reset }
    let object = current == .data ? data.executed / largestData : -1
    store.received += bytes.count
    let isEnd = store.received - (current == .data ? data.executed : 0) == store.created
    if isEnd, faults.remove(.packetLost(object: object)) != nil {
      store.received -= bytes.count
      return .nothing
    }
    if isEnd, case .checksumWrong(_, let times)? = faults.first(where: { if case .checksumWrong(object, _) = $0 { true } else { false } }) {
      let used = wrongTimes[object, default: 0]
      wrongTimes[object] = used + 1
      store.isWrong = used < times
    }
    sinceReceipt += 1
    guard interval > 0, sinceReceipt == interval else { return .nothing }
    sinceReceipt = 0
    receipts += 1
    if faults.remove(.receiptMissing(receipts)) != nil { return .nothing }
    return Reaction(notifications: [[0x60, 3, 1] + position])
  }
}
