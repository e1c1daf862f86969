/// Group 66 of a SUIT board as a server, or SUIT over the image group (smp.md §7, device-manager.md §4.2, §4.4).
///
/// Nothing is executed: what the board lacks is what the envelope's payload-fetch names and neither the envelope nor a cache holds. What was received
/// lives in RAM and is gone with a reset; what is installed stays.
struct SUITGroup: Sendable {
  static let number: UInt16 = 66

  enum State: Hashable, Sendable {
    case idle
    case receiving
    /// Whole, and waiting to be told.
    case stored
    case processing
    case waiting(uri: String)
    case installing
  }

  let settings: SUITSettings
  private(set) var state = State.idle
  var ticket = 0
  var session = 0
  var envelope: SUITTransfer?
  var isDeferred = false
  /// Which image an upload by the image group is of.
  var imageInHand = 0
  var caches: [Int: SUITTransfer] = [:]
  var resource: SUITTransfer?
  private(set) var resources: [String: Int] = [:]
  private(set) var record: SUITRecord

  init(settings: SUITSettings) {
    self.settings = settings
    record = SUITRecord(
      sequence: settings.sequence, digest: ImageDigest.sha256.digest(Array("factory".utf8)[...]))
  }

  /// What lived in RAM is gone.
  mutating func reset() {
    ticket += 1
    state = .idle
    envelope = nil
    caches = [:]
    resource = nil
    resources = [:]
    isDeferred = false
  }

  /// The answer, where the request is one for SUIT; nil where another group answers. Throws what it refuses.
  mutating func handle(_ frame: ServerFrame, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer? {
    switch (frame.group, frame.operation, frame.command) {
    case (0, ServerFrame.read, 8):
      guard try RequestMap(frame.payload).isEmpty else { return nil }
      return ServerAnswer([ReplyField("bootloader", .text(settings.imageGroup ? "MCUboot" : "SUIT"))])
    case (Self.number, _, _) where !settings.imageGroup:
      var answer = try suit(frame, try RequestMap(frame.payload), &faults)
      answer.fields.insert(ReplyField("rc", .unsigned(0)), at: 0)
      return try checked(answer)
    case (ImageGroup.number, _, _) where settings.imageGroup: return try images(frame, try RequestMap(frame.payload), &faults)
    case (ImageGroup.number, _, _): throw .status(8)
    default: return nil
    }
  }

  /// The time of a timer is over: true when the board restarts.
  mutating func rang(_ timer: SUITTimer, _ faults: inout FaultScript) -> (timers: [SUITTimer], restarts: Bool) {
    guard timer.ticket == ticket else { return ([], false) }
    switch timer.step {
    case .process: return (process(&faults), false)
    case .giveUp:
      fail("resource timeout")
      return ([], false)
    case .install:
      guard let bytes = envelope?.bytes, let received = ReceivedEnvelope(bytes) else {
        fail("envelope")
        return ([], false)
      }
      record.sequence = received.sequence
      record.digest = received.digest
      record.installs.append(received.sequence)
      return ([], true)
    }
  }

  // MARK: Steps

  mutating func changeState(_ new: State) {
    state = new
    ticket += 1
  }

  /// The envelope is looked at a little later.
  mutating func processSoon() -> SUITTimer {
    changeState(.processing)
    return SUITTimer(after: .milliseconds(settings.processMilliseconds), step: .process, ticket: ticket)
  }

  private mutating func process(_ faults: inout FaultScript) -> [SUITTimer] {
    guard let bytes = envelope?.bytes, let received = ReceivedEnvelope(bytes) else {
      fail("digest or envelope")
      return []
    }
    if settings.forbidsDowngrade, received.sequence < record.sequence {
      fail("downgrade")
      return []
    }
    let event = FaultScript.Event(group: Self.number)
    if faults.at(.install, event).contains(where: { $0.do == .refuseInstall }) {
      fail("scripted")
      return []
    }
    let cached = caches.values.filter(\.isComplete).reduce(into: Set<String>()) { $0.formUnion(ReceivedEnvelope.names(ofCache: $1.bytes)) }
    let have = received.integrated.union(cached).union(resources.keys)
    guard let missing = received.wanted.first(where: { !have.contains($0) }) else {
      changeState(.installing)
      return [SUITTimer(after: .milliseconds(settings.installMilliseconds), step: .install, ticket: ticket)]
    }
    let asks = faults.at(.ask, event)
    if asks.contains(where: { $0.do == .neverAsk }) { return [] }
    session += 1
    resource = nil
    changeState(.waiting(uri: asks.first { $0.do == .askOther }.map { $0.uri ?? "file://nobody-has-this.bin" } ?? missing))
    return [giveUpLater()]
  }

  mutating func giveUpLater() -> SUITTimer {
    ticket += 1
    return SUITTimer(after: .milliseconds(settings.resourceMilliseconds), step: .giveUp, ticket: ticket)
  }

  /// A resource is whole: the envelope is looked at again.
  mutating func received(_ uri: String, _ bytes: Int) -> SUITTimer {
    resources[uri] = bytes
    record.resources[uri] = bytes
    resource = nil
    return processSoon()
  }

  mutating func fail(_ why: String) {
    record.failures.append(why)
    changeState(.idle)
  }

  mutating func count(bytes: Int = 0, uploads: Int = 0, cleanUps: Int = 0) {
    record.bytesReceived += bytes
    record.uploads += uploads
    record.cleanUps += cleanUps
  }

  mutating func note(cache number: Int, _ content: [UInt8]) { record.caches[number] = ImageDigest.sha256.digest(content[...]) }

  /// An answer that names the expected offset has `rc` 1 and no other.
  private func checked(_ answer: ServerAnswer) throws(Refusal) -> ServerAnswer {
    guard answer.fields.filter({ $0.key == "rc" }).count > 1 else { return answer }
    var answer = answer
    answer.fields.removeFirst()
    return answer
  }
}

/// What a SUIT board has and has been through, for its whole life.
struct SUITRecord: Hashable, Sendable {
  var sequence: Int
  var digest: [UInt8]
  /// Sequence numbers, in the order in which they were installed.
  var installs: [Int] = []
  var failures: [String] = []
  /// Bytes of the resources that it got, by URI.
  var resources: [String: Int] = [:]
  /// Digests of the caches that it got, by partition.
  var caches: [Int: [UInt8]] = [:]
  var bytesReceived = 0
  var uploads = 0
  var cleanUps = 0
}
