/// Why a file cannot be used as a firmware package: the closed list of this room's errors.
///
/// `description` is one sentence that says what happened, `remedy` one that says what to do about it.
public enum PackageError: Error, Hashable, Sendable {
  // the file
  case fileMissing
  case notAFile
  case fileUnreadable(String)
  case fileEmpty
  case fileTooLarge(bytes: Int, limit: Int)
  /// Neither an image nor a package; what it looks like instead, if that could be told.
  case notFirmware(ForeignContent?)
  // the image
  case imageBigEndian
  case imageTruncated(ImagePart, needed: Int, have: Int)
  case imageHeaderSize(Int)
  case imageBodyEmpty
  case imageEntriesMissing
  /// Size of the protected entries: by the header, and by the area itself (0 when there is none).
  case imageProtectedSize(header: Int, area: Int)
  /// An entry that reaches over the end of its area.
  case imageEntryBroken(type: UInt16?, offset: Int)
  case imageHashLength(Digest.Kind, Int)
  case imageHashMissing(pureSignature: Bool)
  // the archive
  case archiveBroken(String)
  case archiveTooManyEntries(Int, limit: Int)
  case archiveTooLarge(limit: Int)
  case archiveUnsafeName(String)
  case archiveDuplicate(String)
  case archiveEncrypted(String)
  case archiveLink(String)
  case entryTooLarge(String, bytes: UInt64, limit: Int)
  case entryBroken(String, String)
  // the manifest
  case manifestMissing
  case manifestInvalid(String)
  case manifestFormat(Int)
  case manifestEmpty
  case manifestTooManyFiles(Int, limit: Int)
  /// Two entries of the manifest for the same file.
  case fileListedTwice(String)
  /// Two files for one slot of one image.
  case imageTwice(image: Int, slot: Int, String, String)
  case entryMissing(String)
  case entrySizeDiffers(String, manifest: Int, actual: Int)
  // SUIT
  /// What is wrong with an envelope, in words that follow “it”.
  case envelopeBroken(String)
  /// A cache, and no envelope that would use it.
  case envelopeMissing(String)
  case envelopesSeveral([String])
  /// Two files for one cache partition.
  case cacheTwice(Int, String, String)
  /// Two resources whose names differ in case only.
  case resourceTwice(String, String)
  // Nordic DFU
  /// Several folders of the archive hold a `manifest.json`.
  case manifestAmbiguous([String])
  /// More than one of softdevice, bootloader, softdevice_bootloader; or several applications. The manifest's own words.
  case nordicPartsClash([String])
  case initPacketTooLong(Int, limit: Int)
  /// Fits neither protocol; why it is none of Secure DFU.
  case initPacketUnknown(Int, String)
  /// A line of an Intel HEX file.
  case hexBroken(line: Int, String)
  case hexEmpty
  /// From the lowest to the highest address, in bytes.
  case hexTooLarge(UInt64, limit: Int)
  // what this program does not do
  case notSupported(Unsupported)
  case hashingUnavailable(Digest.Kind)
  /// An error of one file inside the package.
  indirect case inEntry(String, PackageError)

  /// What a file is that is no firmware package.
  public enum ForeignContent: String, Hashable, Sendable {
    case intelHex = "an Intel HEX file"
    case elf = "an ELF program"
    case text = "a text"
  }

  /// The parts of an MCUboot image, in file order.
  public enum ImagePart: String, Hashable, Sendable {
    case header = "header"
    case body = "body"
    case protectedEntries = "protected entries"
    case entries = "entries"
  }

  /// Packages that are recognised and refused.
  public enum Unsupported: Hashable, Sendable {
    case fileType(String)
    /// A program for Nordic's immutable bootloader, without a header for MCUboot.
    case b0Image
    case nordicDFU
    /// A SUIT envelope where a Nordic DFU package is needed.
    case suitEnvelope
    /// An MCUboot image where a Nordic DFU package is needed.
    case mcubootImage
    /// A zip of the Device Manager where a Nordic DFU package is needed.
    case managerPackage
    /// A Legacy DFU part that is application and system in one.
    case combinedLegacyPart(String)
  }
}
