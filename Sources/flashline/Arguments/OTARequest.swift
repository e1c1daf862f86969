import Bluetooth
import Cloud
import Station

/// What `ota` is asked for.
struct OTARequest: Hashable, Sendable {
  enum Action: String, CaseIterable, Sendable {
    case check, fetch
  }

  var action: Action
  /// The board that is asked for its values; nil asks none.
  var address: BluetoothAddress?
  var profile: String?
  /// What the operator gave.
  var values = ReleaseValues()
  var artefact: String?
  /// The board's key instead of the file's.
  var takesBoardKey = false
  /// `fetch --output`.
  var output: String?
  var adapter: String?
  var seconds: Int?
}

extension OTARequest {
  init(_ word: String, _ more: ArraySlice<String>, _ values: OptionValues) throws(ProgramError) {
    guard let action = Action(rawValue: word) else { throw .usage("ota does not know \(word.shown)", "write ota check or ota fetch") }
    self.action = action
    if let operand = more.first { address = try Invocation.Command.address(operand) }
    if more.count > 1 { throw .usage("ota takes one board, not also \(more[more.startIndex + 1].shown)", "call it once for each") }
    profile = try values.text("profile")
    for (option, field) in [
      ("hardware-version", ReleaseValues.Field.hardwareVersion), ("software-type", .softwareType), ("current-version", .currentVersion), ("serial", .serial),
    ] { self.values.offer(try values.label(option), as: field, from: .option) }
    artefact = try values.label("artifact")
    takesBoardKey = values.has("board-key")
    output = try values.text("output")
    adapter = try values.text("adapter")
    seconds = try values.integer("seconds", in: 1...600)
    if takesBoardKey, address == nil { throw .usage("--board-key asks a board, and none is named", "write its address, or leave --board-key out") }
    if output != nil, action == .check { throw .usage("ota check fetches nothing that --output could hold", "write ota fetch, or leave --output out") }
  }
}
