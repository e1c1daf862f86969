import Bluetooth
import Flashing
import Testing

@testable import Station

/// That a batch starts, retries, counts and ends as contract §2 says. Every row is a small story.
struct BatchLedgerTests {
  /// What happens to a ledger, one thing a second.
  enum Step: Sendable {
    /// A claim, and the attempt number that it gets (nil: refused).
    case claim(UInt64, Int?)
    /// A claim only to record a refusal.
    case refuse(UInt64, Int?)
    /// An attempt ends, and whether that was the final result.
    case ends(UInt64, Outcome, FailureCode?, final: Bool)
    /// As `ends`, but something was written to the board.
    case writes(UInt64, Outcome, FailureCode?, final: Bool)
    case drain, stop, fail
    /// Time goes on.
    case wait(Int)
    /// Boards that wait in vain.
    case overdue([UInt64])
    case over(EndReason?)
    case exit(BatchLedger.Exit)
  }

  struct Story: Sendable {
    var name: String
    var bounds: BatchBounds
    var steps: [Step]
  }

  static let limits = LedgerLimits(
    attempts: AttemptLimits(attempts: 2, stationRetries: 1), stopAfterSameFailures: 3, absence: .seconds(60), retryWindow: .seconds(120))

  static let stories = [
    Story(
      name: "one board passes", bounds: BatchBounds(),
      steps: [
        .over(nil), .claim(1, 1), .claim(1, nil), .over(nil), .ends(1, .passed, nil, final: true), .claim(1, nil), .over(nil), .wait(300), .over(.idle),
        .exit(.good),
      ]),
    Story(name: "nothing came", bounds: BatchBounds(), steps: [.wait(299), .over(nil), .wait(1), .over(.idle), .exit(.good)]),
    Story(
      name: "a board in hand keeps the batch open", bounds: BatchBounds(idle: .seconds(5)),
      steps: [.claim(1, 1), .wait(500), .over(nil), .ends(1, .passed, nil, final: true), .over(nil), .wait(5), .over(.idle)]),
    Story(
      name: "its own failures use attempts", bounds: BatchBounds(),
      steps: [
        .claim(1, 1), .ends(1, .failed, .linkLost, final: false), .over(nil), .claim(1, 2), .ends(1, .failed, .linkLost, final: true), .claim(1, nil),
        .wait(300), .over(.idle), .exit(.notGood),
      ]),
    Story(
      name: "the last attempt decides", bounds: BatchBounds(),
      steps: [.claim(1, 1), .ends(1, .timeout, .smpTimeout, final: false), .claim(1, 2), .ends(1, .passed, nil, final: true), .exit(.good)]),
    Story(
      name: "what is not retried is final", bounds: BatchBounds(),
      steps: [.claim(1, 1), .ends(1, .failed, .imageTooLarge, final: true), .claim(2, 1), .ends(2, .refused, .identityModel, final: true), .exit(.notGood)]),
    Story(
      name: "station faults use station_retries, not attempts", bounds: BatchBounds(),
      steps: [
        .claim(1, 1), .ends(1, .error, .adapterRemoved, final: false), .claim(1, 2), .ends(1, .failed, .linkLost, final: false), .claim(1, 3),
        .ends(1, .error, .adapterRemoved, final: true), .exit(.notGood),
      ]),
    Story(
      name: "count reserves for boards in hand and for retries", bounds: BatchBounds(count: 2),
      steps: [
        .claim(1, 1), .claim(2, 1), .claim(3, nil), .ends(1, .failed, .linkLost, final: false), .claim(3, nil), .ends(2, .passed, nil, final: true),
        .over(nil), .claim(3, nil), .claim(1, 2), .ends(1, .passed, nil, final: true), .over(.count), .exit(.good),
      ]),
    Story(
      name: "skipped and refused do not count", bounds: BatchBounds(count: 1),
      steps: [
        .claim(1, 1), .ends(1, .skipped, nil, final: true), .over(nil), .claim(2, 1), .ends(2, .refused, .policyDowngrade, final: true), .over(nil),
        .claim(3, 1), .ends(3, .passed, nil, final: true), .over(.count), .exit(.notGood),
      ]),
    Story(
      name: "never more than N are written to, even when one is not judged", bounds: BatchBounds(count: 1),
      steps: [
        .claim(1, 1), .writes(1, .error, .adapterRemoved, final: false), .claim(1, 2), .writes(1, .error, .adapterRemoved, final: true), .claim(2, nil),
        .over(.count), .exit(.notGood),
      ]),
    Story(
      name: "a fault before anything was written frees the place", bounds: BatchBounds(count: 1),
      steps: [
        .claim(1, 1), .ends(1, .error, .adapterRemoved, final: false), .claim(1, 2), .ends(1, .error, .adapterRemoved, final: true), .over(nil), .claim(2, 1),
        .ends(2, .passed, nil, final: true), .over(.count), .exit(.notGood),
      ]),
    Story(
      name: "a count that is not met", bounds: BatchBounds(count: 2, idle: .seconds(10)),
      steps: [.claim(1, 1), .ends(1, .passed, nil, final: true), .wait(10), .over(.idle), .exit(.notGood)]),
    Story(
      name: "until: none starts, those in hand finish, retries are over", bounds: BatchBounds(until: .seconds(10)),
      steps: [
        .claim(1, 1), .claim(2, 1), .ends(2, .failed, .linkLost, final: false), .wait(10), .claim(3, nil), .claim(2, nil), .over(nil),
        .ends(1, .failed, .linkLost, final: true), .over(.until), .exit(.notGood),
      ]),
    Story(
      name: "drain", bounds: BatchBounds(),
      steps: [.claim(1, 1), .drain, .claim(2, nil), .over(nil), .ends(1, .passed, nil, final: true), .over(.operator), .exit(.good)]),
    Story(
      name: "drain: a board that would be tried again has had its last attempt", bounds: BatchBounds(),
      steps: [.claim(1, 1), .drain, .ends(1, .failed, .linkLost, final: true), .over(.operator), .exit(.notGood)]),
    Story(
      name: "stop: the board is not final, for the batch goes on next time", bounds: BatchBounds(),
      steps: [.claim(1, 1), .stop, .claim(2, nil), .over(nil), .ends(1, .aborted, .operatorStopped, final: false), .over(.operator), .exit(.stopped)]),
    Story(
      name: "stop after drain", bounds: BatchBounds(),
      steps: [.claim(1, 1), .drain, .stop, .ends(1, .aborted, .operatorStopped, final: false), .exit(.stopped)]),
    Story(
      name: "a fault of the station", bounds: BatchBounds(),
      steps: [.claim(1, 1), .fail, .claim(2, nil), .ends(1, .error, .busGone, final: false), .over(.fault), .exit(.stationFault)]),
    Story(name: "the operator's stop comes before the fault", bounds: BatchBounds(), steps: [.stop, .fail, .over(.operator), .exit(.stopped)]),
    Story(
      name: "the same failure on three boards halts the line", bounds: BatchBounds(),
      steps: [
        .claim(1, 1), .ends(1, .failed, .imageRefused, final: true), .claim(2, 1), .ends(2, .refused, .identityModel, final: true), .claim(3, 1),
        .ends(3, .failed, .imageRefused, final: true), .claim(4, 1), .claim(5, 1), .ends(4, .failed, .imageRefused, final: true), .over(nil), .claim(6, nil),
        .ends(5, .passed, nil, final: true), .over(.sameFailures), .exit(.notGood),
      ]),
    Story(
      name: "a good board or another failure begins the row anew", bounds: BatchBounds(),
      steps: [
        .claim(1, 1), .ends(1, .failed, .imageRefused, final: true), .claim(2, 1), .ends(2, .failed, .imageRefused, final: true), .claim(3, 1),
        .ends(3, .passed, nil, final: true), .claim(4, 1), .ends(4, .failed, .imageRefused, final: true), .claim(5, 1),
        .ends(5, .failed, .imageTooLarge, final: true), .claim(6, 1), .ends(6, .failed, .imageRefused, final: true), .over(nil), .claim(7, 1),
      ]),
    Story(
      name: "attempts that are not final do not count for the row", bounds: BatchBounds(),
      steps: [
        .claim(1, 1), .ends(1, .failed, .linkLost, final: false), .claim(2, 1), .ends(2, .failed, .linkLost, final: false), .claim(3, 1),
        .ends(3, .failed, .linkLost, final: false), .claim(4, 1),
      ]),
    Story(
      name: "who waits in vain has had the last attempt", bounds: BatchBounds(count: 1),
      steps: [
        .claim(1, 1), .ends(1, .failed, .linkLost, final: false), .wait(58), .overdue([]), .over(nil), .wait(2), .overdue([1]), .over(.count), .claim(1, nil),
        .exit(.notGood),
      ]),
    Story(
      name: "refusals from the air need no place but have a limit", bounds: BatchBounds(count: 1),
      steps: [.claim(1, 1), .refuse(2, 1), .ends(2, .refused, .identityPrivateAddress, final: true), .refuse(2, nil), .refuse(3, 1)]),
  ]

