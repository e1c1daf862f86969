import Cloud
import Flashing
import Records
import Station

/// `[firmware] source = ota`: settles, before a batch begins, which artefact each such profile gets, and has it on this computer.
///
/// What is decided when stands in `ReleaseChoice`; here it is done. Afterwards the job works offline.
struct ReleasePreparation: Sendable {
  let request: JobRequest
  let job: JobKind
  let configuration: StationConfiguration
  let console: Console
  let stopSwitch: StopSwitch

  /// Sets each profile's package, and returns what records call it, by the profile's name. `--package` goes before a release.
  func settle(_ profiles: inout [BoardProfile]) async throws(ProgramError) -> [String: String] {
    guard request.package == nil, profiles.contains(where: { $0.firmware.source == .ota }) else { return [:] }
    let asked = profiles
    let found = try await untilStopped { () throws(ProgramError) in try await settle(asked) }
    var names: [String: String] = [:]
    for index in profiles.indices {
      guard let artefact = found[profiles[index].name] else { continue }
      profiles[index].firmware.package = artefact.path
      // The preflight check reads the file again: what is flashed is what was settled.
      profiles[index].firmware.sha256 = artefact.sha256
      names[profiles[index].name] = artefact.name
    }
    return names
  }

  private struct Settled: Sendable {
    var path: String
    var sha256: String
    var name: String
  }

  private func settle(_ profiles: [BoardProfile]) async throws(ProgramError) -> [String: Settled] {
    let cloud = CloudAccess(configuration)
    let unfinished = try await unfinished(profiles)
    var settled: [String: Settled] = [:]
    for profile in profiles where profile.firmware.source == .ota {
      do throws(OTAError) {
        settled[profile.name] = try await settle(profile, unfinished[profile.name], cloud)
      } catch {
        var failure = ProgramError(error, file: profile.file)
        // For a job a bad release is a bad package: nothing was touched.
        if failure.exit == ExitStatus.notGood { failure.exit = ExitStatus.usage }
        throw failure
      }
    }
    return settled
  }

  /// The packages of the batch that would go on, by profile. They stand there in the order of the profiles' names.
  private func unfinished(_ profiles: [BoardProfile]) async throws(ProgramError) -> [String: String] {
    guard !request.startsNew else { return [:] }
    let names = profiles.map(\.name).sorted()
    let key = BatchKey(job: job, profiles: names, packages: [], lot: request.lot, workOrder: request.workOrder)
    do throws(RecordError) {
      guard let packages = try await RecordReader.unfinishedPackages(configuration.database, key), packages.count == names.count else { return [:] }
      return Dictionary(zip(names, packages)) { first, _ in first }
    } catch {
      throw ProgramError(error)
    }
  }

  private func settle(_ profile: BoardProfile, _ unfinished: String?, _ cloud: CloudAccess) async throws(OTAError) -> Settled {
    let rules = profile.firmware.release
    var values = ReleaseValues()
    values.offer(rules.hardwareVersion, as: .hardwareVersion, from: .profile)
    values.offer(rules.softwareType, as: .softwareType, from: .profile)
    values.offer(rules.deviceSerial, as: .serial, from: .profile)
    values.offer(configuration.id, as: .serial, from: .station)
    let query = try values.query()
    let question = ArtefactPin.Question(
      hardwareVersion: query.hardwareVersion, softwareType: query.softwareType, serial: query.serial, artefact: rules.artefact)
    var choice = ReleaseChoice(
      wanted: profile.firmware.sha256, unfinished: unfinished, artefact: rules.artefact, hardwareVersion: query.hardwareVersion)
    var action = choice.begin()
    while true {
      switch action {
      case .look(let sha256):
        action = choice.found(cloud.store.pin(of: sha256, for: question), isWhole: try await cloud.store.isWhole(sha256))
      case .ask:
        guard let key = try key(cloud) else { throw .noKey }
        action = choice.answered(try await cloud.server(key).latest(query))
      case .use(let sha256, let pin):
        let name = pin?.name ?? "artefact \(sha256.prefix(12))"
        say(profile, pin?.version, name, "is here: the server is not asked")
        return Settled(path: cloud.store.path(of: sha256), sha256: sha256, name: name)
      case .fetch(let artefact, let version):
        let path = try await cloud.store.fetch(artefact)
        guard let sha256 = artefact.sha256 else { throw .noDigest }
        try cloud.store.keep(ArtefactPin(sha256: sha256, name: artefact.shownName, version: version, question: question))
        say(profile, version, artefact.shownName, "is the latest")
        return Settled(path: path, sha256: sha256, name: artefact.shownName)
      case .refuse(let error): throw error
      }
    }
  }

  private func key(_ cloud: CloudAccess) throws(OTAError) -> ProjectKey? {
    guard let file = cloud.rules.projectKeyFile else { return nil }
    do throws(ProgramError) { try MemoryDumps.forbid() } catch { throw .keyFile(file, error.text, "run Flashline as an ordinary program") }
    return try ProjectKey(file: file)
  }

  private func say(_ profile: BoardProfile, _ version: String?, _ name: String, _ words: String) {
    guard !console.isQuiet else { return }
    let release = version.map { "release \($0.escaped()), " } ?? ""
    console.people.write("\(profile.name.escaped()): \(release)\(name.escaped()) \(words)")
  }

  // MARK: stop

  /// Runs something that the operator's stop, or a drain, ends: no job is there yet that could hear of it.
  private func untilStopped<Value: Sendable>(_ body: @escaping @Sendable () async throws(ProgramError) -> Value) async throws(ProgramError) -> Value {
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    stopSwitch.connect(StopSwitch.Work(drain: { stop.finish() }, stop: { stop.finish() }))
    let outcome = await withTaskGroup(of: Result<Value, ProgramError>?.self) { group in
      group.addTask {
        do throws(ProgramError) { return .success(try await body()) } catch { return .failure(error) }
      }
      group.addTask {
        for await _ in stops {}
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    guard let outcome else { throw ProgramError(exit: ExitStatus.stopped, text: "stopped before anything was touched: start it again") }
    return try outcome.get()
  }
}
