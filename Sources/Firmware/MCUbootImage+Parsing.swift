extension MCUbootImage {
  /// The first four bytes of an image (`IMAGE_MAGIC`), and of the format before it (`IMAGE_MAGIC_V1`).
  static let magic: UInt32 = 0x96f3_b83d
  static let oldMagic: UInt32 = 0x96f3_b83c
  /// `struct image_header`.
  static let headerLength = 32
  /// Heads of the two entry areas (`IMAGE_TLV_INFO_MAGIC`, `IMAGE_TLV_PROT_INFO_MAGIC`), each u16 magic and u16 size with these 4 bytes.
  static let entriesMagic: UInt16 = 0x6907
  static let protectedMagic: UInt16 = 0x6908
  static let areaHeadLength = 4

  /// Reads an image from the start of `bytes`, with every length checked, and computes its hash.
  public init(_ bytes: [UInt8]) throws(PackageError) {
    let header = try Header(bytes)
    let bodyEnd = header.size + header.bodySize
    guard bodyEnd <= bytes.count else { throw .imageTruncated(.body, needed: bodyEnd, have: bytes.count) }

    let tail = header.isOld ? try Tail(old: bytes, header, bodyEnd) : try Tail(bytes, header, bodyEnd)
    guard let hash = try tail.hash() else {
      throw .imageHashMissing(pureSignature: tail.entries.contains { $0.kind == .pureSignature })
    }
    let computed = try Digest(hash.kind, of: bytes[..<tail.hashedEnd])
    let encrypted = !header.flags.isDisjoint(with: [.encryptedAES128, .encryptedAES256])

    isOldFormat = header.isOld
    loadAddress = header.loadAddress
    headerSize = header.size
    bodySize = header.bodySize
    protectedSize = header.protectedSize
    flags = header.flags
    version = header.version
    protectedEntries = tail.protectedEntries
    entries = tail.entries
    self.hash = hash
    // An image that is only *prepared* for encryption has the flag and a plain body: then the hash fits after all.
    hashCheck = computed == hash ? .matches : encrypted ? .encrypted : .differs
    length = tail.end
    trailing = ImageTrailing(bytes, after: tail.end)
  }

  /// `struct image_header`: magic, load address, header size, protected size, body size, flags, version, 4 bytes of padding.
  private struct Header {
    let isOld: Bool
    /// Length of the entries; of the old format only.
    let oldEntriesSize: Int
    let loadAddress: UInt32
    let size: Int
    let protectedSize: Int
    let bodySize: Int
    let flags: ImageFlags
    let version: ImageVersion

    init(_ bytes: [UInt8]) throws(PackageError) {
      var reader = ByteReader(bytes)
      switch reader.u32() {
      case MCUbootImage.magic?: isOld = false
      case MCUbootImage.oldMagic?: isOld = true
      case MCUbootImage.magic.byteSwapped?: throw .imageBigEndian
      default: throw .notFirmware(nil)
      }
      let short = PackageError.imageTruncated(.header, needed: MCUbootImage.headerLength, have: bytes.count)
      guard bytes.count >= MCUbootImage.headerLength, let loadAddress = reader.u32(), let size = reader.u16(), let protectedSize = reader.u16(),
        let bodySize = reader.u32(), let flags = reader.u32(), let version = ImageVersion(from: &reader)
      else { throw short }
      guard size >= MCUbootImage.headerLength else { throw .imageHeaderSize(Int(size)) }
      guard bodySize > 0 else { throw .imageBodyEmpty }
      self.size = Int(size)
      self.bodySize = Int(bodySize)
      self.version = version
      if isOld {
        oldEntriesSize = Int(loadAddress & 0xffff)
        (self.loadAddress, self.protectedSize) = (0, 0)
        self.flags = ImageFlags(rawValue: flags).intersection(MCUbootImage.oldFlags)
      } else {
        oldEntriesSize = 0
        self.loadAddress = loadAddress
        self.protectedSize = Int(protectedSize)
        self.flags = ImageFlags(rawValue: flags)
      }
    }
  }

  /// What stands behind the body, up to the last entry.
  private struct Tail {
    /// The hash is over everything before it.
    let hashedEnd: Int
    let protectedEntries: [ImageEntry]
    let entries: [ImageEntry]
    let end: Int

    init(_ bytes: [UInt8], _ header: Header, _ bodyEnd: Int) throws(PackageError) {
      hashedEnd = bodyEnd + header.protectedSize
      let protected = header.protectedSize == 0 ? nil : try EntryArea(bytes, at: bodyEnd, magic: MCUbootImage.protectedMagic, part: .protectedEntries)
      guard protected?.size ?? 0 == header.protectedSize else {
        throw .imageProtectedSize(header: header.protectedSize, area: protected?.size ?? 0)
      }
      guard let area = try EntryArea(bytes, at: hashedEnd, magic: MCUbootImage.entriesMagic, part: .entries) else {
        if let hidden = try EntryArea(bytes, at: hashedEnd, magic: MCUbootImage.protectedMagic, part: .protectedEntries) {
          throw .imageProtectedSize(header: header.protectedSize, area: header.protectedSize + hidden.size)
        }
        throw .imageEntriesMissing
      }
      protectedEntries = protected?.entries ?? []
      entries = area.entries
      end = hashedEnd + area.size
    }

    init(old bytes: [UInt8], _ header: Header, _ bodyEnd: Int) throws(PackageError) {
      hashedEnd = bodyEnd
      protectedEntries = []
      entries = try MCUbootImage.oldEntries(bytes, at: bodyEnd, size: header.oldEntriesSize)
      end = bodyEnd + header.oldEntriesSize
    }

    /// The first hash entry.
    func hash() throws(PackageError) -> Digest? {
      guard let entry = entries.first(where: { $0.kind?.digest != nil }), let kind = entry.kind?.digest else { return nil }
      guard let digest = Digest(kind, bytes: entry.value) else { throw .imageHashLength(kind, entry.value.count) }
      return digest
    }
  }

  /// One area of entries: its head, then u16 type, u16 length, value, until the size of the head is used up.
  private struct EntryArea {
    /// With the 4 bytes of the head.
    let size: Int
    let entries: [ImageEntry]

    /// Nil when no area with this magic number begins at `start`.
    init?(_ bytes: [UInt8], at start: Int, magic: UInt16, part: PackageError.ImagePart) throws(PackageError) {
      var head = ByteReader(bytes, from: start)
      guard let found = head.u16(), let size = head.u16() else {
        throw .imageTruncated(part, needed: start + MCUbootImage.areaHeadLength, have: bytes.count)
      }
      guard found == magic else { return nil }
      let end = start + Int(size)
      guard Int(size) >= MCUbootImage.areaHeadLength else { throw .imageEntryBroken(type: nil, offset: start) }
      guard end <= bytes.count else { throw .imageTruncated(part, needed: end, have: bytes.count) }

      var reader = ByteReader(bytes, from: head.offset, to: end)
      var entries: [ImageEntry] = []
      while reader.remaining > 0 {
        let offset = reader.offset
        guard let type = reader.u16(), let length = reader.u16() else { throw .imageEntryBroken(type: nil, offset: offset) }
        guard let value = reader.take(Int(length)) else { throw .imageEntryBroken(type: type, offset: offset) }
        entries.append(ImageEntry(type: type, value: value))
      }
      self.size = Int(size)
      self.entries = entries
    }
  }
}

extension ImageVersion {
  /// `struct image_version`: u8 major, u8 minor, u16 revision, u32 build.
  init?(from reader: inout ByteReader) {
    guard let major = reader.u8(), let minor = reader.u8(), let revision = reader.u16(), let build = reader.u32() else { return nil }
    self.init(major: major, minor: minor, revision: revision, build: build)
  }
}
