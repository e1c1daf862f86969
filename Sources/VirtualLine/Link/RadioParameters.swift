/// What a link's speed follows from: Bluetooth Core 5.4, Vol 6, Part B (packet formats 2.1 and 2.2, T_IFS 4.1).
public struct RadioParameters: Hashable, Sendable, Codable {
  public enum PHY: String, Hashable, Sendable, Codable {
    case le1M = "1M"
    case le2M = "2M"
  }

  /// Connection interval in milliseconds (7.5…4000 on the air; 1…4000 here).
  public var intervalMilliseconds = 15.0
  public var phy = PHY.le2M
  /// Most payload bytes of one link layer packet (27…251).
  public var dataLength = 251
  /// After so much silence the central counts a link as lost.
  public var supervisionMilliseconds = 420

  public init() {}

  var interval: Duration { .microseconds(Int64(min(max(intervalMilliseconds, 1), 4000) * 1000)) }
  var supervision: Duration { .milliseconds(min(max(supervisionMilliseconds, 10), 32_000)) }
  var packetSize: Int { min(max(dataLength, 27), 251) }

  /// Microseconds that a packet with so many payload bytes is on the air: preamble, access address, header, payload, CRC.
  func airtime(payload: Int) -> Int {
    switch phy {
    case .le1M: (1 + 4 + 2 + payload + 3) * 8
    case .le2M: (2 + 4 + 2 + payload + 3) * 4
    }
  }

  /// Microseconds between two packets of one connection event.
  static let interFrameSpace = 150
  /// L2CAP and ATT headers of a write command or notification (Core 5.4, Vol 3, Part A 3.1 and Part F 3.4).
  static let attributeOverhead = 7

  enum CodingKeys: String, CodingKey, CaseIterable {
    case intervalMilliseconds, phy, dataLength, supervisionMilliseconds
  }

  public init(from decoder: any Decoder) throws {
    self.init()
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    intervalMilliseconds = try values.decodeIfPresent(intervalMilliseconds, .intervalMilliseconds)
    phy = try values.decodeIfPresent(phy, .phy)
    dataLength = try values.decodeIfPresent(dataLength, .dataLength)
    supervisionMilliseconds = try values.decodeIfPresent(supervisionMilliseconds, .supervisionMilliseconds)
  }
}
