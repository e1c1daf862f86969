import Bluetooth
import Catalogue
import Cloud
import Flashing
import Station

/// `ota`: the latest release for a board or for values, and its artefact.
struct OTACommand {
  let request: OTARequest
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    var profile: BoardProfile?
    if let asked = request.profile { profile = try JobPreparation.profile(asked, configuration) }
    let cloud = CloudAccess(configuration)
    // Before a board is connected: what is wrong with the station's own key is wrong whatever the board says.
    let key = request.takesBoardKey ? nil : try cloud.key()
    guard key != nil || request.address != nil else { throw ProgramError(OTAError.noKey) }
    try MemoryDumps.forbid()
    let work = OTAWork(request: request, configuration: configuration, profile: profile, cloud: cloud, key: key, console: loop.console)
    return loop.run { stop in
      var report = OTAReport(work.request, server: configuration.cloud.releases)
      do throws(ProgramError) {
        try await work.run(&report)
      } catch {
        if stop.isStopping { return ExitStatus.stopped }
        report.failure = error
      }
      if stop.isStopping { return ExitStatus.stopped }
      let console = work.console
      if console.isJSON { console.document(report.json) } else { console.say(console.isQuiet ? [] : report.lines) }
      if let problem = report.problem { console.problem(problem) }
      return report.exit
    }
  }
}

/// The steps of `ota`, each of which adds to the report.
struct OTAWork: Sendable {
  let request: OTARequest
  let configuration: StationConfiguration
  let profile: BoardProfile?
  let cloud: CloudAccess
  /// The file's; nil: the board's.
  let key: ProjectKey?
  let console: Console

  func run(_ report: inout OTAReport) async throws(ProgramError) {
    report.values = request.values
    var key = key
    if let address = request.address {
      let told = try await ask(address, wantsKey: key == nil)
      for field in ReleaseValues.Field.allCases {
        if let value = told.values[field] { report.values.offer(value.text, as: field, from: value.origin) }
      }
      if key == nil { key = told.key }
      report.hasBoardKey = self.key == nil && key != nil
    }
    offerProfile(&report.values)
    guard let key else {
      throw .usage("the board tells no project key, and none is in a file", "set [cloud] project_key_file in station.conf")
    }
    do throws(OTAError) {
      let query = try report.values.query()
      report.answer = try await cloud.server(key).latest(query).map { .release($0) } ?? .nothing
      try await takeArtefact(query, &report)
    } catch {
      throw ProgramError(error)
    }
  }

  private func offerProfile(_ values: inout ReleaseValues) {
    let rules = profile?.firmware.release
    values.offer(rules?.hardwareVersion, as: .hardwareVersion, from: .profile)
    values.offer(rules?.softwareType, as: .softwareType, from: .profile)
    guard request.address == nil else { return }
    values.offer(rules?.deviceSerial, as: .serial, from: .profile)
    values.offer(configuration.id, as: .serial, from: .station)
  }

  /// `check` leaves a choice among several open; `fetch` needs one.
  private func takeArtefact(_ query: ReleaseQuery, _ report: inout OTAReport) async throws(OTAError) {
    guard case .release(let release) = report.answer else { return }
    let wish = request.artefact ?? profile?.firmware.release.artefact
    do throws(OTAError) {
      report.artefact = try release.artefact(named: wish, hardwareVersion: query.hardwareVersion)
    } catch {
      if case .ambiguous = error, request.action == .check, wish == nil { return }
      throw error
    }
    guard request.action == .fetch, let artefact = report.artefact else { return }
    report.path = try await cloud.store.fetch(artefact)
    guard let sha256 = artefact.sha256 else { throw .noDigest }
    let question = ArtefactPin.Question(hardwareVersion: query.hardwareVersion, softwareType: query.softwareType, serial: query.serial, artefact: wish)
    try cloud.store.keep(ArtefactPin(sha256: sha256, name: artefact.shownName, version: release.version, question: question))
    guard let output = request.output else { return }
    try await cloud.store.copy(sha256, to: output)
    report.output = output
  }

  // MARK: the board

  private func ask(_ address: BluetoothAddress, wantsKey: Bool) async throws(ProgramError) -> BoardTold {
    let question = BoardQuestion(
      address: address, configuration: configuration, adapter: request.adapter, pairing: profile?.pairing,
      hearing: request.seconds.map { .seconds($0) })
    do {
      return try await question.ask { link, time in try await BoardTold.read(over: link, wantsKey: wantsKey, time: time) }
    } catch let error as ProgramError {
      throw error
    } catch let error as SMPClientError {
      throw ProgramError(error, at: address, remedy: Self.remedy(error))
    } catch is CancellationError {
      throw ProgramError(OTAError.transport(.cancelled))
    } catch {
      throw .unexpected(error, at: address)
    }
  }

  private static func remedy(_ error: SMPClientError) -> String {
    switch error {
    case .notHeard: "check its power and distance, and that nothing else is connected to it; --seconds waits longer"
    case .link(.notPermitted): "name a profile with pairing (--profile P), or give the values as options"
    default: "check the board's power and distance, and try again, or give the values as options"
    }
  }
}
