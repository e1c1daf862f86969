import Bluetooth
import Station

/// What `observe` is asked for.
struct ObserveRequest: Hashable, Sendable {
  /// How boards are paired, where the command line says so.
  enum Pairing: Hashable, Sendable {
    case none
    case method(PairingMethod)
  }

  /// Most boards that are named.
  static let boardLimit = 256
  /// A week: nobody looks at a terminal for longer.
  static let longestSeconds = 604_800

  /// Empty: every board that shows the service, or that a profile matches.
  var boards: [BluetoothAddress] = []
  var profiles: [String] = []
  /// Nil leaves it to the profile.
  var pairing: Pairing?
  var isUploadOnly = false
  /// How long boards are observed; nil: until they are all done, or it is stopped.
  var seconds: Int?
  var until: UntilTime?
}

extension ObserveRequest {
  init(_ words: ArraySlice<String>, _ values: OptionValues) throws(ProgramError) {
    for word in words {
      guard let address = BluetoothAddress(word) else {
        throw .usage("\(word.shown) is no Bluetooth address", "write six pairs of digits, like C0:DE:00:00:00:01")
      }
      if !boards.contains(address) { boards.append(address) }
    }
    guard boards.count <= Self.boardLimit else { throw .usage("observe takes at most \(Self.boardLimit) addresses", "name fewer, or none for all in range") }
    profiles = try values.all("profile")
    pairing = try Self.pairing(values)
    isUploadOnly = values.has("upload-only")
    seconds = try values.integer("seconds", in: 1...Self.longestSeconds)
    until = try values.timeOfDay("until")
    if seconds != nil, until != nil { throw .usage("--seconds and --until contradict each other", "leave one of them out") }
    if isUploadOnly, !boards.isEmpty || !profiles.isEmpty || pairing != nil {
      throw .usage("--upload-only connects to no board", "leave out the addresses, --profile and --pairing")
    }
  }

  private static func pairing(_ values: OptionValues) throws(ProgramError) -> Pairing? {
    switch try values.text("pairing") {
    case nil: return nil
    case "none": return Pairing.none
    case "just-works": return .method(.justWorks)
    case let text?:
      guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let passkey = UInt32(text) else {
        throw .usage("--pairing \(text.shown) is unknown", "write none, just-works, or the six digits of the boards' passkey")
      }
      return .method(.passkey(passkey))
    }
  }
}
