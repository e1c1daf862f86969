import Testing

@testable import DBus

struct CallLedgerTests {
  @Test("places are given in order, and given on when a call ends")
  func places() {
    var ledger = CallLedger(outstandingLimit: 2, waitingLimit: 2)
    let submitted = (1...5).map { ledger.submit($0) }
    #expect(submitted == [.send(1), .send(2), .wait, .wait, .refuse])
    ledger.sent(1, serial: 11)
    ledger.sent(2, serial: 12)
    #expect(ledger.call(answeredBy: 12) == 2)
    let afterTwo = ledger.remove(2)
    #expect(afterTwo == .send(3))
    #expect(ledger.call(answeredBy: 12) == nil, "a second answer belongs to nobody")
    let afterFour = ledger.remove(4)
    #expect(afterFour == nil, "it only waited")
    let refilled = ledger.submit(6)
    #expect(refilled == .wait)
    let afterOne = ledger.remove(1)
    #expect(afterOne == .send(6), "the one that left the queue is skipped")
    #expect(ledger.open == [3, 6])
    let last = [ledger.remove(3), ledger.remove(6), ledger.remove(6)]
    #expect(last == [nil, nil, nil] && ledger.open.isEmpty)
  }

  @Test("a call that ends before it has a number gives its place back")
  func unnumbered() {
    var ledger = CallLedger(outstandingLimit: 1, waitingLimit: 1)
    _ = ledger.submit(1)
    _ = ledger.submit(2)
    let next = ledger.remove(1)
    #expect(next == .send(2))
    ledger.sent(1, serial: 11)
    #expect(ledger.call(answeredBy: 11) == nil)
  }

  @Test("ten thousand calls through two places: each is sent once, in order")
  func many() {
    var ledger = CallLedger(outstandingLimit: 2, waitingLimit: 100)
    var sent: [UInt64] = []
    var next: UInt64 = 1
    func note(_ action: CallLedger.Action?) { if case .send(let id) = action { sent.append(id) } }
    while next <= 100 {
      note(ledger.submit(next))
      next += 1
    }
    while sent.count < 10_000 {
      note(ledger.remove(sent[sent.count - 2]))
      note(ledger.submit(next))
      next += 1
    }
    #expect(sent == Array(1...UInt64(sent.count)))
  }
}
