/// What scripted faults make of an answer on its way out, the same in both protocols.
enum DFUAnswer {
  /// - Parameters:
  ///   - code: the op code that is answered; a fault's `command` may ask for it.
  ///   - stray: the notification that `strayAnswer` sends ahead.
  static func leave(_ bytes: [UInt8], _ code: UInt8, stray: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    var actions: [DFUAction] = [.notify(bytes)]
    for fault in faults.at(.answer, FaultScript.Event(command: code)) {
      switch fault.do {
      case .loseAnswer: return []
      case .duplicateAnswer: actions.append(.notify(bytes))
      case .delayAnswer: return [.wake(fault.duration, .late(bytes))]
      case .strayAnswer: actions.insert(.notify(stray), at: 0)
      default: break
      }
    }
    return actions
  }
}

enum Hexadecimal {
  /// Lower case, two digits a byte.
  static func text(_ bytes: some Sequence<UInt8>) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
