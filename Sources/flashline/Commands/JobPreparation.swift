import Bluetooth
import Firmware
import Flashing
import Reactor
import Station

/// Everything that can be wrong before a job touches anything: profiles, options, packages, the list of boards (exit 2).
enum JobPreparation {
  /// The board of `flash ADDRESS`.
  struct OneBoard: Hashable, Sendable {
    var address: BluetoothAddress
    var unit: String?
  }

  /// How long `flash` waits for its board when `--idle` says nothing else.
  static let oneBoardIdle = Duration.seconds(60)

  static func profile(_ asked: String, _ configuration: StationConfiguration) throws(ProgramError) -> BoardProfile {
    do throws(ConfigurationError) {
      return try BoardProfile.find(asked, folder: configuration.profiles)
    } catch {
      throw ProgramError(error)
    }
  }

  /// Reads whatever kind of package a file is; where the profile's boards have one of Nordic's bootloaders, also a bare image for those.
  /// Reading and hashing block, so they get a thread of their own.
  static func inspect(_ path: String, for profile: BoardProfile?) async throws(ProgramError) -> FirmwareFile {
    let takesBareImages = profile.map { $0.family != .mcuboot } ?? false
    let result: Result<FirmwareFile, PackageError> = try await onThread("package") {
      do throws(PackageError) {
        return .success(takesBareImages ? .nordic(try NordicPackage(path: path)) : try FirmwareFile(path: path))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let file): return file
    case .failure(let error): throw .usage("\(path.escaped(limit: 4096)): \(error.description)", error.remedy)
    }
  }

  /// The station's preflight check of a whole request.
  ///
  /// - Parameter releases: finds the packages of profiles with `source = ota`.
  static func order(
    _ request: JobRequest, job: JobKind, board: OneBoard?, _ configuration: StationConfiguration, releases: ReleasePreparation
  ) async throws(ProgramError) -> JobOrder {
    var profiles: [BoardProfile] = []
    for asked in request.profiles { profiles.append(try profile(asked, configuration)) }
    let names = try await releases.settle(&profiles)
    if let board { for index in profiles.indices { profiles[index].match.restrict(to: board.address) } }
    let check = PreflightCheck(
      profiles: profiles,
      options: JobOptions(package: request.package, lot: request.lot, workOrder: request.workOrder, operator: request.operator), require: configuration.require,
      job: job, mirrors: CatalogCommand.folder(configuration))
    let result: Result<JobOrder, ConfigurationError> = try await onThread("preflight") {
      do throws(ConfigurationError) { return .success(try check.order()) } catch { return .failure(error) }
    }
    switch result {
    case .success(var order):
      // Its file is called by its hash, which is recorded anyway.
      for index in order.kinds.indices {
        if let name = names[order.kinds[index].profile.name] { order.kinds[index].packageName = name }
      }
      return order
    case .failure(let error): throw ProgramError(error)
    }
  }

  /// When the job ends, and which boards it is restricted to.
  ///
  /// - Parameters:
  ///   - patience: before the first board can be taken.
  ///   - now: the monotonic time that the station's clock shows.
  static func bounds(
    _ request: JobRequest, board: OneBoard?, _ configuration: StationConfiguration, patience: Duration, now: Duration, wall: Int64
  ) throws(ProgramError) -> BatchBounds {
    var list: BoardList?
    if let file = request.boards {
      do throws(ConfigurationError) { list = try BoardList(path: file) } catch { throw ProgramError(error) }
    }
    if let board {
      guard list == nil else { throw .usage("flash takes one board, and --boards names others", "leave --boards out, or use run") }
      list = BoardList(entries: [BoardList.Entry(unitID: board.unit, mac: board.address)])
    }
    var until: Duration?
    if let time = request.until {
      guard let local = LocalTime(zone: configuration.timezone), let wait = time.wait(from: wall, in: local) else {
        throw .usage("--until cannot be reckoned in the time zone \(configuration.timezone.shown)", "set [station] timezone in station.conf")
      }
      until = now + wait
    }
    if patience > .zero { list = list?.inBootloaders }
    var bounds = BatchBounds(count: request.count, until: until, idle: request.idle ?? (board == nil ? nil : oneBoardIdle), boards: list)
    bounds.idle = request.waits ? nil : bounds.idle.map { $0 + patience }
    return bounds
  }

  private static func onThread<Value: Sendable>(_ name: String, _ body: @escaping @Sendable () -> Value) async throws(ProgramError) -> Value {
    do throws(ReactorError) {
      return try await ownThread(named: name, body)
    } catch {
      throw .fault("the system has no thread left (\(error.description))", "end other programs and try again")
    }
  }
}

extension MatchRules {
  /// The operator named the board: its address decides, not what it is called or how strong it is heard.
  mutating func restrict(to address: BluetoothAddress) {
    name = nil
    namePrefix = nil
    service = nil
    companyID = nil
    minRSSI = nil
    addresses = [address]
  }
}
