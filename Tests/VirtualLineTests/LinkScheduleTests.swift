import Testing

@testable import VirtualLine

/// The air by a turned clock. Source of the speeds: bluez.md §4, "limits of the model, ATT write commands, MTU 498".
struct LinkScheduleTests {
  private func radio(_ interval: Double, _ phy: RadioParameters.PHY, dataLength: Int = 251) -> RadioParameters {
    var radio = RadioParameters()
    radio.intervalMilliseconds = interval
    radio.phy = phy
    radio.dataLength = dataLength
    return radio
  }

  @Test(arguments: [
    (7.5, RadioParameters.PHY.le2M, 165.0), (15, .le2M, 165), (30, .le2M, 173.2), (50, .le2M, 173), (7.5, .le1M, 99), (15, .le1M, 99), (50, .le1M, 99),
  ])
  func speed(_ interval: Double, _ phy: RadioParameters.PHY, _ expected: Double) {
    let radio = radio(interval, phy)
    var link = LinkSchedule(radio: radio, start: .zero)
    let packets = 2000
    for _ in 0..<packets { link.write([UInt8](repeating: 1, count: 495)) }
    var (now, arrived) = (Duration.zero, 0)
    while let next = link.nextEvent(after: now) {
      now = next
      arrived += link.run(until: now).atBoard.count
    }
    #expect(arrived == packets)
    let speed = Double(packets * 495) / 1000 / (now / .seconds(1))
    #expect(abs(speed - expected) / expected < 0.02, "\(speed) kB/s")
  }

  @Test func anIdleLinkWantsNoTimer() {
    var link = LinkSchedule(radio: radio(15, .le2M), start: .zero)
    #expect(link.nextEvent(after: .seconds(1)) == nil)
    link.skip(until: .milliseconds(1001))
    link.write([1])
    #expect(link.nextEvent(after: .milliseconds(1001)) == .milliseconds(1005))
    // Events that have passed before the packet came carry nothing.
    #expect(link.run(until: .milliseconds(1004)).atBoard.isEmpty)
    #expect(link.run(until: .milliseconds(1005)).atBoard == [[1]])
  }

  @Test func bothDirectionsShareAnEvent() {
    var link = LinkSchedule(radio: radio(15, .le2M), start: .zero)
    for number in 0..<6 {
      link.write([UInt8](repeating: UInt8(number), count: 495))
      link.notify([UInt8(number)])
    }
    let first = link.run(until: .milliseconds(15))
    // Event 0 at 0 ms and event 1 at 15 ms.
    #expect(first.atCentral.map { $0[0] } == [0, 1, 2, 3, 4, 5])
    #expect(first.atBoard.map { $0[0] } == [0, 1, 2, 3, 4, 5])
  }

  @Test func aLateHostMakesUpForSomeEventsOnly() {
    let radio = radio(15, .le2M)
    var link = LinkSchedule(radio: radio, start: .zero)
    for _ in 0..<1000 { link.write([UInt8](repeating: 1, count: 495)) }
    // 1000 events have passed; five packets each.
    #expect(link.run(until: .seconds(15)).atBoard.count == LinkSchedule.mostLateEvents * 5)
  }

  @Test func theQueueHasAnEnd() {
    var link = LinkSchedule(radio: radio(4000, .le2M), start: .zero)
    for _ in 0..<(LinkSchedule.mostQueued + 10) { link.write([0]) }
    var arrived = 0
    var now = Duration.zero
    while let next = link.nextEvent(after: now) {
      now = next
      arrived += link.run(until: now).atBoard.count
    }
    #expect(arrived == LinkSchedule.mostQueued)
  }

  @Test func shortPacketsWithoutDataLengthExtension() {
    // bluez.md §2: 27-byte packets on 2M carry 40.3 kB/s of 20-byte writes.
    var link = LinkSchedule(radio: radio(50, .le2M, dataLength: 27), start: .zero)
    for _ in 0..<4000 { link.write([UInt8](repeating: 1, count: 20)) }
    var now = Duration.zero
    while let next = link.nextEvent(after: now) {
      now = next
      _ = link.run(until: now)
    }
    #expect(abs(80 / (now / .seconds(1)) - 40.3) < 0.8)
  }
}