  @Test(arguments: stories)
  func tells(story: Story) {
    var ledger = BatchLedger(bounds: story.bounds, limits: Self.limits, now: .zero)
    var now = Duration.zero
    for (place, step) in story.steps.enumerated() {
      let where_ = Comment(rawValue: "\(story.name), step \(place + 1): \(step)")
      switch step {
      case .claim(let board, let attempt): #expect(ledger.claim(BluetoothAddress(bits: board), now: now) == attempt, where_)
      case .refuse(let board, let attempt): #expect(ledger.claim(BluetoothAddress(bits: board), refusal: true, now: now) == attempt, where_)
      case .ends(let board, let outcome, let code, let final): end(&ledger, record(board, outcome, code), final, now, where_)
      case .writes(let board, let outcome, let code, let final):
        var written = record(board, outcome, code)
        written.leftAs = .unknown
        end(&ledger, written, final, now, where_)
      case .drain: ledger.drain()
      case .stop: ledger.stop()
      case .fail: ledger.fail()
      case .wait(let seconds): now += .seconds(seconds)
      case .overdue(let boards): #expect(ledger.closeOverdue(now: now) { _ in nil }.map(\.mac.bits) == boards, where_)
      case .over(let reason): #expect(ledger.endReason(now: now) == reason, where_)
      case .exit(let exit): #expect(ledger.exit == exit, where_)
      }
    }
  }

