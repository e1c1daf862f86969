import Glibc
import VirtualLine

/// `line`: the virtual line as a process of its own, until it is stopped.
struct LineCommand {
  let request: LineRequest
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    .init(0)
  }
}
