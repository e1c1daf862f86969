/// Something that is wrong or odd about a package which could be read. An error keeps a job from starting, a warning does not.
public struct Complaint: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable, Codable {
    case warning, error
  }

  /// What the complaint is about; decisions are taken by this word, never by the message.
  public enum Subject: String, Hashable, Sendable, Codable, CaseIterable {
    case hashDiffers = "hash_differs"
    case hashUnchecked = "hash_unchecked"
    case hashTwice = "hash_twice"
    case unsigned
    case encryptionKeyMissing = "encryption_key_missing"
    case compressed
    case nonBootable = "non_bootable"
    case fixedAddress = "fixed_address"
    case trailingBytes = "trailing_bytes"
    case versionDiffers = "version_differs"
    case unlistedFile = "unlisted_file"
    case notPinned = "not_pinned"
    case otherVersion = "other_version"
    case oldFormat = "old_format"
    case slotDiffers = "slot_differs"
    case imageNumberDiffers = "image_number_differs"
    case sameBuild = "same_build"
    case singleSlot = "single_slot"
    case dependencyUnmet = "dependency_unmet"
    case bootloaderUpdate = "bootloader_update"
    case otherSoC = "other_soc"
    case boardUnknown = "board_unknown"
    // SUIT
    case digestAlgorithm = "digest_algorithm"
    case resourceMissing = "resource_missing"
    case cacheUnplaced = "cache_unplaced"
    // Nordic DFU
    case imageEmpty = "image_empty"
    case lengthUnaligned = "length_unaligned"
    case checksumDiffers = "checksum_differs"
    case sizesDiffer = "sizes_differ"
    case kindDiffers = "kind_differs"
    case manifestDiffers = "manifest_differs"
    case mixedProtocols = "mixed_protocols"
    case initPacketMissing = "init_packet_missing"
    case initPacketLength = "init_packet_length"
    case initPacketIncomplete = "init_packet_incomplete"
    case debugBuild = "debug_build"
    case otherProtocol = "other_protocol"
    case otherBoard = "other_board"
    case otherSoftDevice = "other_softdevice"
    case notNewer = "not_newer"
  }

  public let severity: Severity
  public let subject: Subject
  /// One line: what was found, and what to do about it.
  public let message: String

  public init(_ severity: Severity, _ subject: Subject, _ message: String) {
    self.severity = severity
    self.subject = subject
    self.message = message
  }
}
