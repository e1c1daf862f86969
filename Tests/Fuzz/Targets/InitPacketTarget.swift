import Firmware

extension FuzzTarget {
  /// Init packets of both Nordic protocols, told apart by nothing but their bytes; and Intel HEX.
  ///
  /// Input: the first byte chooses, the rest is the packet or the file.
  static let initPacket = FuzzTarget(name: "init-packet", about: "LegacyInitPacket, SecureInitPacket, Intel HEX", longest: 2048) { bytes in
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let packet = input.takeRest()
    switch kind % 3 {
    case 0: _ = try? NordicInitPacket(packet)
    case 1: _ = try? NordicInitPacket(packet, saysLegacy: true)
    default: Self.examine { () throws(PackageError) in .nordic(try NordicPackage(fileName: "image.hex", bytes: [UInt8(ascii: ":")] + packet)) }
    }
    _ = LegacyInitPacket(packet)
    _ = LegacyInitPacket(packet, takesUnknownExtension: true)
  }

  /// Reads a file, and writes everything that `inspect` has to say of it, or the refusal.
  static func examine(_ read: () throws(PackageError) -> FirmwareFile) {
    do throws(PackageError) {
      let file = try read()
      _ = PackageReport(file).lines
    } catch {
      _ = String(describing: error)
    }
  }
}
