import BlueZ
import Bluetooth
import Flashing
import FoundationEssentials
import Reactor
import Records
import SMP
import Station

/// `smp`: one question to one board, over a link that is made for it and closed after it.
///
/// It holds the lock of the station's database while it works, as a job does: adapters and boards of a running job are left alone.
struct SMPCommand {
  let address: BluetoothAddress
  let order: SMPOrder
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    var pairing: PairingMethod?
    if let asked = order.profile { pairing = try JobPreparation.profile(asked, configuration).pairing }
    let (console, order, address) = (loop.console, order, address)
    let method = pairing
    return loop.run { stop in
      do throws(ProgramError) {
        if case .upload(let file, _) = order.action { _ = try await LocalFile.read(file) }
        let lock = try Self.lock(configuration)
        defer { withExtendedLifetime(lock) {} }
        let reactor = try RadioStack.makeReactor()
        let stack = try await RadioStack.open(on: reactor)
        let outcome: Result<Int32, ProgramError>
        do throws(ProgramError) {
          let known = await stack.adapters(configuration.adapters, limit: AdaptersCommand.limit)
          let adapters = try Self.adapters(order.adapter, known)
          outcome = .success(try await Self.ask(address, order, method, adapters, configuration.adapters.radio, stack, console))
        } catch {
          outcome = .failure(error)
        }
        await stack.close()
        if stop.isStopping { return ExitStatus.stopped }
        return try outcome.get()
      } catch {
        if stop.isStopping { return ExitStatus.stopped }
        console.problem(error)
        return error.exit
      }
    }
  }

  /// A database that has no folder yet has no job either.
  static func lock(_ configuration: StationConfiguration) throws(ProgramError) -> StationLock? {
    let folder = URL(filePath: configuration.database).deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: folder) else { return nil }
    do throws(RecordError) {
      return try StationLock(database: configuration.database)
    } catch {
      throw ProgramError(error)
    }
  }

  /// The adapters that may connect to the board.
  static func adapters(_ asked: String?, _ all: [LineAdapter]) throws(ProgramError) -> [AdapterHandle] {
    let usable = all.filter(\.isUsable)
    guard let asked else {
      let handles = usable.compactMap(\.handle)
      guard !handles.isEmpty else { throw AdapterReport(adapters: all).noneUsable }
      return handles
    }
    let selector = AdapterSelector(asked)
    func isMeant(_ adapter: LineAdapter) -> Bool {
      adapter.label == asked || "hci\(adapter.hardware.hciIndex)" == asked || selector?.names(adapter.hardware, address: adapter.handle?.address) == true
    }
    let meant = all.filter(isMeant)
    guard !meant.isEmpty else { throw .usage("there is no adapter \(asked.shown)", "flashline adapters lists them") }
    let handles = meant.filter(\.isUsable).compactMap(\.handle)
    guard !handles.isEmpty else {
      throw .fault("the adapter \(asked.shown) cannot be used", meant.first?.reason.map { "\($0.escaped(limit: 200))" } ?? "see flashline adapters")
    }
    return handles
  }

  private static func ask(
    _ address: BluetoothAddress, _ order: SMPOrder, _ pairing: PairingMethod?, _ adapters: [AdapterHandle], _ radio: RadioParameters, _ stack: RadioStack,
    _ console: Console
  ) async throws(ProgramError) -> Int32 {
    let head: [JSONText.Member] = [.init("mac", .text(address.description)), .init("group", .text(order.group)), .init("command", .text(order.command))]
    do {
      let report = try await exchange(address, order, pairing, adapters, radio, stack)
      if console.isJSON { console.document(.object(head + report.members)) } else { console.say(report.lines) }
      return report.isGood ? ExitStatus.good : ExitStatus.notGood
    } catch let error as ProgramError {
      throw error
    } catch let error as SMPClientError {
      if console.isJSON { console.document(.object(head + [.init("error", error.json)])) }
      throw ProgramError(error, at: address, order)
    } catch {
      throw .fault("\(address): unexpected: \("\(error)".escaped(limit: 300))", "report this as a defect of Flashline")
    }
  }

  private static func exchange(
    _ address: BluetoothAddress, _ order: SMPOrder, _ pairing: PairingMethod?, _ adapters: [AdapterHandle], _ radio: RadioParameters, _ stack: RadioStack
  ) async throws -> SMPReport {
    let limit = order.seconds.map { Duration.seconds($0) }
    let time = Timekeeper(ReactorClock(on: stack.reactor), wall: { WallClock.now })
    do throws(CentralError) {
      for adapter in adapters { try await stack.central.prepare(adapter, radio: radio) }
    } catch {
      throw SMPClientError.link(error)
    }
    var limits = LinkOpener.Limits()
    if let limit { limits.hearing = limit }
    let opener = LinkOpener(central: stack.central, adapters: adapters, pairing: pairing, limits: limits, time: time)
    return try await withTaskExecutorPreference(stack.reactor) {
      try await opener.withLink(to: address) { link in
        try await SMPClient.connected(over: link, time: time) { client in
          try await SMPExchange(client: client, limit: limit).run(order.action)
        }
      }
    }
  }
}

extension SMPClientError {
  /// For programs: the group's error with its name, or what else went wrong.
  var json: JSONText {
    .object([
      .init("group", .of(refusal?.group?.description)), .init("name", .of(refusal?.name)), .init("rc", .of(refusal?.code)),
      .init("unsupported", .bool(refusal?.isUnsupported == true)), .init("message", .text(description)),
    ])
  }

  /// What the operator can do about it.
  fileprivate func remedy(_ order: SMPOrder) -> String {
    switch self {
    case .notHeard: "check its power and distance, and that nothing else is connected to it; --seconds waits longer"
    case .link(.notPermitted): "the board wants to be paired: name a profile with pairing (--profile P)"
    case .link(.attributeMissing): "the board has no SMP service: is it in its bootloader?"
    case .link(.adapterGone), .link(.stackGone): "see flashline adapters"
    case .link, .linkLost: "check the board's power and distance, and try again"
    case .silent: "try again; --seconds waits longer"
    case .malformed: "the board's firmware and Flashline do not understand each other here"
    case .requestTooLong: "ask with a shorter text"
    case .file(.nameMissing), .file(.fileTooLong), .file(.requestTooSmall): "choose another file or name"
    case .file(.lengthMismatch), .file(.hashMismatch): "send it again; if that does not help, look at the board's storage"
    case _ where refusal?.isUnsupported == true: "its firmware must be built with this command (\(order.group) \(order.command))"
    case _ where refusal?.isBusy == true: order.group == "os" && order.command == "reset" ? "try again later, or os reset force" : "try again later"
    case .file: "try again: what the board has already is not sent again"
    case .refused: "flashline smp --help tells what the command takes"
    }
  }
}

extension ProgramError {
  /// The board's fault is exit 1, the station's exit 3.
  fileprivate init(_ error: SMPClientError, at address: BluetoothAddress, _ order: SMPOrder) {
    var exit = ExitStatus.notGood
    var code: FailureCode?
    switch error {
    case .link(.adapterGone): (exit, code) = (ExitStatus.fault, .adapterRemoved)
    case .link(.stackGone): (exit, code) = (ExitStatus.fault, .busGone)
    default: break
    }
    self.init(exit: exit, text: "\(address): \(error.description.escaped(limit: 500)): \(error.remedy(order))", code: code)
  }
}
