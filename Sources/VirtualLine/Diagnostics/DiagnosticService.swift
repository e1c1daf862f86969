import Bluetooth

/// Memfault's Diagnostic Service of a board as a machine (smp.md §8): requests and what the air has carried go in, notifications come out.
///
/// A chunk counts as sent when it leaves the source; nobody acknowledges it and it is never sent again.
struct DiagnosticService: Sendable {
  enum Action: Hashable, Sendable {
    /// One notification of the data export characteristic.
    case send([UInt8])
    /// Call `poll` when so much time has passed.
    case poll(Duration)
    /// Scripted: the link goes.
    case dropLink
  }

  /// One link, from its beginning to its end.
  private struct Session: Hashable, Sendable {
    let mtu: Int
    var isEncrypted = false
    var isSubscribed = false
    var isStreaming = false
    /// Of notifications, modulo 32 on the air; it begins with the link.
    var counter: UInt8 = 0
    /// Chunks that may still leave until the next look for new data.
    var allowance = 0
    var isPolling = false
    /// Notifications that are not on the air yet, by their chunks; nil is one without a chunk.
    var flying: [[UInt8]?] = []
    var hasStreamed = false
  }

  /// Op code, handle and counter of a notification with a chunk.
  private static let overhead = 4
  /// Links that the truth tells of, the last ones.
  static let linksKept = 32

  private let settings: DiagnosticSettings
  private let values: [BluetoothUUID: [UInt8]]
  private var source: ChunkSource
  private var session: Session?
  private(set) var record = LineTruth.Diagnostics()
  /// SHA-256 of (the one before ‖ chunk), of the chunks that a client has got; 32 zero bytes at first.
  private var digest = [UInt8](repeating: 0, count: 32)

  init(_ settings: DiagnosticSettings, _ identity: BoardIdentity) {
    self.settings = settings
    source = ChunkSource(settings, address: identity.address)
    func text(_ value: String) -> [UInt8] { Array(Self.filled(value, identity.serial).utf8.prefix(DiagnosticSettings.valueLimit)) }
    values = [
      DiagnosticAttributes.features: [UInt8(truncatingIfNeeded: settings.features)], DiagnosticAttributes.deviceID: text(settings.deviceID),
      DiagnosticAttributes.dataURI: text(settings.uri), DiagnosticAttributes.authorization: text(settings.authorization),
    ]
  }

  private static func filled(_ text: String, _ serial: String) -> String {
    var left = text[...]
    var filled = ""
    while let word = left.firstRange(of: "{serial}") {
      filled += left[..<word.lowerBound] + serial
      left = left[word.upperBound...]
    }
    return filled + left
  }

  // MARK: Link

  mutating func linked(mtu: Int) { session = Session(mtu: mtu) }
  mutating func linkEnded() { session = nil }
  mutating func encrypted() { session?.isEncrypted = true }
  var letsPair: Bool { settings.pairs }

  // MARK: Requests

  /// Why an access is refused, as an ATT error; nil when it is not.
  func refusal(ofWrite isWrite: Bool) -> UInt8? {
    if settings.isEncrypted, session?.isEncrypted != true { return DiagnosticAttributes.Failure.insufficientEncryption }
    guard settings.allowsAccess else { return isWrite ? DiagnosticAttributes.Failure.writeNotPermitted : DiagnosticAttributes.Failure.readNotPermitted }
    return nil
  }

  func read(_ characteristic: BluetoothUUID) -> [UInt8]? { values[characteristic] }

  /// The client's write to the CCCD; an ATT error when it is refused.
  mutating func subscribe(_ on: Bool, _ faults: inout FaultScript) -> UInt8? {
    guard on else {
      session?.isSubscribed = false
      session?.isStreaming = false
      return nil
    }
    if let refused = refusal(ofWrite: true) { return count(refused) }
    if let fault = faults.at(.subscribe).first {
      return count(fault.code.map { UInt8(truncatingIfNeeded: $0) } ?? DiagnosticAttributes.Failure.subscribedElsewhere)
    }
    session?.isSubscribed = true
    return nil
  }

