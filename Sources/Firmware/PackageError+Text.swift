extension PackageError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .fileMissing: "the file does not exist"
    case .notAFile: "this is not a regular file"
    case .fileUnreadable(let reason): "the file cannot be read (\(reason))"
    case .fileEmpty: "the file is empty"
    case .fileTooLarge(let bytes, let limit): "the file has \(bytes) bytes, more than the limit of \(limit)"
    case .notFirmware(let content?): "this is \(content.rawValue), not an MCUboot image or a package"
    case .notFirmware(nil): "this is neither an MCUboot image (magic number 0x96f3b83d missing) nor a SUIT envelope nor a zip package"
    case .imageBigEndian: "this image is big-endian"
    case .imageTruncated(let part, let needed, let have): "the image ends in its \(part.rawValue): \(needed) bytes are needed, \(have) are there"
    case .imageHeaderSize(let size): "the image header names its own size as \(size) bytes, less than 32"
    case .imageBodyEmpty: "the image has an empty body"
    case .imageEntriesMissing: "no entries (hash, signature) stand behind the image's body"
    case .imageProtectedSize(let header, let area): "the image header names \(header) bytes of protected entries, but \(area) are there"
    case .imageEntryBroken(let type?, let offset): "the image's entry of type 0x\(String(type, radix: 16)) at offset \(offset) reaches over the end of its area"
    case .imageEntryBroken(nil, let offset): "the image's entries break off at offset \(offset)"
    case .imageHashLength(let kind, let count): "the image's \(kind.rawValue) entry has \(count) bytes instead of \(kind.byteCount)"
    case .imageHashMissing(true): "the image has a pure signature and no hash, so that no board's answer could be compared with it"
    case .imageHashMissing(false): "the image has no hash entry (SHA-256, SHA-384 or SHA-512)"
    case .hashingUnavailable(let kind): "libcrypto on this machine does not compute \(kind.rawValue)"
    case .inEntry(let name, let error): "\(quoted(name)): \(error.description)"
    case .notSupported(let what): what.description
    case .archiveBroken(let reason): "the zip archive is damaged (\(reason))"
    case .archiveTooManyEntries(let count, let limit): "the zip archive has \(count) entries, more than the limit of \(limit)"
    case .archiveTooLarge(let limit): "the zip archive holds more than \(limit) bytes in all"
    case .archiveUnsafeName(let name): "the zip archive has an entry \(quoted(name)), which is not a plain file name at its root"
    case .archiveDuplicate(let name): "the zip archive has two entries \(quoted(name))"
    case .archiveEncrypted(let name): "the zip entry \(quoted(name)) is protected by a password"
    case .archiveLink(let name): "the zip entry \(quoted(name)) is a symbolic link"
    case .entryTooLarge(let name, let bytes, let limit): "the zip entry \(quoted(name)) has \(bytes) bytes, more than the limit of \(limit)"
    case .entryBroken(let name, let reason): "the zip entry \(quoted(name)) is damaged (\(reason))"
    case .manifestMissing: "the zip archive has no manifest.json at its root"
    case .manifestInvalid(let reason): "manifest.json is not valid: \(reason)"
    case .manifestFormat(let version): "manifest.json has format-version \(version), and only 0 and 1 are known"
    case .manifestEmpty: "manifest.json names no files"
    case .manifestTooManyFiles(let count, let limit): "manifest.json names \(count) files, more than the limit of \(limit)"
    case .fileListedTwice(let name): "manifest.json names \(quoted(name)) twice"
    case .imageTwice(let image, let slot, let first, let second):
      "manifest.json has two files for image \(image), slot \(slot): \(quoted(first, limit: 40)) and \(quoted(second, limit: 40))"
    case .envelopeBroken(let reason): "this is a damaged SUIT envelope: it \(reason)"
    case .envelopeMissing(let name): "manifest.json names \(quoted(name)) for a SUIT cache, but no envelope (type suit-envelope)"
    case .envelopesSeveral(let names): "manifest.json names \(names.count) SUIT envelopes, of which a package holds one"
    case .cacheTwice(let partition, let first, let second):
      "manifest.json has two files for cache partition \(partition): \(quoted(first, limit: 40)) and \(quoted(second, limit: 40))"
    case .resourceTwice(let first, let second):
      "\(quoted(first, limit: 60)) and \(quoted(second, limit: 60)) differ in case only, and boards do not tell them apart"
    case .entryMissing(let name): "manifest.json names a file \(quoted(name)) that is not in the zip archive"
    case .entrySizeDiffers(let name, let manifest, let actual): "\(quoted(name)) has \(actual) bytes, manifest.json says \(manifest)"
    case .manifestAmbiguous(let names): "the zip archive has \(names.count) files manifest.json in folders, and none at its root"
    case .nordicPartsClash(let kinds): "manifest.json names \(kinds.joined(separator: " and ")), of which a package holds only one"
    case .initPacketTooLong(let count, let limit): "the init packet has \(count) bytes, more than the limit of \(limit)"
    case .initPacketUnknown(let count, let reason):
      "the init packet of \(count) bytes has no form of Legacy DFU, and is none of Secure DFU: \(reason)"
    case .hexBroken(let line, let reason): "line \(line) of the Intel HEX file is broken (\(reason))"
    case .hexEmpty: "the Intel HEX file has no data for the flash"
    case .hexTooLarge(let span, let limit): "the Intel HEX file spans \(span) bytes, more than the limit of \(limit)"
    }
  }

  /// What to do about it, as one sentence.
  public var remedy: String {
    switch self {
    case .fileMissing: "check the path"
    case .notAFile: "name a .bin, .img, .suit or .zip file"
    case .fileUnreadable: "check the file's permissions and its disk"
    case .fileEmpty, .imageTruncated, .archiveBroken, .entryBroken, .entrySizeDiffers, .entryMissing, .hexBroken, .hexEmpty, .envelopeBroken:
      "fetch or build the package again"
    case .fileTooLarge, .archiveTooLarge, .archiveTooManyEntries, .entryTooLarge, .manifestTooManyFiles:
      "use the update package itself, not a larger archive that holds it"
    case .notFirmware(.intelHex): "sign the application with imgtool and use the .bin file that it writes"
    case .notFirmware, .imageEntriesMissing: "use the signed image (for example app.signed.bin) or dfu_application.zip of the build"
    case .imageBigEndian: "sign the application again with a current imgtool, little-endian"
    case .imageHeaderSize, .imageBodyEmpty, .imageProtectedSize, .imageEntryBroken, .imageHashLength: "sign the application again with imgtool"
    case .imageHashMissing(true): "sign with an imgtool that keeps the hash beside a pure signature (2.5 does)"
    case .imageHashMissing(false): "sign the application with imgtool"
    case .archiveUnsafeName, .archiveDuplicate, .archiveEncrypted, .archiveLink: "use the package as the build wrote it"
    case .fileListedTwice, .imageTwice, .cacheTwice: "name each file once, and each for a place of its own, and build the package again"
    case .envelopeMissing, .envelopesSeveral: "use dfu_suit.zip of the build, which has one envelope"
    case .resourceTwice: "rename one of them in the build"
    case .manifestMissing, .manifestInvalid, .manifestFormat, .manifestEmpty:
      "use the package as its build tool writes it (dfu_application.zip of the nRF Connect SDK, the zip of nrfutil)"
    case .manifestAmbiguous: "use a package of one update: put each folder of this archive into an archive of its own"
    case .nordicPartsClash: "make one package for each, or one with SoftDevice and bootloader together (softdevice_bootloader)"
    case .initPacketTooLong, .initPacketUnknown: "use the .dat file that nrfutil wrote with this image, or make the package again"
    case .hexTooLarge: "use the HEX file of the application alone"
    case .notSupported(let what): what.remedy
    case .hashingUnavailable: "check this machine's OpenSSL configuration"
    case .inEntry(_, let error): error.remedy
    }
  }
}

