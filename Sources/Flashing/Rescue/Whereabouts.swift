import Bluetooth

/// Where a board may be met again after it left the link, and which advertisement is taken for its own. A value.
///
/// A bootloader has its application's address or the next one (facts/nordic-dfu.md §2.8, §3.2), and boards of one lot have neighbouring addresses: what is
/// heard under one may be somebody else. So an address that is the board's own is waited for first, a neighbouring one taken only where that stays silent.
struct Whereabouts: Sendable {
  /// Silence under its own addresses after which a board of Nordic's kind has probably changed its address: several times what a restart takes.
  static let patience = Duration.seconds(3)
  /// The same for MetaWear boards, which are known to keep theirs (facts/metaboot.md §1.2), and may be silent while a SoftDevice is copied.
  static let longPatience = Duration.seconds(10)

  private let family: RescueOrder.Family
  /// Under which the board itself was met.
  private var own: Set<BluetoothAddress>
  private var neighbours: Set<BluetoothAddress>
  /// Under which its application can be: one that is heard under another is somebody else's, also where no serial number says so.
  private let applications: Set<BluetoothAddress>
  /// The next address, where only a bootloader could have it that came up without having been asked to (facts/nordic-dfu.md §5.4): rare, so that only a
  /// board that proves who it is is taken there.
  private let doubtful: BluetoothAddress?

  /// - Parameters:
  ///   - isInBootloader: the board was admitted in its bootloader, so that its application cannot have the next address.
  ///   - mayReturnBelow: its application may have the address before this one (`BoardSession.mayReturnBelow`).
  init(_ board: BluetoothAddress, family: RescueOrder.Family, isInBootloader: Bool, mayReturnBelow: Bool) {
    self.family = family
    own = [board]
    applications = mayReturnBelow ? [board, board.applicationNeighbour] : [board]
    neighbours = applications.union([board.bootloaderNeighbour])
    doubtful = isInBootloader ? board.bootloaderNeighbour : nil
    neighbours.remove(board)
  }

  /// Every address under which the stack may remember the board.
  var all: Set<BluetoothAddress> { own.union(neighbours) }

  /// The board itself was met there.
  mutating func met(at address: BluetoothAddress) {
    own.insert(address)
    neighbours.remove(address)
  }

  /// Whether an application that was met there can be the board's.
  func mayBeApplication(at address: BluetoothAddress) -> Bool { applications.contains(address) }

  /// Somebody else was met there.
  mutating func remove(_ address: BluetoothAddress) {
    neighbours.remove(address)
  }

  /// Whether an advertisement is to be answered.
  ///
  /// - Parameters:
  ///   - waited: how long the board is listened for.
  ///   - agreedName: under which its bootloader was asked to advertise: nobody else has it.
  ///   - canTell: a connection would show whether it is another board, by the serial number.
  func takes(_ heard: Advertisement, after waited: Duration, agreedName: String?, canTell: Bool) -> Bool {
    if own.contains(heard.address) { return true }
    guard neighbours.contains(heard.address) else { return false }
    if let agreedName, let name = heard.name { return name == agreedName }
    // A MetaWear board's neighbour is the next board of the lot; flashing that in its place would be the worst that can happen.
    if family == .metaWear || heard.address == doubtful, !canTell { return false }
    return waited >= (family == .metaWear ? Self.longPatience : Self.patience)
  }
}
