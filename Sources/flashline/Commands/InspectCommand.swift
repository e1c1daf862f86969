import Firmware
import Flashing
import FoundationEssentials
import Station

/// `inspect`: what is in a package, its hashes and versions, and every preflight complaint.
struct InspectCommand {
  let package: String
  let profile: String?
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    var wanted: BoardProfile?
    if let asked = profile { wanted = try JobPreparation.profile(asked, try Settings.read(invocation.config)) }
    let (path, profile, console) = (package, wanted, loop.console)
    return loop.run { _ in
      do throws(ProgramError) {
        let file = try await JobPreparation.inspect(path, for: profile)
        let report = PackageReport(file, more: profile.map { Self.complaints(file, $0) } ?? [])
        if console.isJSON { console.out.write(try Self.json(report)) } else { console.say(report.lines) }
        // A package that no job would flash is no good package (exit 2), whatever could be read of it.
        return report.complaints.contains { $0.severity == .error } ? ExitStatus.usage : ExitStatus.good
      } catch {
        console.problem(error)
        return error.exit
      }
    }
  }

  /// What the profile has against the package: the pinned hash, the version, and for Nordic DFU the board that it describes.
  private static func complaints(_ file: FirmwareFile, _ profile: BoardProfile) -> [Complaint] {
    let firmware = profile.firmware
    switch file {
    case .update(let package): return package.complaints(pinned: firmware.sha256, version: firmware.version.flatMap { ImageVersion($0) })
    case .nordic(let package):
      guard profile.family != .mcuboot else {
        let remedy = "use dfu_application.zip or the signed image"
        return [Complaint(.error, .otherProtocol, "this package is for Nordic's bootloaders, the profile's boards have MCUboot: \(remedy)")]
      }
      return package.complaints(pinned: firmware.sha256) + package.complaints(for: NordicTarget(profile))
    }
  }

  private static func json(_ report: PackageReport) throws(ProgramError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(report), as: UTF8.self)
    } catch {
      throw .fault("the report cannot be written as JSON", "report this as a defect of Flashline")
    }
  }
}
