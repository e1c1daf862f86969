struct AdaptersCommand {
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 { 0 }
}
