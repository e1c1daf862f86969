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
    /// Power is away for `milliseconds`, at a byte or at a request: RAM is lost, flash stays as it is.
    case powerCut
    /// The board indicates Service Changed so long after a connection.
    case serviceChanged

    // Of boards with Nordic's bootloaders (nordic-dfu.md §9.4):

    /// Start is answered with `code` (2), as by a bootloader that an earlier link left in the middle.
    case refuseStart
    /// The init packet is refused with `code`: Legacy 6, Secure extended error 7.
    case refuseInit
    /// A data packet is answered with `code` (6), and the transfer is dead. Secure: one byte of the packet is spoilt.
    case failData
    /// The bootloader forgets what it was doing: from here on each data packet is answered `10 03 02`.
    case loseState
    case loseReceipt
    /// A receipt names 20 bytes fewer than have come.
    case wrongReceipt
    case delayReceipt
    /// The whole image does not have its checksum: `10 04 05`, `60 04 0B 0C`.
    case checksumError
    /// One byte of the `count`-th data object is spoilt (Secure).
    case spoilObject
    /// Select names a CRC that does not fit what is there (Secure).
    case wrongResume
    /// The notification leaves before the response to the write that asked for it.
    case notifyFirst
    /// The link goes before the response to Activate (Legacy) or to the last Execute (Secure); the update counts.
    case activateUnanswered
    /// 100 %, and yet the bootloader comes back, after `milliseconds` where they are given.
    case backInBootloader
    /// The board has its address plus one after the reset, and keeps it.
    case otherAddress
    /// The application does not go to its bootloader when it is asked to.
    case ignoreJump

    // Of boards with diagnostics (smp.md §8):

    /// Notifications of data export are refused with the ATT error `code` (0x80: another client has subscribed).
    case refuseSubscribe
    /// The link is lost when the `count`-th chunk is to leave; what is in flight goes with it.
    case dropStream
    /// The board counts a chunk as sent, and it is never on the air.
    case loseChunk
    /// Bits 5 to 7 of the counter's byte are those of `code` (0xE0).
    case badChunk
    /// A notification with a counter and no chunk leaves first.
    case emptyChunk

    // Of SUIT boards:

    /// The board lacks a resource and does not ask for it.
    case neverAsk
    /// The board asks for `uri` instead of what it lacks.
    case askOther
    /// The board takes the envelope and does not install it.
    case refuseInstall
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
    case start
    case initPacket
    case receipt
    case validate
    case object
    case select
    case response
    case leave
    case activate
    case jump
    /// Some time after a connection.
    case linked
    /// Notifications of chunks are asked for.
    case subscribe
    /// A chunk is to leave.
    case chunk
    /// A SUIT board lacks a resource.
    case ask
    /// A SUIT board looks at its envelope.
    case install
  }

  public var `do`: Action
  /// Fires at the first event that reaches past this byte of the file being uploaded.
  public var offset: Int?
  /// Fires at the n-th matching event; 1 is the first, and the default.
  public var count: Int?
  /// How many matching events in a row; 1 is the default, 0 means for ever.
  public var times: Int?
  /// Only requests and answers of this group and command are counted; `command` is the op code for Nordic's bootloaders.
  public var group: UInt16?
  public var command: UInt8?
  public var milliseconds: Int?
  public var mtu: Int?
  public var code: Int?
  public var groupCode: Int?
  public var stored: Bool?
  public var version: String?
  public var uri: String?
  /// Only bytes and erases of this image are counted; at a reset: the image that it happens to.
  public var image: Int?

  public init(
    _ action: Action, offset: Int? = nil, count: Int? = nil, times: Int? = nil, group: UInt16? = nil, command: UInt8? = nil, image: Int? = nil
  ) {
    self.do = action
    self.offset = offset
    self.count = count
    self.times = times
    self.group = group
    self.command = command
    self.image = image
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
    case .powerCut: offset == nil ? .request : .data
    case .serviceChanged: .linked
    case .refuseStart: .start
    case .refuseInit: .initPacket
    case .failData, .loseState: .data
    case .loseReceipt, .wrongReceipt, .delayReceipt: .receipt
    case .checksumError: .validate
    case .spoilObject: .object
    case .wrongResume: .select
    case .notifyFirst: .response
    case .activateUnanswered: .leave
    case .backInBootloader: .activate
    case .otherAddress: .reset
    case .ignoreJump: .jump
    case .refuseSubscribe: .subscribe
    case .dropStream, .loseChunk, .badChunk, .emptyChunk: .chunk
    case .neverAsk, .askOther: .ask
    case .refuseInstall: .install
    }
  }

  /// How long a delay lasts; one second when the file says nothing.
  var duration: Duration { .milliseconds(max(0, milliseconds ?? 1000)) }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case `do`, offset, count, times, group, command, milliseconds, mtu, code, groupCode, stored, version, uri, image
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
    uri = try values.decodeIfPresent(uri, .uri)
    image = try values.decodeIfPresent(image, .image)
  }
}
