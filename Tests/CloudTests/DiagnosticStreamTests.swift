import Bluetooth
import Locks
import Synchronization
import Testing

@testable import Cloud

/// The counter of byte 0 (facts/device-manager.md §7.3): what is missing, and what is no chunk.
@Suite struct ChunkCounterTests {
  static let rows: [(came: [[UInt8]], read: [ChunkCounter.Reading])] = [
    ([[0, 9], [1, 9], [2, 9]], [.next(number: 0), .next(number: 1), .next(number: 2)]),
    // The first after a connection is 0: whatever else comes first, the ones before it are missing.
    ([[3, 9]], [.gap(missing: 3, number: 3)]),
    ([[0, 9], [2, 9], [3, 9]], [.next(number: 0), .gap(missing: 1, number: 2), .next(number: 3)]),
    // The same number again is 31 missing ones as far as the counter tells; the chunk is not thrown away.
    ([[0, 9], [0, 9]], [.next(number: 0), .gap(missing: 31, number: 0)]),
    // Reserved bits are not looked at.
    ([[0xE0, 9], [0x21, 9]], [.next(number: 0), .next(number: 1)]),
    ([[], [0, 9]], [.malformed(missing: 0), .next(number: 0)]),
    // Counted by the board, but without a chunk.
    ([[0], [1, 9]], [.malformed(missing: 0), .next(number: 1)]),
    ([[2], [3, 9]], [.malformed(missing: 2), .next(number: 3)]),
  ]

  @Test(arguments: rows) func readings(came: [[UInt8]], read: [ChunkCounter.Reading]) {
    var counter = ChunkCounter()
    #expect(came.map { counter.receive($0) } == read)
  }

  @Test func theCounterStartsAgainBehind31() {
    var counter = ChunkCounter()
    for number in 0..<100 { #expect(counter.receive([UInt8(number % 32), 1]) == .next(number: number % 32)) }
  }
}

/// When the board is asked to pause, to go on and to stop.
@Suite struct StreamFlowTests {
  @Test func aBoardThatIsTooFastPausesOnce() {
    var flow = StreamFlow(high: 3, low: 1)
    #expect(flow.arrived([1]) == .nothing && flow.arrived([2]) == .nothing && flow.arrived([3]) == .hold && flow.arrived([4]) == .nothing)
    #expect(flow.taken() == .nothing, "not before the board has heard of the pause")
    #expect(flow.held() == .nothing)
    for value in 1...3 as ClosedRange<UInt8> {
      #expect(flow.next() == .notification([value]))
      #expect(flow.taken() == (value == 3 ? .release : .nothing))
    }
    #expect(flow.next() == .notification([4]) && flow.taken() == .nothing)
    #expect(flow.next() == .wait)
  }

  @Test func whoeverWasQuickerThanThePauseGoesOnAtOnce() {
    var flow = StreamFlow(high: 2, low: 0)
    #expect(flow.arrived([1]) == .nothing && flow.arrived([2]) == .hold)
    _ = (flow.next(), flow.taken(), flow.next(), flow.taken())
    #expect(flow.held() == .release && flow.held() == .nothing)
  }

  @Test func aStopComesBeforeWhatWaits() {
    var flow = StreamFlow(high: 2, low: 0)
    _ = flow.arrived([1])
    flow.stop()
    #expect(flow.next() == .stop && flow.next() == .notification([1]) && flow.next() == .wait)
    _ = flow.arrived([2])
    flow.end()
    flow.stop()
    #expect(flow.next() == .notification([2]) && flow.next() == .over)
  }

  @Test func whereTheLinkIsGoneNobodyIsAskedToStop() {
    var flow = StreamFlow(high: 2, low: 0)
    _ = flow.arrived([1])
    flow.end()
    flow.stop()
    #expect(flow.next() == .notification([1]) && flow.next() == .over)
  }

  @Test func nothingIsLostInAThousand() {
    var flow = StreamFlow(high: 5000, low: 0)
    var taken: [[UInt8]] = []
    for number in 0..<1000 {
      _ = flow.arrived([UInt8(number % 251)])
      if number % 3 == 0, case .notification(let value) = flow.next() { taken.append(value) }
    }
    while case .notification(let value) = flow.next() { taken.append(value) }
    #expect(taken == (0..<1000).map { [UInt8($0 % 251)] })
  }
}

/// `DiagnosticStream` over a link that does what a script says.
@Suite struct DiagnosticStreamTests {
  private static var limits: DiagnosticStream.Limits {
    var limits = DiagnosticStream.Limits()
    limits.quiet = .milliseconds(5)
    limits.linkEnd = .milliseconds(50)
    return limits
  }

