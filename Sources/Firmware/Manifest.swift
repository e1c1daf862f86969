/// `manifest.json` of an update package, as `generate_zip.py` of the nRF Connect SDK writes it (facts/smp.md §6).
///
/// Numbers may come as numbers or as text, decimal or with `0x`: the generator does both, depending on how its arguments were written.
struct Manifest: Decodable {
  let formatVersion: Int
  let name: String?
  let files: [File]
  /// The file is the manifest of a Nordic DFU package: one object `manifest` that names `bin_file` and `dat_file`.
  let isNordicDFU: Bool

  struct File: Decodable {
    let file: String
    let size: Int
    let type: String?
    let board: String?
    let soc: String?
    let loadAddress: UInt64?
    /// Image number: `image`, else `image_index`, else `partition`, else 0.
    let image: Int
    /// One of the three stands in the manifest.
    let namesImage: Bool
    let slot: Int?
    /// `slot_index_primary`: twice the image number, plus one.
    let slotIndex: Int?
    let version: String?
    /// `version_MCUBOOT+XIP` marks a file of a Direct-XIP package.
    let xipVersion: String?
    /// `version_B0` marks a program for Nordic's immutable bootloader.
    let b0Version: String?
    /// `version`: of network core programs, a number or a version of MCUboot's form.
    let otherVersion: String?

    private enum CodingKeys: String, CodingKey {
      case file, size, type, board, soc, image, partition, slot
      case loadAddress = "load_address", imageIndex = "image_index", slotIndex = "slot_index_primary"
      case version = "version_MCUBOOT", xipVersion = "version_MCUBOOT+XIP", b0Version = "version_B0", otherVersion = "version"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      file = try values.decode(String.self, forKey: .file)
      size = try values.decode(LooseNumber.self, forKey: .size).asInt(values, .size)
      type = try values.decodeIfPresent(String.self, forKey: .type)
      board = try values.decodeIfPresent(String.self, forKey: .board)
      soc = try values.decodeIfPresent(String.self, forKey: .soc)
      loadAddress = try values.decodeIfPresent(LooseNumber.self, forKey: .loadAddress)?.value
      slot = try values.decodeIfPresent(LooseNumber.self, forKey: .slot)?.asInt(values, .slot)
      // Nothing is decided by it, so that a value of the wrong type is as good as none.
      slotIndex = (try? values.decode(LooseNumber.self, forKey: .slotIndex)).flatMap { Int(exactly: $0.value) }
      version = try values.decodeIfPresent(LooseText.self, forKey: .version)?.text
      xipVersion = try values.decodeIfPresent(LooseText.self, forKey: .xipVersion)?.text
      b0Version = try values.decodeIfPresent(LooseText.self, forKey: .b0Version)?.text
      otherVersion = try values.decodeIfPresent(LooseText.self, forKey: .otherVersion)?.text
      var image: Int?
      for key in [CodingKeys.image, .imageIndex, .partition] where image == nil {
        image = try values.decodeIfPresent(LooseNumber.self, forKey: key)?.asInt(values, key)
      }
      self.image = image ?? 0
      namesImage = image != nil
    }
  }

  private enum CodingKeys: String, CodingKey {
    case formatVersion = "format-version", name, files, manifest
  }

  init(json: [UInt8]) throws(PackageError) {
    self = try ManifestDecoding.decode(Manifest.self, from: json)
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    isNordicDFU = values.contains(.manifest) && !values.contains(.files)
    guard !isNordicDFU else {
      (formatVersion, name, files) = (0, nil, [])
      return
    }
    formatVersion = try values.decodeIfPresent(LooseNumber.self, forKey: .formatVersion)?.asInt(values, .formatVersion) ?? 0
    name = try values.decodeIfPresent(String.self, forKey: .name)
    files = try values.decode([File].self, forKey: .files)
  }
}

/// A whole number that is not negative, as a JSON number or as text: `5`, `"5"`, `"0x5"`.
struct LooseNumber: Decodable {
  let value: UInt64

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      let isHex = text.hasPrefix("0x") || text.hasPrefix("0X")
      let digits = isHex ? text.dropFirst(2) : text[...]
      guard let first = digits.first, first.isHexDigit, let value = UInt64(digits, radix: isHex ? 16 : 10) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(quoted(text)) is not a number")
      }
      self.value = value
    } else {
      value = try container.decode(UInt64.self)
    }
  }

  /// The number as an `Int`, which every count and index here must fit.
  func asInt<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> Int {
    guard let number = Int(exactly: value) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "\(value) is too large")
    }
    return number
  }
}

/// Text, also where a generator wrote it as a number: `"1"`, `1`.
struct LooseText: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(UInt64.self) {
      text = "\(number)"
    } else {
      text = try container.decode(String.self)
    }
  }
}
