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
    var rules: FirmwareRules?
    if let asked = profile { rules = try JobPreparation.profile(asked, try Settings.read(invocation.config)).firmware }
    let (path, wanted, console) = (package, rules, loop.console)
    return loop.run { _ in
      do throws(ProgramError) {
        let package = try await JobPreparation.load(path)
        let complaints = wanted.map { package.complaints(pinned: $0.sha256, version: $0.version.flatMap { ImageVersion($0) }) } ?? []
        let report = PackageReport(package, more: complaints)
        if console.isJSON { console.out.write(try Self.json(report)) } else { console.say(report.lines) }
        // A package that no job would flash is no good package (exit 2), whatever could be read of it.
        return report.complaints.contains { $0.severity == .error } ? ExitStatus.usage : ExitStatus.good
      } catch {
        console.problem(error)
        return error.exit
      }
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
