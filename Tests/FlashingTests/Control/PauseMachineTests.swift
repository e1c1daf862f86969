import Testing

@testable import Flashing

/// The pause as a machine: every input in every state.
@Suite struct PauseMachineTests {
  enum Input: Sendable {
    case pause(Int)
    case resume(Int)
    case end(Int)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var inputs: [Input]
    var isPaused = false
    var isEnded = false
    /// What the working clock shows at 100 s.
    var working: Int
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "fresh", inputs: [], working: 100),
    Row(name: "paused", inputs: [.pause(10)], isPaused: true, working: 10),
    Row(name: "paused twice", inputs: [.pause(10), .pause(20)], isPaused: true, working: 10),
    Row(name: "resumed", inputs: [.pause(10), .resume(40)], working: 70),
    Row(name: "resumed twice", inputs: [.pause(10), .resume(40), .resume(50)], working: 70),
    Row(name: "resumed without a pause", inputs: [.resume(40)], working: 100),
    Row(name: "two pauses", inputs: [.pause(10), .resume(40), .pause(50), .resume(55)], working: 65),
    Row(name: "cancelled", inputs: [.end(10)], isEnded: true, working: 100),
    Row(name: "cancelled in a pause", inputs: [.pause(10), .end(30)], isEnded: true, working: 80),
    Row(name: "nothing takes a cancel back", inputs: [.end(10), .pause(20), .resume(30), .end(40)], isEnded: true, working: 100),
  ]

  @Test(arguments: rows) func states(_ row: Row) {
    var machine = PauseMachine()
    for input in row.inputs {
      switch input {
      case .pause(let time): _ = machine.pause(at: .seconds(time))
      case .resume(let time): _ = machine.resume(at: .seconds(time))
      case .end(let time): _ = machine.end(at: .seconds(time))
      }
    }
    #expect((machine.pausedSince != nil) == row.isPaused)
    #expect(machine.isEnded == row.isEnded)
    #expect(machine.workingTime(.seconds(100)) == .seconds(row.working))
  }

  /// Whoever waits is told at once where it need not, and by the change that it waits for otherwise.
  @Test func waiting() {
    var machine = PauseMachine()
    says(machine.wait(1, for: .passage), .goOn(1))
    says(machine.wait(2, for: .pause), nil)
    says(machine.wait(3, for: .end), nil)
    says(machine.pause(at: .seconds(1)), [.goOn(2)])
    says(machine.wait(4, for: .pause), .goOn(4))
    says(machine.wait(5, for: .passage), nil)
    says(machine.wait(6, for: .passage), nil)
    says(machine.resume(at: .seconds(2)), [.goOn(5), .goOn(6)])
    says(machine.resume(at: .seconds(2)), [])
    says(machine.wait(7, for: .pause), nil)
    says(machine.pause(at: .seconds(3)), [.goOn(7)])
    says(machine.wait(8, for: .passage), nil)
    says(machine.end(at: .seconds(4)), [.goOn(3), .giveUp(8)])
    says(machine.wait(9, for: .passage), .giveUp(9))
    says(machine.wait(10, for: .pause), .giveUp(10))
    says(machine.wait(11, for: .end), .goOn(11))
  }

  /// A task may be cancelled before it waits, while it waits, and after it was let go.
  @Test func abandoning() {
    var machine = PauseMachine()
    _ = machine.pause(at: .zero)
    says(machine.wait(1, for: .passage), nil)
    says(machine.abandon(1), .giveUp(1))
    says(machine.abandon(2), nil)
    says(machine.wait(2, for: .passage), .giveUp(2))
    says(machine.wait(3, for: .passage), nil)
    says(machine.resume(at: .zero), [.goOn(3)])
    says(machine.abandon(3), nil)
    machine.forget(3)
    says(machine.wait(3, for: .passage), .goOn(3))
  }

  // Arguments, because `#expect` cannot call what changes a value.
  private func says(_ action: PauseMachine.Action?, _ wanted: PauseMachine.Action?, at location: SourceLocation = #_sourceLocation) {
    #expect(action == wanted, sourceLocation: location)
  }

  private func says(_ actions: [PauseMachine.Action], _ wanted: [PauseMachine.Action], at location: SourceLocation = #_sourceLocation) {
    #expect(actions == wanted, sourceLocation: location)
  }
}
