import Testing

@testable import flashline

/// Signals and keys in the order of contract §2 ("Stop").
@Suite struct StopPolicyTests {
  private func actions(_ inputs: [StopPolicy.Input]) -> [StopPolicy.Action] {
    var policy = StopPolicy()
    return inputs.map { policy.receive($0) }
  }

  @Test func theFirstInterruptStopsTheSecondLeaves() {
    #expect(actions([.interrupt, .interrupt]) == [.stop, .leave])
  }

  @Test func aHangUpOrAKeyDrainsOnceAndAStopMayFollow() {
    #expect(actions([.hangUp, .hangUp, .interrupt, .interrupt]) == [.drain, .nothing, .stop, .leave])
    #expect(actions([.key("d"), .key("d"), .interrupt]) == [.drain, .nothing, .stop])
    #expect(actions([.key("D")]) == [.drain])
  }

  @Test func nothingUndoesAStop() {
    #expect(actions([.interrupt, .hangUp, .key("d"), .interrupt]) == [.stop, .nothing, .nothing, .leave])
  }

  @Test func otherKeysDoNothing() {
    #expect(actions([.key("x"), .key("\n"), .key("q"), .key("d")]) == [.nothing, .nothing, .nothing, .drain])
  }
}
