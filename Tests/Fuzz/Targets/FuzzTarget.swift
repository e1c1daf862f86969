/// One reader of bytes from outside, to be fed with anything: it may refuse them in its own words, but never trap, hang or take memory without end.
///
/// A target checks more than that where more must hold (what was read and written again is the same); a promise that is broken is a trap, too.
public struct FuzzTarget: Sendable {
  /// The name of its folders of seeds and of inputs that were found, in small letters with dashes.
  public let name: String
  /// What it reads.
  public let about: String
  /// The longest input that is worth trying, in bytes.
  public let longest: Int
  public let feed: @Sendable ([UInt8]) -> Void

  /// All targets, the quickest first.
  public static let all: [FuzzTarget] = [
    cbor, smpAnswer, upload, initPacket, dfuAnswer, diagnostics, image, suit, manifest, zip, config, catalogue,
  ]

  public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