  private func end(_ ledger: inout BatchLedger, _ record: AttemptRecord, _ final: Bool, _ now: Duration, _ comment: Comment) {
    let before = ledger.verdict(record.mac, record, now: now)
    #expect((before == .done) == final, comment)
    #expect(ledger.finished(record.mac, record, now: now) == before, comment)
    #expect(ledger.isDone(record.mac) == final, comment)
  }

  private func record(_ board: UInt64, _ outcome: Outcome, _ code: FailureCode?, serial: String? = nil, attempt: Int = 1) -> AttemptRecord {
    var record = AttemptRecord(
      batchID: 1, stationID: "S", profile: "p", job: .update, mac: BluetoothAddress(bits: board), addressType: .public, attempt: attempt, startedAt: 0,
      toolVersion: "0")
    record.outcome = outcome
    record.failureCode = code
    record.good = outcome == .passed || outcome == .skipped
    record.serialNumber = serial
    return record
  }

  @Test func retriesGoElsewhereWhenTheRadioMayBeAtFault() {
    var ledger = BatchLedger(bounds: BatchBounds(), limits: Self.limits, now: .zero)
    let board = BluetoothAddress(bits: 1)
    _ = ledger.claim(board, now: .zero)
    #expect(ledger.finished(board, record(1, .failed, .linkLost), now: .zero) == .again(pause: .seconds(1), elsewhere: true))
    _ = ledger.claim(board, now: .zero)
    #expect(ledger.finished(board, record(1, .error, .stationInternal), now: .zero) == .again(pause: .seconds(1), elsewhere: true))
    let other = BluetoothAddress(bits: 2)
    _ = ledger.claim(other, now: .zero)
    #expect(ledger.finished(other, record(2, .failed, .imageMismatch), now: .zero) == .again(pause: .seconds(1), elsewhere: false))
  }

