import Foundation
import Testing

/// The files in `Fixtures`, made by imgtool and zipfile (see the README there).
enum Fixture {
  static func url(_ name: String) throws -> URL {
    try #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: nil), "\(name) is not among the fixtures")
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url(name)))
  }

  /// What `imgtool dumpinfo --format json` says of an image.
  static func dump(_ name: String) throws -> Dump {
    try JSONDecoder().decode(Dump.self, from: Data(contentsOf: url(name + ".json")))
  }

  struct Dump: Decodable {
    struct Header: Decodable {
      var load_addr: UInt32
      var hdr_size: Int
      var protected_tlv_size: Int
      var img_size: Int
      var flags: UInt32
      var version: String
    }

    struct Entry: Decodable, Equatable {
      var type: UInt16
      var data: String
    }

    struct Area: Decodable {
      var tlvs_prot: [Entry]
      var tlvs: [Entry]
    }

    var header: Header
    var tlv_area: Area
  }
}

/// Numbers that are the same in every run (SplitMix64).
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension Array where Element == UInt8 {
  /// The same bytes with some of them replaced.
  func patched(at offset: Int, _ new: [UInt8]) -> [UInt8] {
    Array(prefix(offset)) + new + Array(dropFirst(offset + new.count))
  }
}
