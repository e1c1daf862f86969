public import Bluetooth

/// The faults file of a virtual line: how boards are built, what goes wrong with them, and what goes wrong with the line.
public struct LineScript: Hashable, Sendable, Codable {
  /// Which boards an entry means: all, one by its number (0 is the first), or one by its address.
  public enum Target: Hashable, Sendable, Codable {
    case all
    case number(Int)
    case address(BluetoothAddress)

    public init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(Int.self) {
        self = .number(number)
        return
      }
      let text = try value.decode(String.self)
      if text == "*" {
        self = .all
      } else if let address = BluetoothAddress(text) {
        self = .address(address)
      } else {
        throw DecodingError.dataCorruptedError(in: value, debugDescription: "a board is a number, an address or \"*\", not \"\(text)\"")
      }
    }

    public func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .all: try value.encode("*")
      case .number(let number): try value.encode(number)
      case .address(let address): try value.encode(address.description)
      }
    }
  }

  public struct Entry: Hashable, Sendable, Codable {
    public var board: Target
    public var settings: BoardSettings?
    public var faults: [BoardFault]?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case board, settings, faults
    }

    public init(board: Target, settings: BoardSettings? = nil, faults: [BoardFault]? = nil) {
      self.board = board
      self.settings = settings
      self.faults = faults
    }

    public init(from decoder: any Decoder) throws {
      try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
      let values = try decoder.container(keyedBy: CodingKeys.self)
      board = try values.decode(Target.self, forKey: .board)
      settings = try values.decodeIfPresent(BoardSettings.self, forKey: .settings)
      faults = try values.decodeIfPresent([BoardFault].self, forKey: .faults)
    }
  }

  public var boards: [Entry]?
  public var line: [LineFault]?
  public var radio: RadioParameters?

  public init(boards: [Entry]? = nil, line: [LineFault]? = nil, radio: RadioParameters? = nil) {
    self.boards = boards
    self.line = line
    self.radio = radio
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case boards, line, radio
  }

  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    boards = try values.decodeIfPresent([Entry].self, forKey: .boards)
    line = try values.decodeIfPresent([LineFault].self, forKey: .line)
    radio = try values.decodeIfPresent(RadioParameters.self, forKey: .radio)
  }

  /// The last entry with settings counts; faults of all fitting entries add up.
  func entry(number: Int, address: BluetoothAddress) -> (settings: BoardSettings?, faults: [BoardFault]) {
    let fitting = (boards ?? []).filter { $0.board == .all || $0.board == .number(number) || $0.board == .address(address) }
    return (fitting.compactMap(\.settings).last, fitting.flatMap { $0.faults ?? [] })
  }
}
