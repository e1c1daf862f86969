/// How a board's Memfault Diagnostic Service is built, and what chunks it has (`settings: { mds: {…} }` of the faults file). Sizes in bytes.
///
/// In `deviceID`, `uri` and `authorization` the word `{serial}` stands for the board's serial number.
public struct DiagnosticSettings: Hashable, Sendable, Codable {
  /// Chunks that are made when they leave: four bytes of the board's address, four of the chunk's number (from 0, big endian), then noise.
  public struct Generated: Hashable, Sendable, Codable {
    public var count = 0
    /// Of each chunk, 8 and more. One that does not fit the link's MTU is made shorter.
    public var size = 120
    public var seed: UInt64 = 1

    public init(count: Int = 0, size: Int = 120, seed: UInt64 = 1) {
      self.count = count
      self.size = size
      self.seed = seed
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
      case count, size, seed
    }

    public init(from decoder: any Decoder) throws {
      self.init()
      try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
      let values = try decoder.container(keyedBy: CodingKeys.self)
      count = try values.decodeIfPresent(count, .count)
      size = try values.decodeIfPresent(size, .size)
      seed = try values.decodeIfPresent(seed, .seed)
    }
  }

  /// The one byte of supported features.
  public var features = 0
  public var deviceID = "{serial}"
  public var uri = "https://chunks.memfault.com/api/v0/chunks/{serial}"
  public var authorization = "Memfault-Project-Key:0123456789abcdef0123456789abcdef"
  /// In hexadecimal; one longer than the link's MTU less 4 goes as several.
  public var chunks: [String] = []
  /// Behind `chunks`.
  public var generated = Generated()
  /// How often the board looks for new data, and how much of it there is then; 0: all that it has, as fast as it goes.
  public var pollMilliseconds = 50
  public var chunksPerPoll = 0
  /// Notifications that have not been on the air yet (smp.md §8: 2).
  public var inFlight = 2
  /// Everything in the service demands an encrypted link.
  public var isEncrypted = false
  /// The board lets itself be paired by Just Works.
  public var pairs = true
  /// False: the application refuses every access to the service (ATT errors 0x02 and 0x03).
  public var allowsAccess = true
  /// The service is in the advertisement.
  public var isAdvertised = true

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case features, deviceID, uri, authorization, chunks, generated, pollMilliseconds, chunksPerPoll, inFlight, pairs
    case isEncrypted = "encrypted"
    case allowsAccess = "access"
    case isAdvertised = "advertised"
  }

  /// Reads what is there; unknown keys are an error.
  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    features = try values.decodeIfPresent(features, .features)
    deviceID = try values.decodeIfPresent(deviceID, .deviceID)
    uri = try values.decodeIfPresent(uri, .uri)
    authorization = try values.decodeIfPresent(authorization, .authorization)
    chunks = try values.decodeIfPresent(chunks, .chunks)
    generated = try values.decodeIfPresent(generated, .generated)
    pollMilliseconds = try values.decodeIfPresent(pollMilliseconds, .pollMilliseconds)
    chunksPerPoll = try values.decodeIfPresent(chunksPerPoll, .chunksPerPoll)
    inFlight = try values.decodeIfPresent(inFlight, .inFlight)
    pairs = try values.decodeIfPresent(pairs, .pairs)
    isEncrypted = try values.decodeIfPresent(isEncrypted, .isEncrypted)
    allowsAccess = try values.decodeIfPresent(allowsAccess, .allowsAccess)
    isAdvertised = try values.decodeIfPresent(isAdvertised, .isAdvertised)
  }

  /// The longest value of an attribute (Bluetooth Core 5.4 Vol 3 Part F, 3.2.9).
  static let valueLimit = 512
  static let chunkLimit = 4096

  /// What is wrong with the values, for an operator; nil when nothing is.
  var complaint: String? {
    let numbers: [(String, Int, ClosedRange<Int>)] = [
      ("features", features, 0...255), ("pollMilliseconds", pollMilliseconds, 1...ScriptLimits.milliseconds.upperBound),
      ("chunksPerPoll", chunksPerPoll, 0...1000), ("inFlight", inFlight, 1...64), ("generated: count", generated.count, 0...10_000_000),
      ("generated: size", generated.size, ChunkSource.headSize...(ScriptLimits.mtu.upperBound - 4)),
    ]
    for (name, value, range) in numbers where !range.contains(value) { return "\(name): \(value) is not from \(range.lowerBound) to \(range.upperBound)" }
    for (name, text) in [("deviceID", deviceID), ("uri", uri), ("authorization", authorization)] where text.utf8.count > Self.valueLimit {
      return "\(name): longer than \(Self.valueLimit) bytes"
    }
    for (number, text) in chunks.enumerated() {
      guard let bytes = ChunkSource.bytes(text) else { return "chunks[\(number)]: not in hexadecimal" }
      if !(1...Self.chunkLimit).contains(bytes.count) { return "chunks[\(number)]: \(bytes.count) bytes are not from 1 to \(Self.chunkLimit)" }
    }
    return nil
  }
}
