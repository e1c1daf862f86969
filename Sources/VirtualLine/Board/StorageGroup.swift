/// What a board's server does with its storage: group 63's erase, and of group 3 the two commands that a firmware loader's name takes
/// (smp.md §3.4, §3.8; device-manager.md §1.7).
struct StorageGroup: Sendable {
  static let basic: UInt16 = 63
  static let settings: UInt16 = 3

  private let board: BoardSettings

  init(settings: BoardSettings) {
    board = settings
  }

  mutating func handle(_ frame: ServerFrame, _ body: RequestMap, _ store: inout SettingsStore, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    switch (frame.group, frame.operation, frame.command) {
    case (Self.basic, ServerFrame.write, 0) where board.eraseStorage:
      store.erase()
      let event = FaultScript.Event(group: Self.basic, command: 0)
      return ServerAnswer([], delay: faults.at(.erase, event).reduce(.milliseconds(max(0, board.eraseMilliseconds))) { $0 + $1.duration })
    case (Self.settings, ServerFrame.write, 0) where board.bootMode == .firmwareLoader:
      guard let name = try body.text("name"), !name.isEmpty, let value = try body.bytes("val") else { throw .status(3) }
      guard name.utf8.count <= SettingsStore.nameLimit else { throw .group(Self.settings, 2) }
      guard store.write(name, value) else { throw .status(2) }
      return ServerAnswer([])
    case (Self.settings, ServerFrame.write, 3) where board.bootMode == .firmwareLoader:
      store.save()
      return ServerAnswer([])
    default: throw .status(8)
    }
  }
}
