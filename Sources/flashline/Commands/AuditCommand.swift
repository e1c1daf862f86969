import Flashing
import Records

/// `audit`: checks the record chain and names the first row that does not fit.
struct AuditCommand {
  let expected: String?
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    let (expected, console) = (expected, loop.console)
    return loop.run { _ in
      do throws(ProgramError) {
        let report = try await Self.check(try await RecordsAccess.open(configuration), expected)
        if console.isJSON { console.document(report.json) }
        if let fault = report.fault {
          console.problem("the records do not fit their audit chain: \(fault.message)")
          return ExitStatus.notGood
        }
        if !console.isJSON {
          console.say("sound: \(Figures.count(report.results, "result")), \(report.entries) entries of the audit chain")
          console.say("audit head: \(report.head)")
        }
        return ExitStatus.good
      } catch {
        console.problem(error)
        return error.exit
      }
    }
  }

  private static func check(_ reader: RecordReader, _ expected: String?) async throws(ProgramError) -> AuditReport {
    do throws(RecordError) {
      return try await reader.audit(expecting: expected)
    } catch {
      throw ProgramError(error)
    }
  }
}
