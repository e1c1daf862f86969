import Bluetooth

/// An SMP board's diagnostics beside its SMP server: a service, a characteristic that notifies, and a stream of chunks on the same link.
extension VirtualBoard {
  /// There is none in a firmware loader.
  var hasDiagnostics: Bool { diagnostics != nil && !flash.isInLoader }

  mutating func writeDiagnostics(_ value: [UInt8]) -> [BoardAction] {
    guard hasDiagnostics, let (error, actions) = withDiagnostics({ $0.write(value, &$1) }) else {
      return [.respond(DiagnosticAttributes.Failure.writeNotPermitted)]
    }
    return [.respond(error)] + act(actions)
  }

  mutating func subscribeDiagnostics(_ on: Bool) -> UInt8? { withDiagnostics { $0.subscribe(on, &$1) } ?? nil }

  mutating func diagnosticsDelivered(kept: Bool) -> [BoardAction] { act(withDiagnostics { $0.delivered(kept: kept, &$1) } ?? []) }

  mutating func pollDiagnostics() -> [BoardAction] { act(withDiagnostics { $0.poll(&$1) } ?? []) }

  private mutating func withDiagnostics<Result>(_ body: (inout DiagnosticService, inout FaultScript) -> Result) -> Result? {
    guard var service = diagnostics else { return nil }
    let result = body(&service, &faults)
    diagnostics = service
    return result
  }

  private mutating func act(_ actions: [DiagnosticService.Action]) -> [BoardAction] {
    actions.flatMap { action -> [BoardAction] in
      switch action {
      case .send(let value): [.notify(value, from: DiagnosticAttributes.dataExport)]
      case .poll(let delay): [wake(delay, .poll)]
      case .dropLink: endLink(.lost)
      }
    }
  }
}
