import Flashing
import Glibc
import Records
import Station

/// `report`: the results as CSV or JSON, to stdout or into a file that is replaced as a whole.
struct ReportCommand {
  let request: ReportRequest
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    let filter = try RecordsAccess.filter(request.filter, configuration)
    let (request, console) = (request, loop.console)
    let form = form
    return loop.run { _ in
      do throws(ProgramError) {
        let reader = try await RecordsAccess.open(configuration)
        if let output = request.output {
          try await Self.write(reader, filter, form, file: output)
          if !console.isQuiet { console.people.write("written: \(output.escaped(limit: 4096))") }
        } else {
          try await Self.print(reader, filter, form)
        }
        return ExitStatus.good
      } catch {
        console.problem(error)
        return error.exit
      }
    }
  }

  private var form: ResultForm {
    switch request.format ?? (invocation.isJSON && !request.isForExcel ? .json : .csv) {
    case .csv: .csv(request.isForExcel ? .excel : .standard)
    case .json: .jsonLines
    }
  }

  private static func write(_ reader: RecordReader, _ filter: Filter, _ form: ResultForm, file: String) async throws(ProgramError) {
    do throws(RecordError) {
      try await reader.write(filter, as: form, file: file)
    } catch {
      throw ProgramError(error)
    }
  }

  /// Written by the reader's own thread, which may block; a reader of stdout that has gone has seen enough.
  private static func print(_ reader: RecordReader, _ filter: Filter, _ form: ResultForm) async throws(ProgramError) {
    do throws(RecordError) {
      try await reader.write(filter, as: form) { bytes throws(RecordError) in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
          if count < 0, errno == EINTR || errno == EAGAIN { continue }
          guard count > 0 else { throw count < 0 && errno == EPIPE ? Self.readerGone : .notWritable("stdout: \(String(cString: strerror(errno)))") }
          rest = rest.dropFirst(count)
        }
      }
    } catch {
      if error != readerGone { throw ProgramError(error) }
    }
  }

  private static let readerGone = RecordError.notWritable("stdout: nobody reads any more")
}
