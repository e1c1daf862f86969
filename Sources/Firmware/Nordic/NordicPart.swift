/// One part of a Nordic DFU package: one image with its init packet, for one pass of the update.
public struct NordicPart: Hashable, Sendable {
  public let kind: NordicKind
  /// Name of the image's file in the archive. It never decides anything.
  public let name: String
  /// What is sent; for SoftDevice and bootloader together one behind the other.
  public let image: [UInt8]
  /// SHA-256 of `image`.
  public let sha256: Digest
  /// CRC-16 of `image`, which Legacy init packets name.
  public let crc16: UInt16
  /// CRC-32 of `image`, which the last answer of Secure DFU names.
  public let crc32: UInt32
  /// The bytes of the `.dat` file, sent as they are; empty where the part has none.
  public let initPacket: [UInt8]
  /// The init packet read; nil where the part has none, which only bootloaders without the DFU Version characteristic take.
  public let parsed: NordicInitPacket?
  /// What the manifest says of it, which the init packet outranks; nil without a manifest.
  let listing: NordicManifest.Part?
  /// The sizes by the manifest or by the files that were put together; nil where neither names them.
  let namedSizes: NordicSizes?
  /// Where an Intel HEX file puts the image; nil for raw bytes.
  public let address: UInt32?

  init(
    kind: NordicKind, name: String, image: [UInt8], initPacket: [UInt8], parsed: NordicInitPacket?, listing: NordicManifest.Part? = nil,
    namedSizes: NordicSizes? = nil, address: UInt32? = nil
  ) throws(PackageError) {
    self.kind = kind
    self.name = name
    self.image = image
    self.initPacket = initPacket
    self.parsed = parsed
    self.listing = listing
    self.namedSizes = namedSizes
    self.address = address
    sha256 = try Digest(.sha256, of: image)
    crc16 = CRC16(of: image).value
    crc32 = CRC32(of: image).value
  }

  /// The protocol that the init packet is made for; a part without one can only go to an old Legacy bootloader.
  public var dfuProtocol: NordicProtocol { parsed?.dfuProtocol ?? .legacy }

  /// The three sizes for Legacy DFU's Start. Those of a Secure part are in its init packet; complaints say when they do not add up to the image.
  public var sizes: NordicSizes {
    if case .secure(let packet)? = parsed { return packet.sizes }
    switch kind {
    case .softDevice: return NordicSizes(softDevice: image.count)
    case .bootloader: return NordicSizes(bootloader: image.count)
    case .softDeviceBootloader: return namedSizes ?? NordicSizes()
    case .application, .bootloaderApplication, .softDeviceApplication, .softDeviceBootloaderApplication:
      return NordicSizes(application: image.count)
    }
  }

  /// For messages: the file's name, and what it is.
  var title: String { "\(quoted(name)) (\(kind.rawValue))" }
}
