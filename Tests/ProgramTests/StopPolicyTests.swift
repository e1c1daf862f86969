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
    #expect(actions([.key("x"), .key("\n"), .key("s"), .key("d")]) == [.nothing, .nothing, .nothing, .drain])
  }

  @Test func aKeyPausesAndGoesOnAndSignalsSayWhich() {
    #expect(actions([.key("p"), .key("P"), .key("p")]) == [.pause, .resume, .pause])
    #expect(actions([.pause, .pause, .resume, .resume]) == [.pause, .nothing, .resume, .nothing])
    #expect(actions([.resume, .pause, .key("p")]) == [.nothing, .pause, .resume])
  }

  @Test func theCancelKeyIsOneInterruptAndNeverASecondOne() {
    #expect(actions([.key("q"), .key("q"), .key("Q"), .interrupt]) == [.stop, .nothing, .nothing, .leave])
    #expect(actions([.key("d"), .key("Q")]) == [.drain, .stop])
  }

  /// Boards in hand cannot be finished in a pause, so a drain ends it; a stop needs no resume.
  @Test func aPauseEndsWithADrainOrAStop() {
    #expect(actions([.pause, .key("d"), .key("p"), .key("p")]) == [.pause, .drain, .pause, .resume])
    #expect(actions([.pause, .hangUp, .resume]) == [.pause, .drain, .nothing])
    #expect(actions([.pause, .interrupt, .resume, .key("p"), .pause]) == [.pause, .stop, .nothing, .nothing, .nothing])
  }
}
