/// What a virtual line is started with.
public struct LineOptions: Sendable {
  /// Most adapters of one line; the kernel's old list stops here too (bluez.md §1).
  public static let adapterLimit = 16
  /// Most boards of one line.
  public static let boardLimit = 4096
  /// Most bytes of the state folder's path: socket paths are short (107 bytes).
  static let stateLimit = 80

  /// Adapters, 1…16.
  public var adapters = 2
  /// Boards, 1…4096.
  public var boards = 4
  /// What the boards are; a faults file may say otherwise of each.
  public var kind = SMPKind.swap
  /// Boards beside them that sit in their bootloader (MetaBoot), 0…200.
  public var stranded = 0
  /// The faults file (README of this room), or nil.
  public var faults: String?
  /// The folder for the bus' socket, the environment, the truth; made when it is not there.
  public var state: String
  /// Chooses signal strengths and their jitter; the same seed gives the same line.
  public var seed: UInt64 = 1
  /// Factor on every time of the boards and of the stack, but not on connection intervals (0.01…100).
  public var timeScale = 1.0
  /// Boards that lie on the line at once (`LineTray`); nil for all.
  public var places: Int?
  /// Ends the line when the process that started it ends.
  public var diesWithParent = false
  /// Bytes of the firmware that the boards start with.
  public var imageSize = 64 * 1024

  public init(state: String) {
    self.state = state
  }

  /// Throws `usage` for a number out of its range.
  func check() throws(LineError) {
    guard (1...Self.adapterLimit).contains(adapters) else { throw .usage("\(adapters) adapters: give 1 to \(Self.adapterLimit)") }
    guard ((stranded > 0 ? 0 : 1)...Self.boardLimit).contains(boards) else { throw .usage("\(boards) boards: give 1 to \(Self.boardLimit)") }
    guard (0...StrandedBoards.limit).contains(stranded) else { throw .usage("\(stranded) stranded boards: give 0 to \(StrandedBoards.limit)") }
    guard (0.01...100).contains(timeScale) else { throw .usage("time scale \(timeScale): give 0.01 to 100") }
    if let places { guard (1...Self.boardLimit).contains(places) else { throw .usage("\(places) places: give 1 to \(Self.boardLimit)") } }
    guard !state.isEmpty, state.utf8.count <= Self.stateLimit else {
      throw .usage("the state folder's path is longer than \(Self.stateLimit) bytes: a socket lies in it, give a shorter one")
    }
  }
}

/// Why a virtual line could not start. Closed; the texts are for operators.
public enum LineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An option that cannot be: exit code 2.
  case usage(String)
  /// The faults file is not readable or not right: exit code 2.
  case faultsFile(path: String, reason: String)
  /// The machine lacks something, or refused something.
  case environment(String)

  public var description: String {
    switch self {
    case .usage(let text): text
    case .faultsFile(let path, let reason): "\(path): \(reason)"
    case .environment(let text): text
    }
  }
}
