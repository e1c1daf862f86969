/// Something that goes wrong with adapters or with bluetoothd, when a board has got so far.
public struct LineFault: Hashable, Sendable, Codable {
  public enum Action: String, Hashable, Sendable, Codable {
    /// The adapter is pulled out; plugged in again after `milliseconds` when that is given.
    case unplug
    /// An adapter that was pulled out comes back.
    case plug
    /// All links of the adapter go at once, as by a USB reset.
    case loseLinks
    /// Discovery does not start on the adapter any more, until `healedBy` is tried (never when not given).
    case fallIll
    /// bluetoothd is away for `milliseconds` (3000 when not given): the name, all links and all objects go.
    case stackAway
  }

  /// What a station may try on an adapter.
  public enum Remedy: String, Hashable, Sendable, Codable {
    case stopDiscovery
    case powerCycle
    /// 0 and then 1 written to the USB device's file `authorized` (Linux Documentation/usb/authorization.rst).
    case reauthorise
  }

  /// What a line fault waits for; exactly one of `bytes`, `connections`, `boots`, `chunks` is given.
  public struct Condition: Hashable, Sendable, Codable {
    /// The board's number.
    public var board: Int
    /// Image bytes that the board has stored, in its whole life.
    public var bytes: Int?
    /// Connections that it has had.
    public var connections: Int?
    public var boots: Int?
    /// Diagnostic chunks that have left it, in its whole life.
    public var chunks: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case board, bytes, connections, boots, chunks
    }

    public init(board: Int, bytes: Int? = nil, connections: Int? = nil, boots: Int? = nil, chunks: Int? = nil) {
      self.board = board
      self.bytes = bytes
      self.connections = connections
      self.boots = boots
      self.chunks = chunks
    }

    public init(from decoder: any Decoder) throws {
      try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        board: try values.decode(Int.self, forKey: .board), bytes: try values.decodeIfPresent(Int.self, forKey: .bytes),
        connections: try values.decodeIfPresent(Int.self, forKey: .connections), boots: try values.decodeIfPresent(Int.self, forKey: .boots),
        chunks: try values.decodeIfPresent(Int.self, forKey: .chunks))
      guard [bytes, connections, boots, chunks].compactMap({ $0 }).count == 1 else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "give one of bytes, connections, boots, chunks"))
      }
    }
  }

  public var `do`: Action
  /// The adapter's number (0 is the first).
  public var adapter: Int?
  public var when: Condition
  public var milliseconds: Int?
  public var healedBy: Remedy?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case `do`, adapter, when, milliseconds, healedBy
  }

  public init(do action: Action, adapter: Int? = nil, when condition: Condition, milliseconds: Int? = nil, healedBy remedy: Remedy? = nil) {
    self.do = action
    self.adapter = adapter
    when = condition
    self.milliseconds = milliseconds
    healedBy = remedy
  }

  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      do: try values.decode(Action.self, forKey: .do), adapter: try values.decodeIfPresent(Int.self, forKey: .adapter),
      when: try values.decode(Condition.self, forKey: .when), milliseconds: try values.decodeIfPresent(Int.self, forKey: .milliseconds),
      healedBy: try values.decodeIfPresent(Remedy.self, forKey: .healedBy))
    if self.do != .stackAway, adapter == nil {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "\(self.do.rawValue) needs an adapter"))
    }
  }
}
