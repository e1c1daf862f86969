import Flashing

/// What the program tells its caller at the end (contract §1).
enum ExitStatus {
  /// Everything asked for is good, also when there was nothing to do.
  static let good: Int32 = 0
  /// Some board is not good, or fewer boards were met than asked for.
  static let notGood: Int32 = 1
  /// Bad usage, configuration, profile or package; nothing was touched.
  static let usage: Int32 = 2
  /// The station could not work.
  static let fault: Int32 = 3
  /// Stopped by the operator.
  static let stopped: Int32 = 130
}

/// Why the program ends without having done its work: one line for the operator, and the exit status.
struct ProgramError: Error, Hashable {
  var exit: Int32
  /// `what happened: what to do about it`, with `FILE:LINE: ` in front where a file is at fault.
  var text: String
  /// For `station.fault`, where the station cannot work.
  var code: FailureCode?

  /// Something that the operator wrote is wrong: exit 2.
  static func usage(_ what: String, _ remedy: String) -> ProgramError {
    ProgramError(exit: ExitStatus.usage, text: what + ": " + remedy)
  }

  /// The station cannot work: exit 3.
  static func fault(_ what: String, _ remedy: String, _ code: FailureCode = .stationInternal) -> ProgramError {
    ProgramError(exit: ExitStatus.fault, text: what + ": " + remedy, code: code)
  }

  /// The line as it is printed; always one line, whatever the text held.
  var line: String { "flashline: " + text.oneLine }
}
