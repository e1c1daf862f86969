import Firmware
import Foundation

/// What the tests of Nordic packages share: bytes from hexadecimal text, and archives made of them.
enum NordicFixture {
  /// Bytes of a text of hexadecimal digits; blanks and bars only order it.
  static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter(\.isHexDigit)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
  }

  static func package(_ name: String) throws -> NordicPackage {
    try NordicPackage(path: Fixture.url("nordic/\(name)").path)
  }

  /// The package that lies in these entries.
  static func package(_ entries: [ZipBuilder.Entry]) throws -> NordicPackage {
    try NordicPackage(fileName: "made.zip", bytes: ZipBuilder.archive(entries))
  }

  /// One application with this init packet, as Legacy DFU's tools pack it.
  static func application(_ image: [UInt8], _ initPacket: [UInt8], dfuVersion: Bool = true) throws -> NordicPackage {
    let version = dfuVersion ? #","dfu_version":0.5"# : ""
    return try package([
      ZipBuilder.Entry("manifest.json", #"{"manifest":{"application":{"bin_file":"a.bin","dat_file":"a.dat"}\#(version)}}"#),
      ZipBuilder.Entry("a.bin", image), ZipBuilder.Entry("a.dat", initPacket),
    ])
  }

  static func subjects(_ complaints: [Complaint], _ severity: Complaint.Severity = .error) -> [Complaint.Subject] {
    complaints.filter { $0.severity == severity }.map(\.subject)
  }

  /// The packages of Nordic's own tools, and the rig's.
  static let packages = [
    "legacy-05.zip", "legacy-06.zip", "legacy-07.zip", "legacy-08.zip", "legacy-all.zip", "legacy-bootloader.zip", "legacy-softdevice.zip",
    "secure-app.zip", "secure-unsigned.zip", "secure-bootloader.zip", "secure-softdevice.zip", "secure-all.zip",
    "rig-metawear.zip", "rig-unpacked.zip", "rig-secure-both.zip",
  ]
}