extension PackageError.Unsupported: CustomStringConvertible {
  public var description: String {
    switch self {
    case .fileType(let type): "the package holds a file of type \(quoted(type)), which this version does not flash"
    case .b0Image: "this program is for Nordic's immutable bootloader (B0) and has no MCUboot header, so that no image upload takes it"
    case .suitEnvelope: "this is a SUIT envelope, not a package for Nordic's bootloaders"
    case .nordicDFU: "this is a Nordic DFU package, which is for recover and not for the line job"
    case .mcubootImage: "this is an MCUboot image, not a package for Nordic's bootloaders"
    case .managerPackage: "this is a Device Manager package, not one for Nordic's bootloaders"
    case .combinedLegacyPart(let kind): "the package holds a part of type \(quoted(kind)) for Legacy DFU, which no bootloader takes"
    }
  }

  var remedy: String {
    switch self {
    case .fileType: "use dfu_application.zip or dfu_suit.zip of the build"
    case .b0Image: "build with MCUboot as the second bootloader, or flash it by wire"
    case .nordicDFU: "name the application's dfu_application.zip or signed image here"
    case .mcubootImage, .managerPackage, .suitEnvelope: "name the zip that nrfutil wrote, or use a profile with family = mcuboot"
    case .combinedLegacyPart: "make the package again with SoftDevice and bootloader as one part and the application as another"
    }
  }
}

/// Text from outside in quotation marks: control characters escaped, and not longer than a line bears.
package func quoted(_ text: String, limit: Int = 80) -> String {
  var shown = ""
  for scalar in text.unicodeScalars.prefix(limit) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: shown += scalar.escaped(asASCII: true)
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return "'\(shown)\(text.unicodeScalars.count > limit ? "…" : "")'"
}