  /// A write to data export: 1 starts, 0 stops. The error is ATT's; nil is success.
  mutating func write(_ value: [UInt8], _ faults: inout FaultScript) -> (error: UInt8?, actions: [Action]) {
    if let refused = refusal(ofWrite: true) { return (count(refused), []) }
    guard value.count == 1 else { return (count(DiagnosticAttributes.Failure.invalidLength), []) }
    guard session?.isSubscribed == true else { return (count(DiagnosticAttributes.Failure.notSubscribed), []) }
    switch value[0] {
    case 0:
      session?.isStreaming = false
      return (nil, [])
    case 1:
      session?.isStreaming = true
      if session?.hasStreamed == false {
        session?.hasStreamed = true
        record.links = (record.links + [.init(first: record.sent)]).suffix(Self.linksKept)
      }
      return (nil, look(&faults))
    default: return (count(DiagnosticAttributes.Failure.outOfRange), [])
    }
  }

  private mutating func count(_ error: UInt8) -> UInt8 {
    record.refusals[(error < 16 ? "0" : "") + String(error, radix: 16), default: 0] += 1
    return error
  }

  // MARK: Chunks

  /// The time for a look at new data has come.
  mutating func poll(_ faults: inout FaultScript) -> [Action] {
    session?.isPolling = false
    return look(&faults)
  }

  private mutating func look(_ faults: inout FaultScript) -> [Action] {
    guard let session, session.isStreaming, !session.isPolling else { return [] }
    self.session?.allowance = settings.chunksPerPoll == 0 ? Int.max : settings.chunksPerPoll
    return fill(&faults)
  }

  /// The oldest notification in flight is on the air.
  ///
  /// - Parameter kept: somebody has taken it.
  mutating func delivered(kept: Bool, _ faults: inout FaultScript) -> [Action] {
    guard session?.flying.isEmpty == false, let chunk = session?.flying.removeFirst() else { return [] }
    if kept {
      record.delivered += 1
      if !record.links.isEmpty { record.links[record.links.count - 1].delivered += 1 }
      digest = ImageDigest.sha256.digest((digest + chunk)[...])
    }
    return fill(&faults)
  }

  private mutating func fill(_ faults: inout FaultScript) -> [Action] {
    var actions: [Action] = []
    while let session, session.isStreaming, session.flying.count < settings.inFlight, session.allowance > 0, source.waiting > 0 {
      let scripted = faults.at(.chunk)
      if scripted.contains(where: { $0.do == .dropStream }) { return actions + [.dropLink] }
      if scripted.contains(where: { $0.do == .emptyChunk }) { actions.append(send(nil)) }
      guard let chunk = source.next(most: session.mtu - Self.overhead) else { break }
      self.session?.allowance -= 1
      record.sent += 1
      if !record.links.isEmpty { record.links[record.links.count - 1].sent += 1 }
      let spoilt = scripted.first { $0.do == .badChunk }.map { UInt8(truncatingIfNeeded: $0.code ?? 0xE0) } ?? 0
      // Its number is used up, and nobody hears of it.
      if scripted.contains(where: { $0.do == .loseChunk }) { self.session?.counter &+= 1 } else { actions.append(send(chunk, spoilt: spoilt)) }
    }
    if let session, session.isStreaming, !session.isPolling, settings.chunksPerPoll > 0, source.waiting > 0 {
      self.session?.isPolling = true
      actions.append(.poll(.milliseconds(max(1, settings.pollMilliseconds))))
    }
    return actions
  }

  /// Bits 0 to 4 of the first byte count, 5 to 7 are 0 unless spoilt.
  private mutating func send(_ chunk: [UInt8]?, spoilt: UInt8 = 0) -> Action {
    let head = (session?.counter ?? 0) & 0x1F | spoilt & 0xE0
    session?.counter &+= 1
    session?.flying.append(chunk)
    return .send([head] + (chunk ?? []))
  }

  // MARK: Truth

  var truth: LineTruth.Diagnostics {
    var truth = record
    truth.waiting = source.waiting
    truth.subscribed = session?.isSubscribed == true
    truth.streaming = session?.isStreaming == true
    truth.digest = Hexadecimal.text(digest)
    return truth
  }
}
