/// The init packet (`.dat`) of Legacy DFU, little-endian (facts/nordic-dfu.md §2.6).
///
/// u16 board type, u16 board revision, u32 application version, u16 count and as many u16 SoftDevice ids, then an extension. Packages of
/// SDK 6 have a CRC-16 and nothing else.
public struct LegacyInitPacket: Hashable, Sendable {
  /// FFFF in `deviceType` and `deviceRevision`: every board.
  public static let anyBoard: UInt16 = 0xffff
  /// FFFFFFFF in `applicationVersion`: no version.
  public static let anyVersion: UInt32 = 0xffff_ffff
  /// What a bootloader's buffer takes, in bytes (§2.5).
  public static let largest = 128
  /// What a bootloader without signature check has room for behind the SoftDevice list; more overwrites its memory (§2.5).
  public static let largestPlainExtension = 10

  /// What stands before the extension.
  public struct Header: Hashable, Sendable {
    /// On MetaWear boards the model number; on others what the factory wrote into the board (UICR).
    public let deviceType: UInt16
    /// On MetaWear boards the minor number of the hardware revision.
    public let deviceRevision: UInt16
    public let applicationVersion: UInt32
    /// The board must have one of these. Bootloaders refuse an empty list.
    public let softDevices: [SoftDevice]

    public init(deviceType: UInt16, deviceRevision: UInt16, applicationVersion: UInt32, softDevices: [SoftDevice]) {
      self.deviceType = deviceType
      self.deviceRevision = deviceRevision
      self.applicationVersion = applicationVersion
      self.softDevices = softDevices
    }

    /// Bytes of the header in the file.
    var length: Int { 10 + 2 * softDevices.count }
  }

  /// How the image is protected, which is also the format's version.
  public enum Extension: Hashable, Sendable {
    /// Version 0.5, and with an id 0.6.
    case crc16(UInt16, hasID: Bool)
    /// Version 0.7. The length is nil in files of tools that leave it out.
    case sha256(length: UInt32?, hash: Digest)
    /// Version 0.8: hash, and r ‖ s of ECDSA P-256.
    case signed(length: UInt32?, hash: Digest, signature: [UInt8])
    /// Something newer, taken only where the manifest says that the package is for Legacy DFU: the board decides.
    case unknown([UInt8])
  }

  /// Nil in the 2-byte form of SDK 6.
  public let header: Header?
  public let `extension`: Extension
  /// Length of the packet in bytes.
  public let length: Int

  /// Reads a whole packet; nil when its length fits none of the known forms.
  ///
  /// - Parameter takesUnknownExtension: also a packet of at least 14 bytes whose extension has an unknown form.
  public init?(_ bytes: [UInt8], takesUnknownExtension: Bool = false) {
    length = bytes.count
    var reader = ByteReader(bytes)
    if bytes.count == 2 {
      guard let crc = reader.u16() else { return nil }
      (header, `extension`) = (nil, .crc16(crc, hasID: false))
      return
    }
    guard let header = Header(from: &reader) else { return nil }
    self.header = header
    let rest = Array(bytes[reader.offset...])
    if let known = Extension(rest) {
      `extension` = known
    } else {
      guard takesUnknownExtension, bytes.count >= 14 else { return nil }
      `extension` = .unknown(rest)
    }
  }

  /// Length of the packet once the bootloader has padded it to whole words (§2.5).
  var paddedLength: Int { (length + 3) / 4 * 4 }

  /// What then stands behind the SoftDevice list.
  var paddedExtension: Int { paddedLength - (header?.length ?? 0) }
}

extension LegacyInitPacket.Header {
  fileprivate init?(from reader: inout ByteReader) {
    guard let type = reader.u16(), let revision = reader.u16(), let version = reader.u32(), let count = reader.u16(),
      Int(count) * 2 <= reader.remaining
    else { return nil }
    var softDevices: [SoftDevice] = []
    for _ in 0..<count {
      guard let id = reader.u16() else { return nil }
      softDevices.append(SoftDevice(rawValue: id))
    }
    self.init(deviceType: type, deviceRevision: revision, applicationVersion: version, softDevices: softDevices)
  }
}

extension LegacyInitPacket.Extension {
  /// The forms by their length and id: 2; 6 with id 0; 40 (36 without length) with id 1; 104 (100 without length) with id 2.
  fileprivate init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    if bytes.count == 2 {
      guard let crc = reader.u16() else { return nil }
      self = .crc16(crc, hasID: false)
      return
    }
    switch (reader.u32(), bytes.count) {
    case (0, 6):
      guard let crc = reader.u16() else { return nil }
      self = .crc16(crc, hasID: true)
    case (1, 36), (1, 40):
      let length = bytes.count == 40 ? reader.u32() : nil
      guard let hash = Self.hash(&reader) else { return nil }
      self = .sha256(length: length, hash: hash)
    case (2, 100), (2, 104):
      let length = bytes.count == 104 ? reader.u32() : nil
      guard let hash = Self.hash(&reader), let signature = reader.take(64) else { return nil }
      self = .signed(length: length, hash: hash, signature: signature)
    default: return nil
    }
  }

  private static func hash(_ reader: inout ByteReader) -> Digest? {
    reader.take(32).flatMap { Digest(.sha256, bytes: $0) }
  }
}

extension LegacyInitPacket {
  /// The version of the format, as `dfu_version` of a manifest names it.
  public var form: String {
    switch `extension` {
    case .crc16(_, hasID: false): header == nil ? "crc" : "0.5"
    case .crc16(_, hasID: true): "0.6"
    case .sha256: "0.7"
    case .signed: "0.8"
    case .unknown: "unknown"
    }
  }

  public var crc16: UInt16? {
    if case .crc16(let crc, _) = `extension` { crc } else { nil }
  }

  public var hash: Digest? {
    switch `extension` {
    case .sha256(_, let hash), .signed(_, let hash, _): hash
    case .crc16, .unknown: nil
    }
  }

  public var isSigned: Bool {
    if case .signed = `extension` { true } else { false }
  }
}
