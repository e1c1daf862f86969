/// All faults of one board as a machine: what happened goes in, the faults that fire come out.
struct FaultScript: Hashable, Sendable {
  /// What is known about an event; a fault's filters look at it.
  struct Event: Sendable {
    var group: UInt16?
    var command: UInt8?
    var image: Int?
    /// The byte of the file behind the last one of this event.
    var reached: Int?
  }

  private struct Entry: Hashable, Sendable {
    var fault: BoardFault
    var seen = 0
    var fired = 0
    var armed = false
  }

  private var entries: [Entry]
  /// How often each action has fired.
  private(set) var fired: [String: Int] = [:]

  init(_ faults: [BoardFault]) {
    entries = faults.map { Entry(fault: $0) }
  }

  mutating func at(_ point: BoardFault.Point, _ event: Event = Event()) -> [BoardFault] {
    var hits: [BoardFault] = []
    for index in entries.indices where entries[index].fault.point == point {
      if fires(&entries[index], event) {
        hits.append(entries[index].fault)
        fired[entries[index].fault.do.rawValue, default: 0] += 1
      }
    }
    return hits
  }

  private func fires(_ entry: inout Entry, _ event: Event) -> Bool {
    let fault = entry.fault
    if let group = fault.group, group != event.group { return false }
    if let command = fault.command, command != event.command { return false }
    if let image = fault.image, fault.point != .reset, image != event.image { return false }
    entry.seen += 1
    if !entry.armed {
      if let offset = fault.offset {
        entry.armed = event.reached.map { $0 > offset } ?? false
      } else {
        entry.armed = entry.seen >= fault.count ?? 1
      }
    }
    let times = fault.times ?? 1
    guard entry.armed, times == 0 || entry.fired < times else { return false }
    entry.fired += 1
    return true
  }
}
