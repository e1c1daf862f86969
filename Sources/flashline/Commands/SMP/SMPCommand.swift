import Bluetooth
import Flashing
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
    let limit = order.seconds.map { Duration.seconds($0) }
    let question = BoardQuestion(address: address, configuration: configuration, adapter: order.adapter, pairing: pairing, hearing: limit)
    return loop.run { stop in
      do throws(ProgramError) {
        if case .upload(let file, _) = order.action { _ = try await LocalFile.read(file) }
        let exit = try await Self.ask(question, order, limit, console)
        return stop.isStopping ? ExitStatus.stopped : exit
      } catch {
        if stop.isStopping { return ExitStatus.stopped }
        console.problem(error)
        return error.exit
      }
    }
  }

  private static func ask(
    _ question: BoardQuestion, _ order: SMPOrder, _ limit: Duration?, _ console: Console
  ) async throws(ProgramError) -> Int32 {
    let address = question.address
    let head: [JSONText.Member] = [.init("mac", .text(address.description)), .init("group", .text(order.group)), .init("command", .text(order.command))]
    do {
      let report = try await question.ask { link, time in
        try await SMPClient.connected(over: link, time: time) { client in try await SMPExchange(client: client, limit: limit).run(order.action) }
      }
      if console.isJSON { console.document(.object(head + report.members)) } else { console.say(report.lines) }
      return report.isGood ? ExitStatus.good : ExitStatus.notGood
    } catch let error as ProgramError {
      throw error
    } catch let error as SMPClientError {
      if console.isJSON { console.document(.object(head + [.init("error", error.json)])) }
      throw ProgramError(error, at: address, remedy: error.remedy(order))
    } catch {
      throw .unexpected(error, at: address)
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
