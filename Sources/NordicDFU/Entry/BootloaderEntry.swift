/// Brings a board from its application into its bootloader (nordic-dfu.md §2.8, §3.2; metaboot.md §2).
///
/// The board has to end the link itself: a station that disconnects first races the board's restart, and finds the application again. That the
/// link ends is the answer, whether or not the write was answered before. A board that stays is disconnected as the last resort.
public struct BootloaderEntry: Sendable {
  /// Times a busy application is asked.
  public static let busyTries = 4
  /// Bytes of an advertising name.
  public static let nameLengths = 1...20

  private enum State {
    case idle
    case subscribing
    case naming
    /// The request to leave was sent.
    case leaving
    case waitingForBusy
    case disconnecting
    case settling
    case ended
  }

  private let path: EntryPath
  private let limits: DFULimits
  private let name: [UInt8]?
  private var state = State.idle
  private var tries = 0

  /// The bootloader will advertise under the name that was asked for.
  public private(set) var isNamed = false

  /// - Parameter name: under which the bootloader shall advertise, 1 to 20 bytes; only for a Secure application without bonds, and not for
  ///   every one: some restart at the request. Ignored elsewhere.
  public init(_ path: EntryPath, name: String? = nil, limits: DFULimits = DFULimits()) {
    self.path = path
    self.limits = limits
    let bytes = name.map { [UInt8]($0.utf8) } ?? []
    self.name = path == .secureApplication(bonded: false) && Self.nameLengths.contains(bytes.count) ? bytes : nil
  }

  // MARK: - Inputs

  public mutating func start() -> [EntryAction] {
    guard case .idle = state else { return [] }
    switch path {
    case .metaWear: return leave()
    case .unknown: return end(.failed(.noBootloader))
    case .legacyApplication, .secureApplication, .experimentalApplication:
      state = .subscribing
      return [.subscribe, .expect(.write, within: limits.write)]
    }
  }

  public mutating func subscribed() -> [EntryAction] {
    guard case .subscribing = state else { return [] }
    guard let name else { return leave() }
    state = .naming
    let bytes = [ButtonlessOpCode.setName.rawValue, UInt8(clamping: name.count)] + name
    return [.write(bytes, withResponse: true), .expect(.answer, within: limits.answer)]
  }

  /// The answer of a write, or that a command was handed over: only the link's end is of interest, and the time for it runs already.
  public mutating func written() -> [EntryAction] { [] }

  /// The subscription or the write was refused, and the link is still up.
  public mutating func failed() -> [EntryAction] {
    switch state {
    case .subscribing: return end(.failed(.writeRefused(request[0])))
    case .naming: return leave()
    case .leaving: return end(.failed(.writeRefused(request[0])))
    case .idle, .waitingForBusy, .disconnecting, .settling, .ended: return []
    }
  }

  /// A notification or indication of the characteristic. Others than the awaited one are ignored.
  public mutating func received(_ bytes: [UInt8]) -> [EntryAction] {
    switch state {
    case .naming:
      guard let status = status(of: .setName, bytes) else { return [] }
      isNamed = status == ButtonlessStatus.success.rawValue
      return leave()
    case .leaving:
      guard let status = status(of: .enterBootloader, bytes), status != ButtonlessStatus.success.rawValue else { return [] }
      if path == .legacyApplication { return end(.failed(.legacyRefused(.start, status: status))) }
      guard ButtonlessStatus(rawValue: status) == .busy, tries < Self.busyTries else {
        return end(.failed(.entryRefused(status: status)))
      }
      state = .waitingForBusy
      return [.pause(limits.busy)]
    case .idle, .subscribing, .waitingForBusy, .disconnecting, .settling, .ended:
      return []
    }
  }

  public mutating func paused() -> [EntryAction] {
    switch state {
    case .waitingForBusy: return leave()
    case .settling: return end(.finished)
    case .idle, .subscribing, .naming, .leaving, .disconnecting, .ended: return []
    }
  }

  /// The time of the last `.expect` has passed.
  public mutating func silent() -> [EntryAction] {
    switch state {
    case .subscribing: return end(.failed(.silent(.write, offset: 0)))
    // Without the name the board is found by its address.
    case .naming: return leave()
    case .leaving:
      state = .disconnecting
      return [.disconnect, .expect(.reset, within: limits.reset)]
    case .disconnecting: return settle()
    case .idle, .waitingForBusy, .settling, .ended: return []
    }
  }

  public mutating func linkLost() -> [EntryAction] {
    switch state {
    case .leaving, .disconnecting: return settle()
    case .idle, .subscribing, .naming, .waitingForBusy: return end(.failed(.linkLost(offset: 0)))
    case .settling, .ended: return []
    }
  }

  /// Stops. A board that was asked already leaves nevertheless.
  public mutating func cancel() -> [EntryAction] {
    if case .ended = state { return [] }
    return end(.failed(.cancelled))
  }

  // MARK: - Steps

  /// What makes the application leave.
  private var request: [UInt8] {
    switch path {
    case .legacyApplication: LegacyRequest.start(.application).bytes
    case .secureApplication, .experimentalApplication, .unknown: [ButtonlessOpCode.enterBootloader.rawValue]
    case .metaWear: Self.metaWearJump
    }
  }

  /// Debug module, register 2 (metaboot.md §2).
  public static let metaWearJump: [UInt8] = [0xFE, 0x02]

  private mutating func leave() -> [EntryAction] {
    state = .leaving
    tries += 1
    return [.write(request, withResponse: path != .metaWear), .expect(.handoff, within: limits.handoff)]
  }

  /// The board needs a moment until it advertises.
  private mutating func settle() -> [EntryAction] {
    state = .settling
    return [.pause(limits.settle)]
  }

  /// The status in an answer to this request, in the words of the path's protocol; nil for anything else.
  private func status(of op: ButtonlessOpCode, _ bytes: [UInt8]) -> UInt8? {
    guard path != .legacyApplication else {
      guard case .response(.start, let status) = LegacyNotification(bytes) else { return nil }
      return status
    }
    guard bytes.count >= 3, bytes[0] == ButtonlessOpCode.response.rawValue, bytes[1] == op.rawValue else { return nil }
    return bytes[2]
  }

  private mutating func end(_ action: EntryAction) -> [EntryAction] {
    state = .ended
    return [action]
  }
}
