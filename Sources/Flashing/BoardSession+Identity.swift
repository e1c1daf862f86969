import Bluetooth

extension BoardSession {
  /// Keeps what a board says of itself when it is met first, and throws what speaks against touching it: the profile's rule, then the station.
  func admit(_ read: BoardIdentity, by rule: IdentityRule) async throws {
    journal.update {
      $0.serialNumber = read.serial
      $0.modelNumber = read.model
      $0.hardwareRevision = read.hardware
    }
    if let objection = rule.objection(to: read) { throw objection }
    try await examine(read)
  }
}

extension BoardIdentity {
  /// Throws when the board that came back is another one. Only serial numbers tell; a board without one is taken at its address.
  func check(isSameAs first: BoardIdentity) throws(BoardFailure) {
    guard let flashed = first.serial, let now = serial, flashed != now else { return }
    throw BoardFailure(.verifyOtherBoard, in: .verify, "serial number \(flashed) was flashed and \(now) came back")
  }
}
