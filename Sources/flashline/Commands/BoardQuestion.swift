import BlueZ
import Bluetooth
import Flashing
import Reactor
import Station

/// A link to one board for a command that asks it something, closed after it.
///
/// It holds the lock of the station's database meanwhile, as a job does: adapters and boards of a running job are left alone.
struct BoardQuestion: Sendable {
  let address: BluetoothAddress
  let configuration: StationConfiguration
  /// As `--adapter` names it; nil: whichever hears the board first.
  let adapter: String?
  let pairing: PairingMethod?
  /// For the board to be heard; nil: the usual time.
  let hearing: Duration?

  /// Runs `body` with the link. Throws `ProgramError`, `SMPClientError` for what is the board's or its link's, `CancellationError`, and what `body` throws.
  func ask<Answer: Sendable>(_ body: (any GATTLink, Timekeeper) async throws -> Answer) async throws -> Answer {
    let lock = try RecordsAccess.jobLock(configuration)
    defer { withExtendedLifetime(lock) {} }
    let stack = try await RadioStack.open(on: RadioStack.makeReactor())
    let outcome: Result<Answer, any Error>
    do {
      outcome = .success(try await ask(over: stack, body))
    } catch let error as CentralError {
      outcome = .failure(SMPClientError.link(error))
    } catch {
      outcome = .failure(error)
    }
    await stack.close()
    return try outcome.get()
  }

  private func ask<Answer: Sendable>(over stack: RadioStack, _ body: (any GATTLink, Timekeeper) async throws -> Answer) async throws -> Answer {
    let adapters = try usable(await stack.adapters(configuration.adapters, limit: AdaptersCommand.limit))
    for adapter in adapters { try await stack.central.prepare(adapter, radio: configuration.adapters.radio) }
    let time = Timekeeper(ReactorClock(on: stack.reactor), wall: { WallClock.now })
    var limits = LinkOpener.Limits()
    if let hearing { limits.hearing = hearing }
    let opener = LinkOpener(central: stack.central, adapters: adapters, pairing: pairing, limits: limits, time: time)
    return try await withTaskExecutorPreference(stack.reactor) {
      try await opener.withLink(to: address) { link in try await body(link, time) }
    }
  }

  /// The adapters that may connect to the board.
  private func usable(_ all: [LineAdapter]) throws(ProgramError) -> [AdapterHandle] {
    guard let adapter else {
      let handles = all.filter(\.isUsable).compactMap(\.handle)
      guard !handles.isEmpty else { throw AdapterReport(adapters: all).noneUsable }
      return handles
    }
    let selector = AdapterSelector(adapter)
    let meant = all.filter {
      $0.label == adapter || "hci\($0.hardware.hciIndex)" == adapter || selector?.names($0.hardware, address: $0.handle?.address) == true
    }
    guard !meant.isEmpty else { throw .usage("there is no adapter \(adapter.shown)", "flashline adapters lists them") }
    let handles = meant.filter(\.isUsable).compactMap(\.handle)
    guard !handles.isEmpty else {
      throw .fault("the adapter \(adapter.shown) cannot be used", meant.first?.reason.map { "\($0.escaped(limit: 200))" } ?? "see flashline adapters")
    }
    return handles
  }
}

extension ProgramError {
  /// What is the board's fault is exit 1, what is the station's exit 3.
  init(_ error: SMPClientError, at address: BluetoothAddress, remedy: String) {
    var (exit, code, remedy): (Int32, FailureCode?, String) = (ExitStatus.notGood, nil, remedy)
    switch error {
    case .link(.adapterGone): (exit, code, remedy) = (ExitStatus.fault, .adapterRemoved, "see flashline adapters")
    case .link(.stackGone): (exit, code, remedy) = (ExitStatus.fault, .busGone, "see flashline adapters")
    default: break
    }
    self.init(exit: exit, text: "\(address): \(error.description.escaped(limit: 500)): \(remedy)", code: code)
  }

  /// What no command expects of a board's answer.
  static func unexpected(_ error: any Error, at address: BluetoothAddress) -> ProgramError {
    .fault("\(address): unexpected: \("\(error)".escaped(limit: 300))", "report this as a defect of Flashline")
  }
}