  private static func chunks(_ count: Int) -> [[UInt8]] { (0..<count).map { [UInt8($0 % 32), UInt8($0 % 251), UInt8($0 / 251)] } }

  @Test func aBoardTellsWhoItIs() async throws {
    let link = ScriptedLink()
    let identity = try await DiagnosticStream(over: link).identity()
    #expect(identity.deviceID == "SN-1" && identity.uri == Array("https://chunks.example/api/v0/chunks/SN-1".utf8))
    #expect(link.log == ["read 1", "read 2", "read 3", "read 4"])
    var dumped = ""
    dump(identity, to: &dumped)
    #expect(!"\(identity) \(String(reflecting: identity)) \(dumped)".contains("0123"), "no text shows the key")
  }

  static let refusals: [(BluetoothUUID, Result<[UInt8], CentralError>, DiagnosticFailure)] = [
    (.diagnosticFeatures, .success([1]), .unknownFeatures([1])), (.diagnosticFeatures, .success([0, 4]), .unknownFeatures([0, 4])),
    (.diagnosticFeatures, .success([]), .malformed(.features)), (.diagnosticDeviceID, .success([]), .malformed(.deviceID)),
    (.diagnosticDeviceID, .success([0xFF]), .malformed(.deviceID)), (.diagnosticDeviceID, .success([0x41, 0x0A]), .malformed(.deviceID)),
    (.diagnosticDeviceID, .success([UInt8](repeating: 0x41, count: 129)), .malformed(.deviceID)),
    (.diagnosticDataURI, .success([]), .malformed(.dataURI)), (.diagnosticDataURI, .success([UInt8](repeating: 0x41, count: 513)), .malformed(.dataURI)),
    (.diagnosticAuthorization, .success([]), .malformed(.authorization)),
    (.diagnosticAuthorization, .failure(.notPermitted("ATT error: 0x0f")), .notEncrypted("ATT error: 0x0f")),
    (.diagnosticDeviceID, .failure(.attributeMissing(.diagnosticDeviceID)), .notOffered(.diagnosticDeviceID)),
    (.diagnosticDeviceID, .failure(.linkLost), .link(.linkLost)),
  ]

  @Test(arguments: refusals) func valuesFromOutsideAreChecked(value: BluetoothUUID, answer: Result<[UInt8], CentralError>, failure: DiagnosticFailure) async {
    var script = ScriptedLink.Script()
    script.values[value] = answer
    let link = ScriptedLink(script)
    await #expect(throws: failure) { _ = try await DiagnosticStream(over: link).identity() }
  }

  @Test func aBoardWithoutTheServiceIsNotAsked() async {
    let link = ScriptedLink(ScriptedLink.Script(lacksService: true))
    await #expect(throws: DiagnosticFailure.notOffered(.diagnostics)) { _ = try await DiagnosticStream(over: link).identity() }
    #expect(link.log == [])
  }

  @Test func everyChunkComesOnceAndInOrderUntilTheLinkIsLost() async throws {
    let link = ScriptedLink(ScriptedLink.Script(notifications: Self.chunks(300), endsAfterwards: true))
    let taken = Taken()
    let end = try await DiagnosticStream(over: link, limits: Self.limits).run { await taken.take($0) }
    #expect(end == .linkLost)
    #expect(taken.chunks == Self.chunks(300).map { Array($0.dropFirst()) } && taken.missing == 0)
    // Pauses in between depend on who is faster.
    #expect(link.log.prefix(2) == ["open", "01"] && link.log.last == "close", "subscribed before it was switched on")
  }

  @Test func aBoardThatIsTooFastIsAskedToPause() async throws {
    var limits = Self.limits
    (limits.high, limits.low) = (8, 2)
    let link = ScriptedLink(ScriptedLink.Script(notifications: Self.chunks(400), endsAfterwards: true))
    let taken = Taken(slowly: true)
    let end = try await DiagnosticStream(over: link, limits: limits).run { await taken.take($0) }
    #expect(end == .linkLost && taken.chunks == Self.chunks(400).map { Array($0.dropFirst()) } && taken.missing == 0)
  }

