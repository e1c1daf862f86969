/// An image's version: major, minor, revision and build number, compared in this order.
///
/// Source: `struct image_version` of MCUboot's `bootutil/image.h` (u8, u8, u16, u32).
public struct ImageVersion: Hashable, Sendable, Comparable, LosslessStringConvertible {
  public var major: UInt8
  public var minor: UInt8
  public var revision: UInt16
  public var build: UInt32

  public init(major: UInt8, minor: UInt8, revision: UInt16, build: UInt32 = 0) {
    self.major = major
    self.minor = minor
    self.revision = revision
    self.build = build
  }

  /// Reads `1`, `1.2`, `1.2.3`, `1.2.3+4` (imgtool) and `1.2.3.4` (SMP); parts left out are 0. Anything else is nil.
  public init?(_ text: String) {
    let plus = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    var parts = plus.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    guard (1...4).contains(parts.count), plus.count == 1 || parts.count < 4 else { return nil }
    if plus.count == 2 {
      parts += Array(repeating: "0", count: 3 - parts.count) + [plus[1]]
    }
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
    parts += Array(repeating: "0", count: 4 - parts.count)
    guard let major = UInt8(parts[0]), let minor = UInt8(parts[1]), let revision = UInt16(parts[2]), let build = UInt32(parts[3]) else { return nil }
    self.init(major: major, minor: minor, revision: revision, build: build)
  }

  /// `M.m.r+b`, as imgtool and the manifests write it.
  public var description: String { "\(major).\(minor).\(revision)+\(build)" }

  /// `M.m.r`, or `M.m.r.b` when there is a build number: as a board's image list writes it (facts/smp.md §3.2).
  public var smpText: String { "\(major).\(minor).\(revision)" + (build == 0 ? "" : ".\(build)") }

  public static func < (left: ImageVersion, right: ImageVersion) -> Bool {
    (left.major, left.minor, left.revision, left.build) < (right.major, right.minor, right.revision, right.build)
  }
}
