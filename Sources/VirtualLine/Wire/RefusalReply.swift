extension Refusal {
  /// The answer's map: version 2 names the group, version 1 knows only `rc` (smp.md §1.3).
  func reply(version: UInt8) -> [ReplyField] {
    switch self {
    case .status(let code): [ReplyField("rc", .signed(Int64(code)))]
    case .group(let group, let code) where version >= 1:
      [ReplyField("err", .map([ReplyField("group", .unsigned(UInt64(group))), ReplyField("rc", .signed(Int64(code)))]))]
    case .group(let group, let code): [ReplyField("rc", .signed(Int64(Self.translated(group: group, code: code))))]
    }
  }

  /// The table of smp.md §1.5, "v1 translation": a group's code as an SMP code.
  static func translated(group: UInt16, code: Int) -> Int {
    switch (group, code) {
    case (0, 2): 3
    case (0, 3), (0, 4), (0, 6): 5
    case (1, 3), (1, 4): 5
    case (1, 9), (1, 27), (1, 28): 6
    case (1, 14), (1, 19), (1, 20), (1, 21), (1, 22), (1, 23), (1, 24), (1, 25): 3
    case (1, 15): 2
    // Zephyr's basic group maps these two to success.
    case (63, 3), (63, 4): 0
    default: 1
    }
  }
}
