/// Group 0 as a server: echo, datetime, reset, params, info, bootloader info (smp.md §3.1).
struct SystemGroup: Sendable {
  static let number: UInt16 = 0
  /// The order in which info's letters are printed.
  private static let infoOrder = "snrvbmpio"

  private let settings: BoardSettings
  private let name: String
  private var clock: String?

  init(settings: BoardSettings, name: String) {
    self.settings = settings
    self.name = name
  }

  /// A reset clears the clock.
  mutating func reset() { clock = nil }

  mutating func handle(_ frame: ServerFrame, _ body: RequestMap?, mode: BootMode) throws(Refusal) -> ServerAnswer {
    // Reset ignores what it cannot decode (smp.md §1.2).
    if frame.operation == ServerFrame.write, frame.command == 5 {
      return ServerAnswer([], effect: .reset(intoLoader: body?["boot_mode"] == .unsigned(1)))
    }
    guard let body else { throw .status(3) }
    switch (frame.operation, frame.command) {
    case (ServerFrame.read, 0), (ServerFrame.write, 0):
      if frame.payload.isEmpty { throw .status(3) }
      return ServerAnswer([ReplyField("r", .text(try body.text("d") ?? ""))])
    case (ServerFrame.read, 4):
      guard let clock else { throw fail(4) }
      return ServerAnswer([ReplyField("datetime", .text(clock))])
    case (ServerFrame.write, 4):
      guard let text = try body.text("datetime"), (19...25).contains(text.utf8.count) else { throw .status(3) }
      clock = text
      return ServerAnswer([])
    case (ServerFrame.read, 6) where settings.params:
      return ServerAnswer([
        ReplyField("buf_size", .unsigned(UInt64(settings.bufferSize))), ReplyField("buf_count", .unsigned(UInt64(settings.bufferCount))),
      ])
    case (ServerFrame.read, 7): return ServerAnswer([ReplyField("output", .text(try info(try body.text("format") ?? "s")))])
    case (ServerFrame.read, 8) where settings.bootloaderInfo: return ServerAnswer(try bootloader(try body.text("query"), mode))
    default: throw .status(8)
    }
  }

  private func info(_ format: String) throws(Refusal) -> String {
    guard format.allSatisfy({ (Self.infoOrder + "a").contains($0) }) else { throw fail(2) }
    let wanted = format.contains("a") ? Self.infoOrder : format
    let values: [Character: String] = [
      "s": "Zephyr", "n": name, "r": "unknown", "v": "4.4.0", "b": "Wed Jun  3 22:19:37 2026", "m": "arm", "p": "cortex-m4", "i": "virtual_line",
      "o": "Zephyr",
    ]
    return Self.infoOrder.filter { wanted.contains($0) }.map { values[$0] ?? "" }.joined(separator: " ")
  }

  private func bootloader(_ query: String?, _ mode: BootMode) throws(Refusal) -> [ReplyField] {
    switch query {
    case nil: [ReplyField("bootloader", .text("MCUboot"))]
    case "mode":
      [ReplyField("mode", .signed(Int64(settings.reportedMode ?? mode.rawValue)))]
        + (settings.noDowngrade ? [ReplyField("no-downgrade", .flag(true))] : [])
    default: throw fail(3)
    }
  }

  private func fail(_ code: Int) -> Refusal { .group(Self.number, code) }
}
