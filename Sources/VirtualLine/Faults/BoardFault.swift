/// One thing that goes wrong with a board, at a byte or a count, never at an hour.
public struct BoardFault: Hashable, Sendable, Codable {
  public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
    /// The link goes as by a supervision timeout; the bytes at the offset are lost with it.
    case dropLink
    /// The board closes the link; with `stored` only the answer is lost.
    case closeLink
    /// The connection gets `mtu` (23 when not given).
    case smallMTU
    /// The next `times` connection attempts fail.
    case refuseConnect
    /// The board is gone for good in the moment in which a central asks for a connection.
    case vanish
    /// No request is answered until the next connection.
    case silent
    case loseAnswer
    case duplicateAnswer
    case delayAnswer
    /// The answer leaves behind the next one.
    case reorderAnswer
    /// A notification that belongs to no request leaves first.
    case strayAnswer
    /// `rc` 10, `rc` 2, or `code` (with `group`'s own `err` when `groupCode` is given).
    case busy
    case noMemory
    case refuse
    case spoilImage
    case slowErase
    /// The board resets in the middle.
    case reboot
    case neverReturn
    /// The new image does not come up; MCUboot reverts it.
    case imageReverts
    /// The board runs `version` after the reset, whatever was uploaded.
    case otherFirmware
    case slowBoot
  }

  /// Where an action is looked for.
  enum Point: Sendable {
    case approach
    case connect
    case request
    case data
    case answer
    case finish
    case erase
    case reset
    case boot
  }

  public var `do`: Action
  /// Fires at the first event that reaches past this byte of the file being uploaded.
  public var offset: Int?
  /// Fires at the n-th matching event; 1 is the first, and the default.
  public var count: Int?
  /// How many matching events in a row; 1 is the default, 0 means for ever.
  public var times: Int?
  /// Only requests and answers of this group and command are counted.
  public var group: UInt16?
  public var command: UInt8?
  public var milliseconds: Int?
  public var mtu: Int?
  public var code: Int?
  public var groupCode: Int?
  public var stored: Bool?
  public var version: String?

  public init(_ action: Action, offset: Int? = nil, count: Int? = nil, times: Int? = nil, group: UInt16? = nil, command: UInt8? = nil) {
    self.do = action
    self.offset = offset
    self.count = count
    self.times = times
    self.group = group
    self.command = command
  }

  var point: Point {
    switch self.do {
    case .vanish: .approach
    case .smallMTU, .refuseConnect: .connect
    case .silent, .busy, .noMemory, .refuse: .request
    case .dropLink, .closeLink, .reboot: .data
    case .loseAnswer, .duplicateAnswer, .delayAnswer, .reorderAnswer, .strayAnswer: .answer
    case .spoilImage: .finish
    case .slowErase: .erase
    case .neverReturn, .imageReverts, .otherFirmware: .reset
    case .slowBoot: .boot
    }
  }

  /// How long a delay lasts; one second when the file says nothing.
  var duration: Duration { .milliseconds(max(0, milliseconds ?? 1000)) }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case `do`, offset, count, times, group, command, milliseconds, mtu, code, groupCode, stored, version
  }

  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try values.decode(Action.self, forKey: .do))
    offset = try values.decodeIfPresent(offset, .offset)
    count = try values.decodeIfPresent(count, .count)
    times = try values.decodeIfPresent(times, .times)
    group = try values.decodeIfPresent(group, .group)
    command = try values.decodeIfPresent(command, .command)
    milliseconds = try values.decodeIfPresent(milliseconds, .milliseconds)
    mtu = try values.decodeIfPresent(mtu, .mtu)
    code = try values.decodeIfPresent(code, .code)
    groupCode = try values.decodeIfPresent(groupCode, .groupCode)
    stored = try values.decodeIfPresent(stored, .stored)
    version = try values.decodeIfPresent(version, .version)
  }
}
