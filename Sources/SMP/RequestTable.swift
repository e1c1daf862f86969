/// Names a request that was sent; never used twice by one table.
public struct RequestID: Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Every one of the 256 sequence numbers is in use.
public struct SequencesExhausted: Error, Hashable, Sendable {
  public init() {}
}

/// Gives out sequence numbers on one link and tells what an incoming frame answers.
///
/// An answer must agree with its request in sequence, group, command and operation (smp.md §2.1: servers without reassembly send stray
/// answers with garbage in them). Numbers count up and wrap from 255 to 0, so that one is used again as late as possible. The number of
/// a request that timed out is set aside until its answer comes after all, or until so many others have timed out that it is due.
public struct RequestTable: Sendable {
  /// What an incoming frame is.
  public enum Match: Hashable, Sendable {
    /// The answer to this request, which is now settled.
    case answer(RequestID, SMPFrame)
    /// The answer to a request that has timed out.
    case late(RequestID, SMPFrame)
    /// Another answer to a request that was answered already.
    case duplicate(RequestID)
    /// Answers nothing that was asked here.
    case stray(SMPFrame)
  }

  /// What an answer must agree with.
  private struct Key: Equatable {
    var operation: SMPOperation
    var group: SMPGroup
    var command: UInt8
  }

  private enum Slot {
    case unused
    case outstanding(RequestID, Key)
    case answered(RequestID, Key)
    case timedOut(RequestID, Key)
  }

  /// Sequence numbers that exist.
  public static let capacity = 256

  private let setAsideLimit: Int
  private var slots = [Slot](repeating: .unused, count: capacity)
  private var next: UInt8
  private var lastID: UInt64 = 0
  /// Numbers whose late answer may still come, the longest waiting first.
  private var setAside: [UInt8] = []
  /// Requests that wait for their answer.
  public private(set) var outstanding = 0

  /// - Parameters:
  ///   - first: the first sequence number.
  ///   - setAside: how many timed-out numbers are kept out of use at most.
  public init(first: UInt8 = 0, setAside: Int = 64) {
    next = first
    setAsideLimit = min(max(0, setAside), Self.capacity - 1)
  }

  /// Takes a sequence number for a request. Throws when all 256 are outstanding.
  public mutating func begin<Request: SMPRequest>(_ request: Request.Type) throws(SequencesExhausted) -> (id: RequestID, sequence: UInt8) {
    try begin(operation: Request.operation, group: Request.group, command: Request.command)
  }

  /// Takes a sequence number for a request. Throws when all 256 are outstanding.
  public mutating func begin(operation: SMPOperation, group: SMPGroup, command: UInt8) throws(SequencesExhausted) -> (id: RequestID, sequence: UInt8) {
    let sequence = try freeSequence()
    lastID += 1
    let id = RequestID(rawValue: lastID)
    slots[Int(sequence)] = .outstanding(id, Key(operation: operation.response ?? operation, group: group, command: command))
    outstanding += 1
    next = sequence &+ 1
    return (id, sequence)
  }

  private mutating func freeSequence() throws(SequencesExhausted) -> UInt8 {
    for step in 0..<Self.capacity {
      let candidate = next &+ UInt8(truncatingIfNeeded: step)
      switch slots[Int(candidate)] {
      case .unused, .answered: return candidate
      case .outstanding, .timedOut: continue
      }
    }
    // Rather a number whose answer is long overdue than none.
    guard !setAside.isEmpty else { throw SequencesExhausted() }
    return setAside.removeFirst()
  }

  /// Takes a frame that came in.
  public mutating func receive(_ frame: SMPFrame) -> Match {
    let header = frame.header
    let key = Key(operation: header.operation, group: header.group, command: header.command)
    switch slots[Int(header.sequence)] {
    case .outstanding(let id, key):
      slots[Int(header.sequence)] = .answered(id, key)
      outstanding -= 1
      return .answer(id, frame)
    case .timedOut(let id, key):
      slots[Int(header.sequence)] = .answered(id, key)
      setAside.removeAll { $0 == header.sequence }
      return .late(id, frame)
    case .answered(let id, key):
      return .duplicate(id)
    default:
      return .stray(frame)
    }
  }

  /// Gives up waiting for a request; its number is set aside. False when it was not outstanding (any more).
  @discardableResult
  public mutating func timedOut(_ id: RequestID) -> Bool {
    for sequence in slots.indices {
      guard case .outstanding(id, let key) = slots[sequence] else { continue }
      slots[sequence] = .timedOut(id, key)
      outstanding -= 1
      setAside.append(UInt8(sequence))
      if setAside.count > setAsideLimit { slots[Int(setAside.removeFirst())] = .unused }
      return true
    }
    return false
  }

  /// Forgets everything that is outstanding, in the order of sending: the link is gone, or a new one begins.
  public mutating func abandonAll() -> [RequestID] {
    var abandoned: [RequestID] = []
    for case .outstanding(let id, _) in slots { abandoned.append(id) }
    slots = [Slot](repeating: .unused, count: Self.capacity)
    setAside = []
    outstanding = 0
    return abandoned.sorted()
  }
}
