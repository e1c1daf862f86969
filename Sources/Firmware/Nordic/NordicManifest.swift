import FoundationEssentials

/// `manifest.json` of a Nordic DFU package: one object `manifest` with an object for each part (facts/nordic-dfu.md §4.1).
///
/// What it says of an image is only compared with the image's init packet, so that a value of the wrong type there is as good as none.
struct NordicManifest: Decodable, Hashable {
  /// `dfu_version`: only packages of Legacy DFU have it.
  let dfuVersion: String?
  /// System parts first, then those with an application.
  let parts: [Part]

  /// The object of one part.
  struct Part: Hashable {
    let kind: NordicKind
    let binFile: String
    let datFile: String?
    /// From the object itself (Legacy), or from its `info_read_only_metadata` (Secure).
    let softDeviceSize: Int?
    let bootloaderSize: Int?
    let initPacketData: InitPacketData?
  }

  /// `init_packet_data`, as far as it can be compared.
  struct InitPacketData: Hashable {
    let deviceType: UInt64?
    let deviceRevision: UInt64?
    let applicationVersion: UInt64?
    let softDevices: [UInt64]?
    let crc16: UInt64?
  }

  private struct Document: Decodable {
    let manifest: NordicManifest
  }

  private enum CodingKeys: String, CodingKey {
    case dfuVersion = "dfu_version"
    case softDevice = "softdevice", bootloader, softDeviceBootloader = "softdevice_bootloader", application
    case bootloaderApplication = "bootloader_application", softDeviceApplication = "softdevice_application"
    case softDeviceBootloaderApplication = "softdevice_bootloader_application"

    init(_ kind: NordicKind) {
      self =
        switch kind {
        case .softDevice: .softDevice
        case .bootloader: .bootloader
        case .softDeviceBootloader: .softDeviceBootloader
        case .application: .application
        case .bootloaderApplication: .bootloaderApplication
        case .softDeviceApplication: .softDeviceApplication
        case .softDeviceBootloaderApplication: .softDeviceBootloaderApplication
        }
    }
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    dfuVersion = (try? values.decode(Double.self, forKey: .dfuVersion)).map { "\($0)" } ?? (try? values.decode(String.self, forKey: .dfuVersion))
    var parts: [Part] = []
    for kind in NordicKind.allCases {
      let key = CodingKeys(kind)
      guard values.contains(key), try !values.decodeNil(forKey: key) else { continue }
      parts.append(try Part(kind, values.nestedContainer(keyedBy: Part.CodingKeys.self, forKey: key)))
    }
    self.parts = parts
  }

  init(json: [UInt8]) throws(PackageError) {
    self = try ManifestDecoding.decode(Document.self, from: json).manifest
  }
}

extension NordicManifest.Part {
  fileprivate enum CodingKeys: String, CodingKey {
    case binFile = "bin_file", datFile = "dat_file", softDeviceSize = "sd_size", bootloaderSize = "bl_size"
    case metadata = "info_read_only_metadata", initPacketData = "init_packet_data"
  }

  fileprivate init(_ kind: NordicKind, _ values: KeyedDecodingContainer<CodingKeys>) throws {
    self.kind = kind
    binFile = try values.decode(String.self, forKey: .binFile)
    datFile = try values.decodeIfPresent(String.self, forKey: .datFile)
    let metadata = try? values.nestedContainer(keyedBy: CodingKeys.self, forKey: .metadata)
    // Sizes have 32 bits in every init packet and on the wire, so that sums of them are safe.
    func size(_ key: CodingKeys) throws -> Int? {
      for place in [values, metadata] {
        guard let place, let number = try place.decodeIfPresent(LooseNumber.self, forKey: key) else { continue }
        guard let size = UInt32(exactly: number.value) else {
          throw DecodingError.dataCorruptedError(forKey: key, in: place, debugDescription: "\(number.value) is too large")
        }
        return Int(size)
      }
      return nil
    }
    softDeviceSize = try size(.softDeviceSize)
    bootloaderSize = try size(.bootloaderSize)
    initPacketData = (try? values.nestedContainer(keyedBy: NordicManifest.InitPacketData.CodingKeys.self, forKey: .initPacketData))
      .map(NordicManifest.InitPacketData.init)
  }
}

extension NordicManifest.InitPacketData {
  fileprivate enum CodingKeys: String, CodingKey {
    case deviceType = "device_type", deviceRevision = "device_revision", applicationVersion = "application_version"
    case softDevices = "softdevice_req", crc16 = "firmware_crc16"
  }

  fileprivate init(_ values: KeyedDecodingContainer<CodingKeys>) {
    func number(_ key: CodingKeys) -> UInt64? { try? values.decode(LooseNumber.self, forKey: key).value }
    deviceType = number(.deviceType)
    deviceRevision = number(.deviceRevision)
    applicationVersion = number(.applicationVersion)
    crc16 = number(.crc16)
    softDevices = try? values.decode([LooseNumber].self, forKey: .softDevices).map(\.value)
  }
}
