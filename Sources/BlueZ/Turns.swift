/// Whose turn it is on each adapter: first come, first served; a value, no I/O.
///
/// Starting and stopping discovery and connecting exclude each other per adapter (facts/bluez.md §1 "Connect", "Scan × connect").
struct Turns {
  private var holder: [String: UInt64] = [:]
  private var queues: [String: [UInt64]] = [:]

  /// True when it is `id`'s turn at once; else it stands in the queue.
  mutating func take(_ adapter: String, _ id: UInt64) -> Bool {
    guard holder[adapter] != nil else {
      holder[adapter] = id
      return true
    }
    queues[adapter, default: []].append(id)
    return false
  }

  /// Gives the turn (or the place in the queue) back and returns whose turn it is now, if that has changed.
  mutating func give(_ adapter: String, _ id: UInt64) -> UInt64? {
    guard holder[adapter] == id else {
      queues[adapter]?.removeAll { $0 == id }
      return nil
    }
    guard let next = queues[adapter]?.first else {
      holder[adapter] = nil
      queues[adapter] = nil
      return nil
    }
    queues[adapter]?.removeFirst()
    holder[adapter] = next
    return next
  }

  func holds(_ adapter: String, _ id: UInt64) -> Bool { holder[adapter] == id }
}
