import SMP
import Testing

@testable import Flashing

/// When somebody looks for overdue requests: never later than the first deadline, and not once for each request.
@Suite struct DeadlinesTests {
  private struct Echo {
    private var table = RequestTable()

    mutating func id() throws -> RequestID { try table.begin(EchoRequest.self).0 }
  }

  @Test func deadlinesInOrderNeedOneLook() throws {
    var (ids, deadlines) = (Echo(), Deadlines())
    let requests = try (0..<5).map { _ in try ids.id() }
    #expect(deadlines.add(requests[0], .seconds(10)) == .seconds(10))
    for (number, id) in requests.enumerated().dropFirst() { #expect(deadlines.add(id, .seconds(10 + number)) == nil) }
    // Three were answered meanwhile.
    for id in requests[0...2] { deadlines.remove(id) }
    let (overdue, next) = deadlines.look(at: .seconds(10))
    #expect(overdue.isEmpty)
    #expect(next == .seconds(13))
    let (late, last) = deadlines.look(at: .seconds(14))
    #expect(Set(late) == Set(requests[3...]))
    #expect(last == nil)
  }

  @Test func aShorterDeadlineIsLookedForEarlier() throws {
    var (ids, deadlines) = (Echo(), Deadlines())
    let (long, short) = (try ids.id(), try ids.id())
    #expect(deadlines.add(long, .seconds(40)) == .seconds(40))
    #expect(deadlines.add(short, .seconds(5)) == .seconds(5))
    let (overdue, next) = deadlines.look(at: .seconds(5))
    #expect(overdue == [short])
    // The look at 40 s that was asked for first may be over by then, or not: it is asked for again.
    #expect(next == .seconds(40))
    #expect(deadlines.look(at: .seconds(40)).overdue == [long])
  }

  @Test func aLookThatIsNoLongerTheNextChangesNothing() throws {
    var (ids, deadlines) = (Echo(), Deadlines())
    let (first, second) = (try ids.id(), try ids.id())
    _ = deadlines.add(first, .seconds(40))
    deadlines.remove(first)
    #expect(deadlines.look(at: .seconds(40)).next == nil)
    #expect(deadlines.add(second, .seconds(70)) == .seconds(70))
    let early = deadlines.look(at: .seconds(50))
    #expect(early.overdue.isEmpty && early.next == nil)
    #expect(deadlines.look(at: .seconds(70)).overdue == [second])
  }
}
