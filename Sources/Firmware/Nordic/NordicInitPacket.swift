/// An init packet, whichever protocol it belongs to.
public enum NordicInitPacket: Hashable, Sendable {
  case legacy(LegacyInitPacket)
  case secure(SecureInitPacket)

  /// Tells the protocols apart by reading the whole packet, never by its first byte: a Legacy packet for board type 0x000A or 0x0012 begins
  /// like a Secure one (facts/nordic-dfu.md §4.2).
  ///
  /// - Parameter saysLegacy: the manifest has a `dfu_version`. It settles what fits both forms, and lets unknown extensions pass.
  public init(_ bytes: [UInt8], saysLegacy: Bool = false) throws(PackageError) {
    guard bytes.count <= SecureInitPacket.largest else { throw .initPacketTooLong(bytes.count, limit: SecureInitPacket.largest) }
    if saysLegacy, let packet = LegacyInitPacket(bytes) {
      self = .legacy(packet)
      return
    }
    let flaw: ProtobufReader.Flaw
    do throws(ProtobufReader.Flaw) {
      self = .secure(try SecureInitPacket(bytes))
      return
    } catch {
      flaw = error
    }
    if let packet = LegacyInitPacket(bytes, takesUnknownExtension: saysLegacy) {
      self = .legacy(packet)
    } else {
      throw .initPacketUnknown(bytes.count, flaw.text)
    }
  }

  public var dfuProtocol: NordicProtocol {
    switch self {
    case .legacy: .legacy
    case .secure: .secure
    }
  }
}
