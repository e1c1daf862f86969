import Bluetooth
import Flashing

/// What a rescue adds to the line job: boards are only taken when they are stranded.
extension StationController {
  /// Between two requests to hear the same board afresh; a sender that really shows both modes is not asked for in vain all the time.
  static let afreshPause = Duration.seconds(5)
  /// Boards that are remembered for it, and for whose history was read.
  static let memoryLimit = 4096

  /// Follows how long a board has been in its bootloader.
  func followBootloader(_ board: BluetoothAddress, _ verdict: Admission.Verdict) async {
    guard case .bootloader = verdict else {
      stranded.forget(board)
      // After an attempt at the bootloader it may be that board itself, back in its application.
      if !detached.contains(board.bootloaderNeighbour) { stranded.heardNeighbour(of: board.bootloaderNeighbour, at: listened) }
      return
    }
    stranded.heard(board, at: listened)
    guard !historyRead.contains(board) else { return }
    if historyRead.count >= Self.memoryLimit { historyRead = [] }
    historyRead.insert(board)
    // A record that cannot be read only costs the board its exemption; the disk's fault is told when it is claimed.
    guard let last = try? await ports.store.lastAttempt(at: board), last.stationID == job.stationID else { return }
    if last.leftAs == .bootloader || last.leftAs == .unknown { detached.insert(board) }
  }

  /// Whether a board is taken in both of its modes: one that an attempt of this batch wrote to, also before a crash, and that nobody has read back since. A
  /// line job may find it in the bootloader, a rescue in its application (contract §2: a board that a crashed attempt had already flashed).
  func takesBack(_ board: BluetoothAddress) -> Bool {
    ledger.wasWritten(board) || job.job == .update && detached.contains(board)
  }

  /// Whether a board may be taken: at once in a line job, in a rescue only when it waited in its bootloader long enough or this station sent it there.
  func isStranded(_ sighting: SightingBook.Sighting) -> Bool {
    guard job.job == .rescue, case .bootloader(let profile) = sighting.verdict, !detached.contains(sighting.board) else { return true }
    return stranded.isStranded(sighting.board, after: admission.profiles[profile].rescue.strandedAfter, at: listened)
  }

  /// Whether the application of a board may come up under the address before the one at which the board was admitted. Settled at its first attempt: what is
  /// heard there afterwards may be the board itself.
  func mayReturnBelow(_ sighting: SightingBook.Sighting) -> Bool {
    let board = sighting.board
    if case .application = sighting.verdict, !detached.contains(board) { standsAlone.insert(board) }
    if stranded.hasNeighbour(board), !detached.contains(board) { standsAlone.insert(board) }
    // A line job admits boards in their application, also those that it finds in their bootloader after a crash; `flash` is told any address.
    return !(standsAlone.contains(board) || job.job == .update && !job.liftsQuarantine)
  }

  /// Has the stack forget a board of which it mixes two lives, so that the next advertisement stands for itself.
  func hearAfresh(_ board: BluetoothAddress, _ adapter: AdapterHandle) async {
    let now = ports.time.now()
    if let last = heardAfresh[board], now - last < Self.afreshPause { return }
    if heardAfresh.count >= Self.memoryLimit { heardAfresh = [:] }
    heardAfresh[board] = now
    await ports.central.forget(board, on: adapter)
  }
}