  @Test func whoHasEnoughStillGetsWhatIsUnderWay() async throws {
    let link = ScriptedLink(ScriptedLink.Script(notifications: Self.chunks(5), afterStop: [[5, 5, 0], [6, 6, 0]]))
    let taken = Taken(enoughAt: 5)
    let end = try await DiagnosticStream(over: link, limits: Self.limits).run { await taken.take($0) }
    #expect(end == .stopped && taken.chunks.count == 7 && taken.missing == 0)
    #expect(link.log == ["open", "01", "00", "close"])
  }

  @Test func aCancellationStopsTheBoardAndLosesNothing() async throws {
    let link = ScriptedLink(ScriptedLink.Script(notifications: Self.chunks(3), afterStop: [[3, 3, 0]]))
    let taken = Taken()
    let task = Task { try await DiagnosticStream(over: link, limits: Self.limits).run { await taken.take($0) } }
    while taken.chunks.count < 3 { await Task.yield() }
    task.cancel()
    #expect(try await task.value == .stopped)
    #expect(taken.chunks.count == 4 && link.log == ["open", "01", "00", "close"])
  }

  @Test func aStackThatClosesTheChannelIsToldFromALostLink() async throws {
    let link = ScriptedLink(ScriptedLink.Script(notifications: Self.chunks(2), closesAfterwards: true))
    #expect(try await DiagnosticStream(over: link, limits: Self.limits).run { _ in .more } == .overrun)
  }

  @Test func gapsAndNonsenseAreTold() async throws {
    let link = ScriptedLink(ScriptedLink.Script(notifications: [[0, 1], [3, 2], [4], [0x85, 3]], endsAfterwards: true))
    let taken = Taken()
    _ = try await DiagnosticStream(over: link, limits: Self.limits).run { await taken.take($0) }
    #expect(taken.chunks == [[1], [2], [3]] && taken.missing == 2 && taken.malformed == 1 && taken.reserved == 1)
  }

  static let beginnings: [(CentralError?, CentralError?, DiagnosticFailure, [String])] = [
    (.applicationError(0x80), nil, .otherClient, ["open"]), (.notPermitted("0x05"), nil, .notEncrypted("0x05"), ["open"]),
    (nil, .applicationError(0x81), .notSubscribed, ["open", "01", "close"]), (nil, .applicationError(0x80), .otherClient, ["open", "01", "close"]),
    (nil, .noAnswer("limit"), .link(.noAnswer("limit")), ["open", "01", "close"]),
  ]

  @Test(arguments: beginnings) func aStreamThatDoesNotBegin(open: CentralError?, write: CentralError?, failure: DiagnosticFailure, log: [String]) async {
    let link = ScriptedLink(ScriptedLink.Script(openError: open, writeErrors: [write]))
    await #expect(throws: failure) { _ = try await DiagnosticStream(over: link).run { _ in .more } }
    #expect(link.log == log)
  }

  @Test func everyFailureHasWordsAndARemedy() {
    let all: [DiagnosticFailure] = [
      .notOffered(.diagnostics), .unknownFeatures([1]), .malformed(.dataURI), .otherClient, .notSubscribed, .notEncrypted("x"), .pairingFailed("x"),
      .link(.adapterGone), .link(.linkLost),
    ]
    for failure in all { #expect(!failure.description.isEmpty && !failure.remedy.isEmpty) }
    #expect(DiagnosticFailure.unknownFeatures([1, 0xAB]).description.contains("(01ab)"))
  }
}

/// A consumer that keeps what it gets.
private final class Taken: Sendable {
  private struct State {
    var chunks: [[UInt8]] = []
    var missing = 0
    var malformed = 0
    var reserved = 0
  }

  private let state = Locked(State())
  private let slowly: Bool
  private let enoughAt: Int

  init(slowly: Bool = false, enoughAt: Int = .max) {
    self.slowly = slowly
    self.enoughAt = enoughAt
  }

  var chunks: [[UInt8]] { state.withLock { $0.chunks } }
  var missing: Int { state.withLock { $0.missing } }
  var malformed: Int { state.withLock { $0.malformed } }
  var reserved: Int { state.withLock { $0.reserved } }

  func take(_ received: DiagnosticStream.Received) async -> DiagnosticStream.Demand {
    if slowly { for _ in 0..<5 { await Task.yield() } }
    return state.withLock { state in
      if case .malformed = received.reading { state.malformed += 1 } else { state.chunks.append(received.chunk) }
      state.missing += received.reading.missing
      state.reserved += received.hasReservedBits ? 1 : 0
      return state.chunks.count >= enoughAt ? .enough : .more
    }
  }
}
