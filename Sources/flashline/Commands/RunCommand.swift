import Bluetooth

struct RunCommand {
  struct OneBoard { var address: BluetoothAddress; var unit: String? }
  let request: JobRequest
  let board: OneBoard?
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 { 0 }
}