  @Test("In a rescue what became of a listed board says nothing about the one with the address before it")
  func neighboursOnAList() {
    let (first, second) = (BluetoothAddress(bits: 0xC0DE_0000_0001), BluetoothAddress(bits: 0xC0DE_0000_0002))
    let list = BoardList(entries: [.init(unitID: "U1", mac: first), .init(unitID: "U2", mac: second)]).inBootloaders
    var ledger = BatchLedger(bounds: BatchBounds(boards: list), limits: Self.limits, now: .zero)
    _ = ledger.claim(second, now: .zero)
    ledger.finished(second, record(second.bits, .passed, nil), now: .zero)
    #expect(ledger.endReason(now: .seconds(1)) == nil)
    #expect(ledger.missing == ["U1"])
  }

  @Test func aBoardThatIsHeardIsWaitedForLonger() {
    var ledger = BatchLedger(bounds: BatchBounds(count: 1), limits: Self.limits, now: .zero)
    let board = BluetoothAddress(bits: 1)
    _ = ledger.claim(board, now: .zero)
    ledger.finished(board, record(1, .failed, .linkLost), now: .zero)
    #expect(ledger.closeOverdue(now: .seconds(100)) { _ in .seconds(50) }.isEmpty)
    #expect(ledger.closeOverdue(now: .seconds(119)) { _ in .seconds(119) }.isEmpty)
    #expect(ledger.closeOverdue(now: .seconds(120)) { _ in .seconds(120) }.map(\.mac) == [board])
  }

  @Test func aBatchGoesOnWhereItWas() {
    var crashed = record(3, .aborted, .stationCrashed)
    crashed.leftAs = .unknown
    var final = record(4, .failed, .imageTooLarge)
    final.isFinal = true
    let earlier = [
      record(1, .passed, nil), record(2, .failed, .linkLost), crashed, final, record(5, .failed, .linkLost), record(5, .failed, .linkLost, attempt: 2),
    ]
    var ledger = BatchLedger(bounds: BatchBounds(count: 5), limits: Self.limits, earlier: earlier, now: .seconds(7))
    #expect([1, 4, 5].allSatisfy { ledger.isDone(BluetoothAddress(bits: $0)) })
    #expect(ledger.counts.judged == 4)
    #expect(ledger.counts.waiting == 2)
    #expect(ledger.lastAttempt(of: BluetoothAddress(bits: 3))?.failureCode == .stationCrashed)
    #expect(ledger.claim(BluetoothAddress(bits: 6), now: .seconds(7)) == nil, "five boards have their places")
    #expect(ledger.claim(BluetoothAddress(bits: 2), now: .seconds(7)) == 2)
    #expect(ledger.claim(BluetoothAddress(bits: 3), now: .seconds(7)) == 2)
    ledger.finished(BluetoothAddress(bits: 2), record(2, .passed, nil, attempt: 2), now: .seconds(8))
    ledger.finished(BluetoothAddress(bits: 3), record(3, .passed, nil, attempt: 2), now: .seconds(8))
    #expect(ledger.endReason(now: .seconds(8)) == .count)
    #expect(ledger.counts.outcomes == [.passed: 3, .failed: 2])
    #expect(ledger.exit == .notGood)
  }

  @Test("All columns of an attempt are kept while another may follow; of a board that is done only what the rules ask for")
  func remembersLittleOfABoardThatIsDone() {
    var ledger = BatchLedger(bounds: BatchBounds(), limits: Self.limits, now: .zero)
    for board in [1, 2, 3] as [UInt64] { _ = ledger.claim(BluetoothAddress(bits: board), now: .zero) }
    var lost = record(1, .failed, .imageTooLarge)
    lost.leftAs = .unknown
    lost.unitID = "U-1"
    ledger.finished(lost.mac, lost, now: .zero)
    ledger.finished(BluetoothAddress(bits: 2), record(2, .failed, .linkLost), now: .zero)
    ledger.finished(BluetoothAddress(bits: 3), record(3, .passed, nil), now: .zero)
    #expect(ledger.accounts.mapValues { $0.lastRecord != nil } == [lost.mac: false, BluetoothAddress(bits: 2): true, BluetoothAddress(bits: 3): false])
    #expect(ledger.leftElsewhere == [LeftBoard(mac: lost.mac, unitID: "U-1", leftAs: .unknown)])
    #expect(ledger.closeAll() == [record(2, .failed, .linkLost)])
    #expect(ledger.accounts.values.allSatisfy { $0.lastRecord == nil })
    #expect(ledger.lastAttempt(of: BluetoothAddress(bits: 2))?.failureCode == .linkLost)
  }

