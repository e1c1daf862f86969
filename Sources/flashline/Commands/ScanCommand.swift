struct ScanCommand {
  let seconds: Int
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 { 0 }
}
