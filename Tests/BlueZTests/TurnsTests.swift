import Testing

@testable import BlueZ

struct TurnsTests {
  @Test("first come, first served, each adapter for itself")
  func order() {
    var turns = Turns()
    let step1 = turns.take("a", 1)
    #expect(step1)
    let step2 = turns.take("a", 2)
    #expect(!step2)
    let step3 = turns.take("a", 3)
    #expect(!step3)
    let step4 = turns.take("b", 4)
    #expect(step4)
    let step5 = turns.give("a", 1)
    #expect(step5 == 2)
    #expect(turns.holds("a", 2) && !turns.holds("a", 1))
    let step6 = turns.give("a", 2)
    #expect(step6 == 3)
    let step7 = turns.give("a", 3)
    #expect(step7 == nil)
    let step8 = turns.take("a", 5)
    #expect(step8)
  }

  @Test("who leaves the queue is not waited for")
  func leaving() {
    var turns = Turns()
    let step9 = turns.take("a", 1)
    #expect(step9)
    let step10 = turns.take("a", 2)
    #expect(!step10)
    let step11 = turns.take("a", 3)
    #expect(!step11)
    let step12 = turns.give("a", 2)
    #expect(step12 == nil)
    let step13 = turns.give("a", 1)
    #expect(step13 == 3)
    let step14 = turns.give("a", 9)
    #expect(step14 == nil, "a stranger gives nothing")
    #expect(turns.holds("a", 3))
  }
}
