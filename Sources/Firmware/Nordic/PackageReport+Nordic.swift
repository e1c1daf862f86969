extension PackageReport {
  /// One part of a Nordic DFU package, in the order of sending.
  public struct Part: Codable, Hashable, Sendable {
    public var part: NordicKind
    public var name: String
    /// Bytes.
    public var size: Int
    /// Of the image.
    public var sha256: String
    /// CRC-16 and CRC-32 of the image.
    public var crc16: UInt16
    public var crc32: UInt32
    public var `protocol`: NordicProtocol
    /// What a Legacy bootloader is told; of a Secure part what the init packet tells it.
    public var sizes: NordicSizes
    /// Where an Intel HEX file puts the image.
    public var address: UInt32?
    /// Absent when the part has none.
    public var initPacket: InitPacket?

    enum CodingKeys: String, CodingKey {
      case part, name, size, sha256, crc16, crc32, `protocol`, sizes, address
      case initPacket = "init_packet"
    }
  }

  /// An init packet; what the protocol or the form does not have is absent.
  public struct InitPacket: Codable, Hashable, Sendable {
    /// Bytes.
    public var size: Int
    /// `crc`, `0.5` to `0.8` and `unknown` of Legacy DFU; `secure`.
    public var form: String
    public var deviceType: UInt16?
    public var deviceRevision: UInt16?
    public var applicationVersion: UInt32?
    /// What the image is, by the packet.
    public var type: String?
    public var fwVersion: UInt32?
    public var hwVersion: UInt32?
    public var softDevices: [UInt16]
    /// The image's hash in its usual order.
    public var hash: String?
    public var signed: Bool
    public var debug: Bool
    /// Kinds of the checks at each start: `none`, `crc`, `sha256`, `ecdsa_p256`, or a number.
    public var bootValidations: [String]

    enum CodingKeys: String, CodingKey {
      case size, form, type, hash, signed, debug
      case deviceType = "device_type", deviceRevision = "device_revision", applicationVersion = "application_version"
      case fwVersion = "fw_version", hwVersion = "hw_version", softDevices = "softdevices", bootValidations = "boot_validations"
    }
  }

  /// - Parameter more: complaints beside the package's own, such as those against a profile.
  public init(_ package: NordicPackage, more: [Complaint] = []) {
    file = package.fileName
    kind =
      switch package.kind {
      case .package: .nordicPackage
      case .image: .nordicImage
      }
    size = package.size
    sha256 = package.sha256.hex
    name = nil
    images = []
    parts = package.parts.map(Part.init)
    complaints = (more + package.complaints).map(Line.init)
  }

  public init(_ file: FirmwareFile, more: [Complaint] = []) {
    switch file {
    case .update(let package): self.init(package, more: more)
    case .nordic(let package): self.init(package, more: more)
    }
  }
}

extension PackageReport.Part {
  fileprivate init(_ part: NordicPart) {
    self.part = part.kind
    name = part.name
    size = part.image.count
    sha256 = part.sha256.hex
    crc16 = part.crc16
    crc32 = part.crc32
    `protocol` = part.dfuProtocol
    sizes = part.sizes
    address = part.address
    switch part.parsed {
    case .legacy(let packet)?: initPacket = PackageReport.InitPacket(packet)
    case .secure(let packet)?: initPacket = PackageReport.InitPacket(packet)
    case nil: break
    }
  }

  var lines: [String] {
    var lines = ["  \(part.rawValue): \(quoted(name)), \(size) bytes, \(self.protocol.title)"]
    lines.append("    SHA-256      \(sha256)")
    lines.append("    CRC          CRC-16 \(crc16.hexText), CRC-32 \(crc32.hexText)")
    if part == .softDeviceBootloader { lines.append("    sizes        SoftDevice \(sizes.softDevice) bytes, bootloader \(sizes.bootloader) bytes") }
    if let address { lines.append("    address      \(address.hexText)") }
    return lines + (initPacket?.lines ?? ["    init packet  none"])
  }
}

extension PackageReport.InitPacket {
  fileprivate init(_ packet: LegacyInitPacket) {
    size = packet.length
    form = packet.form
    deviceType = packet.header?.deviceType
    deviceRevision = packet.header?.deviceRevision
    applicationVersion = packet.header?.applicationVersion
    softDevices = packet.header?.softDevices.map(\.rawValue) ?? []
    hash = packet.hash?.hex
    signed = packet.isSigned
    debug = false
    bootValidations = []
  }

  fileprivate init(_ packet: SecureInitPacket) {
    size = packet.length
    form = NordicProtocol.secure.rawValue
    type = packet.type?.text
    fwVersion = packet.fwVersion
    hwVersion = packet.hwVersion
    softDevices = packet.softDevices.map(\.rawValue)
    hash = packet.hash.digest?.hex
    signed = packet.signature != nil
    debug = packet.isDebug
    bootValidations = packet.bootValidations.map(\.text)
  }

  fileprivate var lines: [String] {
    var lines = ["    init packet  \(size) bytes, \(form == NordicProtocol.secure.rawValue ? "" : "form \(form), ")\(signed ? "signed" : "not signed")"]
    if let deviceType, let deviceRevision {
      let any = LegacyInitPacket.anyBoard
      lines.append("    boards       type \(deviceType == any ? "any" : "\(deviceType)"), revision \(deviceRevision == any ? "any" : "\(deviceRevision)")")
    }
    if let applicationVersion, applicationVersion != LegacyInitPacket.anyVersion { lines.append("    version      \(applicationVersion)") }
    if let fwVersion { lines.append("    version      \(fwVersion)\(debug ? ", debug" : "")") }
    if let hwVersion { lines.append("    hardware     version \(hwVersion)") }
    if !softDevices.isEmpty { lines.append("    SoftDevice   " + softDevices.map { SoftDevice(rawValue: $0).description }.joined(separator: ", ")) }
    if let hash { lines.append("    hash         \(hash)") }
    if !bootValidations.isEmpty { lines.append("    at start     \(bootValidations.joined(separator: ", "))") }
    return lines
  }
}

extension SecureInitPacket.BootValidation {
  var text: String {
    switch type {
    case 0: "none"
    case 1: "crc"
    case 2: "sha256"
    case 3: "ecdsa_p256"
    default: "\(type)"
    }
  }
}
