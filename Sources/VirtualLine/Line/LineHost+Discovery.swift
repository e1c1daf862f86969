import Bluetooth
import DBus
import Reactor

extension LineHost {
  func startDiscovery(_ adapter: Int, client: String) -> DBusReply {
    guard adapters[adapter].powered else { return .notReady }
    // What bluetoothd makes of a kernel that answers Start Discovery with an error.
    guard !adapters[adapter].isIll else { return .failed("Operation not permitted") }
    guard adapters[adapter].discoverers.insert(client).inserted else { return .inProgress }
    if adapters[adapter].discoverers.count == 1 { discoveryChanged(adapter) }
    return .nothing
  }

  func stopDiscovery(_ adapter: Int, client: String) -> DBusReply {
    adapters[adapter].tried(.stopDiscovery)
    guard adapters[adapter].discoverers.remove(client) != nil else { return .failed("No discovery started") }
    adapters[adapter].filtering.remove(client)
    if adapters[adapter].discoverers.isEmpty { discoveryChanged(adapter) }
    return .nothing
  }

  /// Begins or ends the rounds of advertisements, and tells it.
  func discoveryChanged(_ adapter: Int) {
    guard let hci = adapters[adapter].hci else { return }
    let isOn = adapters[adapter].isDiscovering
    changed(.adapter(hci: hci), StackFaces.adapter, ["Discovering": .bool(isOn)])
    discoveryTimers.removeValue(forKey: adapter)?.cancel()
    if isOn {
      discoveryTimers[adapter] = later(Self.round) { $0.hear(adapter) }
      return
    }
    for (board, known) in adapters[adapter].boards where known.rssi != nil {
      adapters[adapter].boards[board]?.rssi = nil
      adapters[adapter].boards[board]?.expires = now + timing.temporary
      if let object = object(board, on: adapter) { changed(object, StackFaces.board, [:], invalidated: ["RSSI"]) }
    }
  }

  /// One round: the boards that are in the air, a limited number of them, the others next time.
  private func hear(_ adapter: Int) {
    guard adapters[adapter].isDiscovering else { return }
    var told = 0
    var looked = 0
    while looked < boards.count, told < Self.heardPerRound {
      let board = adapters[adapter].nextHeard % boards.count
      adapters[adapter].nextHeard = (board + 1) % boards.count
      looked += 1
      guard isInAir(board) else { continue }
      told += 1
      heard(board, on: adapter)
    }
    discoveryTimers[adapter] = later(Self.round + .milliseconds(Int(jitter(adapter) % 50))) { $0.hear(adapter) }
  }

  /// A board can be heard when it lies there, advertises and its last link is down at its end.
  func isInAir(_ board: Int) -> Bool { boards[board].advertises && links[board] == nil && tray.holds(board) }

  private func heard(_ board: Int, on adapter: Int) {
    let strength = rssi(board, adapter)
    let face = boards[board].face
    // The board has another address now. bluetoothd keeps the old object for a while; here it goes at once.
    if let known = adapters[adapter].boards[board], known.face.address != face.address { forget(board, on: adapter) }
    guard let what = adapters[adapter].heard(board, face, rssi: strength, until: now + timing.temporary), let object = object(board, on: adapter),
      let hci = adapters[adapter].hci, let known = adapters[adapter].boards[board]
    else { return }
    var values: [String: DBusValue] = ["RSSI": .int16(Int16(clamping: strength))]
    switch what {
    case .appeared: appeared(object, StackFaces.board, StackFaces.properties(of: known, number: board, link: links[board], adapter: hci))
    case .turned:
      values["Name"] = .string(known.face.name)
      values["Alias"] = .string(known.face.name)
      values["UUIDs"] = .strings(known.face.services.map(\.description))
      changed(object, StackFaces.board, values)
    case .changed: changed(object, StackFaces.board, values)
    }
  }

  /// −40…−79 dBm by seed, board and adapter, and up to 3 dB more or less each time.
  private func rssi(_ board: Int, _ adapter: Int) -> Int {
    let base = Self.mixed(seed &+ UInt64(board) << 20 &+ UInt64(adapter)) % 40
    return -40 - Int(base) + Int(jitter(board) % 7) - 3
  }

  private func jitter(_ salt: Int) -> UInt64 {
    heardCount &+= 1
    return Self.mixed(seed ^ heardCount &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(salt))
  }

  /// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): equal in, equal out, well spread.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// Once a second: objects of boards that were not heard for too long go.
  func sweep() {
    let now = now
    for adapter in adapters.indices {
      for board in adapters[adapter].expired(at: now) { forget(board, on: adapter) }
    }
    gaps = gaps.filter { $0.value > now }
    tray.turn(at: now)
    later(.seconds(1)) { $0.sweep() }
  }

  func forget(_ board: Int, on adapter: Int) {
    guard let object = object(board, on: adapter), adapters[adapter].boards.removeValue(forKey: board) != nil else { return }
    vanished(object, StackFaces.board)
  }

  /// A client has left the bus: its discovery and its links end.
  func clientGone(_ client: String) {
    agents.remove(client)
    for adapter in adapters.indices {
      adapters[adapter].filtering.remove(client)
      if adapters[adapter].discoverers.remove(client) != nil, adapters[adapter].discoverers.isEmpty { discoveryChanged(adapter) }
    }
    for (board, link) in links where link.client == client { linkDown(board) }
  }
}
