import Flashing
import Records

/// `summary`: yield, failures, durations and throughput.
struct SummaryCommand {
  let filter: FilterRequest
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    let filter = try RecordsAccess.filter(filter, configuration)
    let console = loop.console
    return loop.run { _ in
      do throws(ProgramError) {
        let summary = try await Self.read(try await RecordsAccess.open(configuration), filter)
        if console.isJSON { console.document(summary.json) } else { console.say(summary.lines) }
        return ExitStatus.good
      } catch {
        console.problem(error)
        return error.exit
      }
    }
  }

  private static func read(_ reader: RecordReader, _ filter: Filter) async throws(ProgramError) -> Summary {
    do throws(RecordError) {
      return try await reader.summary(filter)
    } catch {
      throw ProgramError(error)
    }
  }
}
