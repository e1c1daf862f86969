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
  }

  public var boards: [Entry]?
  public var line: [LineFault]?
  public var radio: RadioParameters?

  public init(boards: [Entry]? = nil, line: [LineFault]? = nil, radio: RadioParameters? = nil) {
    self.boards = boards
    self.line = line
    self.radio = radio
  }

  /// The last entry with settings counts; faults of all fitting entries add up.
  func entry(number: Int, address: BluetoothAddress) -> (settings: BoardSettings, faults: [BoardFault]) {
    let fitting = (boards ?? []).filter { $0.board == .all || $0.board == .number(number) || $0.board == .address(address) }
    return (fitting.compactMap(\.settings).last ?? BoardSettings(), fitting.flatMap { $0.faults ?? [] })
  }
}

/// Something that goes wrong with adapters or with bluetoothd, when a board has got so far.
public struct LineFault: Hashable, Sendable, Codable {
  public enum Action: String, Hashable, Sendable, Codable {
    /// The adapter is pulled out; plugged in again after `milliseconds` when that is given.
    case unplug
    /// An adapter that was pulled out comes back.
    case plug
    /// All links of the adapter go at once, as by a USB reset.
    case loseLinks
    /// bluetoothd is away for `milliseconds` (3000 when not given): the name, all links and all objects go.
    case stackAway
  }

  /// What a line fault waits for; exactly one of `bytes`, `connections`, `boots` is given.
  public struct Condition: Hashable, Sendable, Codable {
    /// The board's number.
    public var board: Int
    /// Image bytes that the board has stored, in its whole life.
    public var bytes: Int?
    /// Connections that it has had.
    public var connections: Int?
    public var boots: Int?
  }

  public var `do`: Action
  /// The adapter's number (0 is the first).
  public var adapter: Int?
  public var when: Condition
  public var milliseconds: Int?
}
