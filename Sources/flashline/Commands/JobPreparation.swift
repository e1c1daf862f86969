import Bluetooth
import Firmware
import Flashing
import Reactor
import Station

/// A profile of a job with the package that its boards get, both read and found in order.
struct PreparedProfile: Sendable {
  var profile: BoardProfile
  var package: FirmwarePackage
}

/// Everything that can be wrong before a job touches anything: configuration, profiles, packages (exit 2).
enum JobPreparation {
  static func profile(_ asked: String, _ configuration: StationConfiguration) throws(ProgramError) -> BoardProfile {
    do throws(ConfigurationError) {
      return try BoardProfile.find(asked, folder: configuration.profiles)
    } catch {
      throw ProgramError(error)
    }
  }

  /// Reads all profiles of a request; two of the same name could not be told apart in the records.
  static func profiles(_ request: JobRequest, _ configuration: StationConfiguration) throws(ProgramError) -> [BoardProfile] {
    var profiles: [BoardProfile] = []
    for asked in request.profiles {
      let profile = try profile(asked, configuration)
      guard !profiles.contains(where: { $0.name == profile.name }) else {
        throw .usage("two profiles are called \(profile.name.shown)", "name each once, and give each its own [board] name")
      }
      guard profile.family == .mcuboot else {
        throw .usage(
          "\(profile.file.escaped(limit: 4096)): boards of family \(profile.family.rawValue) cannot be flashed by this version",
          "use a profile with family = mcuboot")
      }
      profiles.append(profile)
    }
    return profiles
  }

  /// Every option that `[station] require` insists on.
  static func checkRequired(_ request: JobRequest, _ configuration: StationConfiguration) throws(ProgramError) {
    for required in RequiredOption.allCases where configuration.require.contains(required) {
      let value =
        switch required {
        case .operator: request.operator
        case .lot: request.lot
        case .workOrder: request.workOrder
        }
      if value == nil { throw .usage("this station requires \(required.option)", "add \(required.option), or change [station] require in station.conf") }
    }
  }

  /// Reads a package; reading and hashing block, so they get a thread of their own.
  static func load(_ path: String) async throws(ProgramError) -> FirmwarePackage {
    let result: Result<FirmwarePackage, PackageError>
    do throws(ReactorError) {
      result = try await ownThread(named: "package") {
        do throws(PackageError) { return .success(try FirmwarePackage(path: path)) } catch { return .failure(error) }
      }
    } catch {
      throw .fault("no thread for reading \(path.shown) (\(error.description))", "end other programs and try again")
    }
    switch result {
    case .success(let package): return package
    case .failure(let error): throw .usage("\(path.escaped(limit: 4096)): \(error.description)", error.remedy)
    }
  }

  /// The package of each profile, checked as a whole: any complaint of severity error keeps the job from starting.
  ///
  /// - Returns: the profiles with their packages, and the warnings for the operator.
  static func packages(_ profiles: [BoardProfile], _ request: JobRequest) async throws(ProgramError) -> (profiles: [PreparedProfile], warnings: [String]) {
    var prepared: [PreparedProfile] = []
    var warnings: [String] = []
    for profile in profiles {
      guard let path = request.package ?? profile.firmware.package else {
        throw .usage("profile \(profile.name.shown) names no package", "write [firmware] package in \(profile.file.escaped(limit: 4096)), or give --package FILE")
      }
      let package = try await load(path)
      let complaints = try complaints(about: package, profile.firmware) + package.complaints
      if let error = complaints.first(where: { $0.severity == .error }) {
        throw ProgramError(exit: ExitStatus.usage, text: "\(path.escaped(limit: 4096)): \(error.message)")
      }
      warnings += complaints.filter { $0.severity == .warning }.map { "\(path.escaped(limit: 4096)): \($0.message)" }
      prepared.append(PreparedProfile(profile: profile, package: package))
    }
    return (prepared, warnings)
  }

  /// What keeps a package from being the one that a profile wants.
  static func complaints(about package: FirmwarePackage, _ rules: FirmwareRules) throws(ProgramError) -> [Complaint] {
    var version: Firmware.ImageVersion?
    if let text = rules.version {
      version = Firmware.ImageVersion(text)
      if version == nil { throw .usage("[firmware] version = \(text.shown) is no version", "write it like 1.2.3 or 1.2.3+4") }
    }
    return package.complaints(pinned: rules.sha256, version: version)
  }
}
