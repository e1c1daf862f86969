struct DemoCommand {
  let request: LineRequest
  let keep: String?
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 { 0 }
}