  @Test func aWithdrawnClaimLeavesNoTrace() {
    var ledger = BatchLedger(bounds: BatchBounds(count: 1), limits: Self.limits, now: .zero)
    let board = BluetoothAddress(bits: 1)
    #expect(ledger.claim(board, now: .zero) == 1)
    ledger.withdraw(board, now: .zero)
    #expect(ledger.claim(BluetoothAddress(bits: 2), now: .zero) == 1)
    ledger.finished(BluetoothAddress(bits: 2), record(2, .failed, .linkLost), now: .zero)
    #expect(ledger.claim(BluetoothAddress(bits: 2), now: .zero) == 2)
    ledger.withdraw(BluetoothAddress(bits: 2), now: .zero)
    #expect(ledger.claim(BluetoothAddress(bits: 2), now: .zero) == 2)
  }

  @Test func listedBoards() throws {
    let text = "unit_id,mac,serial_number\nU1,00:00:00:00:00:01,\nU2,,S2\nU3,00:00:00:00:00:03,\n"
    let list = try BoardList(bytes: Array(text.utf8), file: "b.csv")
    var ledger = BatchLedger(bounds: BatchBounds(boards: list), limits: Self.limits, now: .zero)
    #expect(ledger.missing == ["U1", "U2", "U3"])
    for board in [1, 2, 9] as [UInt64] { #expect(ledger.claim(BluetoothAddress(bits: board), now: .zero) == 1) }
    ledger.finished(BluetoothAddress(bits: 1), record(1, .passed, nil), now: .zero)
    ledger.finished(BluetoothAddress(bits: 2), record(2, .skipped, nil, serial: "S2"), now: .zero)
    ledger.finished(BluetoothAddress(bits: 9), record(9, .passed, nil), now: .zero)
    #expect(ledger.missing == ["U3"])
    #expect(ledger.endReason(now: .zero) == nil)
    #expect(ledger.exit == .notGood)
    _ = ledger.claim(BluetoothAddress(bits: 3), now: .zero)
    ledger.finished(BluetoothAddress(bits: 3), record(3, .passed, nil), now: .zero)
    #expect(ledger.endReason(now: .zero) == .boards)
    #expect(ledger.missing.isEmpty)
    #expect(ledger.exit == .good)
  }

  @Test func unlistedBoardsAreLeftAlone() throws {
    let list = try BoardList(bytes: Array("unit_id,mac,serial_number\nU1,00:00:00:00:00:01,\n".utf8), file: "b.csv")
    var ledger = BatchLedger(bounds: BatchBounds(boards: list), limits: Self.limits, now: .zero)
    #expect(ledger.claim(BluetoothAddress(bits: 2), now: .zero) == nil)
    #expect(ledger.claim(BluetoothAddress(bits: 2), refusal: true, now: .zero) == nil)
  }

  @Test func refusalsAreLimited() {
    var limits = Self.limits
    limits.refusals = 3
    var ledger = BatchLedger(bounds: BatchBounds(), limits: limits, now: .zero)
    let given = (1...10 as ClosedRange<UInt64>).filter { board in
      guard ledger.claim(BluetoothAddress(bits: board), refusal: true, now: .zero) != nil else { return false }
      ledger.finished(BluetoothAddress(bits: board), record(board, .refused, .identityPrivateAddress), now: .zero)
      return true
    }
    #expect(given == [1, 2, 3])
  }

  @Test func deadlinesAreTold() {
    let ledger = BatchLedger(bounds: BatchBounds(until: .seconds(90), idle: .seconds(30)), limits: Self.limits, now: .seconds(10))
    #expect(ledger.nextDeadline(after: .seconds(10)) == .seconds(40))
    #expect(ledger.nextDeadline(after: .seconds(40)) == .seconds(90))
    #expect(ledger.nextDeadline(after: .seconds(90)) == nil)
    #expect(BatchBounds(count: 1).idle == nil)
    #expect(BatchBounds().idle == .seconds(300))
  }
}
