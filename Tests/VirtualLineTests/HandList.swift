import Firmware

@testable import VirtualLine

/// Image lists in CBOR by hand: the keys and their order as in the recorded answers of device-manager.md §9, with `image` first where smp.md §3.2 has it.
enum HandList {
  /// One entry of the list, in hexadecimal.
  ///
  /// - Parameter flags: of b(ootable) p(ending) c(onfirmed) a(ctive) P(ermanent) those that are true.
  static func entry(image: UInt8? = nil, slot: UInt8, _ version: String, _ hash: [UInt8]?, _ flags: String) -> String {
    let keys: [(Character, String)] = [
      ("b", "68626f6f7461626c65"), ("p", "6770656e64696e67"), ("c", "69636f6e6669726d6564"), ("a", "66616374697665"), ("P", "697065726d616e656e74"),
    ]
    let number = image.map { "65696d616765" + hex([$0]) } ?? ""
    let digest = hash.map { "6468617368" + hex(Hand.data($0)) } ?? ""
    return "bf" + number + "64736c6f74" + hex([slot]) + "6776657273696f6e" + hex(Hand.text(version)) + digest
      + keys.map { $0.1 + (flags.contains($0.0) ? "f5" : "f4") }.joined() + "ff"
  }

  /// The whole answer to a list request with sequence number 0, or to a state write.
  static func answer(_ entries: [String], isWrite: Bool = false) -> String {
    let map = "bf66696d616765739f" + entries.joined() + "ff6b73706c697453746174757300ff"
    let length = map.count / 2
    return (isWrite ? "0b00" : "0900") + hex([UInt8(length >> 8), UInt8(length & 0xFF)]) + "00010000" + map
  }

  /// The answer with an error of the image group (smp.md §1.1), sequence number 0.
  static func error(_ code: Int, command: UInt8, isWrite: Bool = true) -> String {
    let map = "bf63657272bf6567726f757001627263" + hex(Hand.number(code)) + "ffff"
    return (isWrite ? "0b0000" : "090000") + hex([UInt8(map.count / 2), 0, 1, 0, command]) + map
  }

  /// `{rc: 8}`: not built (smp.md §1.3).
  static func notBuilt(command: UInt8, isWrite: Bool = true) -> String { (isWrite ? "0b00000600" : "0900000600") + "0100" + hex([command]) + "bf62726308ff" }
}

extension BoardBench {
  static let list = "0800000100010000a0"

  /// Uploads a file as the image that its number says; the last answer in hexadecimal.
  @discardableResult
  mutating func upload(_ file: [UInt8], image: Int, chunk: Int = 400) -> String {
    var last = ""
    for offset in stride(from: 0, to: file.count, by: chunk) {
      let data = Array(file[offset..<min(offset + chunk, file.count)])
      var pairs = [("off", Hand.number(offset)), ("data", Hand.data(data))]
      if offset == 0 { pairs += [("len", Hand.number(file.count)), ("image", Hand.number(image))] }
      last = hex(ask(request(2, group: 1, command: 1, Hand.map(pairs))).flatMap { $0 })
      if last.contains("63657272") || last.hasSuffix("bf62726308ff") { return last }
    }
    return last
  }

  /// Every image as `slots`.
  var allSlots: [[String]] {
    board.flash.images.map { image in
      image.slots.indices.map { number in
        guard let stored = image.slots[number].image else { return "-" }
        let flags = image.flags(of: number)
        let letters = [("b", stored.bootable), ("p", flags.pending), ("c", flags.confirmed), ("a", flags.active), ("P", flags.permanent)]
        return "\(stored.version.smpText) " + letters.filter(\.1).map(\.0).joined()
      }
    }
  }
}

/// Settings of a mode, of a kind, and with a change.
func settings(_ kind: SMPKind = .swap, _ change: (inout BoardSettings) -> Void = { _ in }) -> BoardSettings {
  var settings = kind.settings
  change(&settings)
  return settings
}
