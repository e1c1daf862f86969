import CZip

/// A zip archive in memory, read by libzip: names, sizes and count are checked when it is opened, each entry's CRC when it is read.
struct ZipArchive: ~Copyable {
  private struct Entry {
    var index: UInt64
    var size: Int
  }

  /// Which names are allowed.
  enum Layout {
    /// Plain file names at the root and nothing else.
    case flat
    /// Also in folders. Folders themselves and what macOS adds (`__MACOSX/`, `._*`) are passed over.
    case folders
  }

  private let handle: OpaquePointer
  /// libzip reads from here as long as the handle lives.
  private let storage: UnsafeMutableRawBufferPointer
  private let entries: [String: Entry]
  /// Names of all entries, in the archive's order.
  let names: [String]

  /// Opens an archive, within the limits.
  init(_ bytes: [UInt8], layout: Layout = .flat, limits: PackageLimits) throws(PackageError) {
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
    storage.copyBytes(from: bytes)
    do throws(PackageError) {
      (handle, entries, names) = try Self.open(storage, count: bytes.count, layout, limits)
      self.storage = storage
    } catch {
      storage.deallocate()
      throw error
    }
  }

  deinit {
    zip_discard(handle)
    storage.deallocate()
  }

  /// Size of an entry after decompression; nil when there is no such entry.
  func size(of name: String) -> Int? { entries[name]?.size }

  /// Decompresses one entry; nil when there is no such entry. Exactly the declared size must come out, with the right CRC.
  func read(_ name: String) throws(PackageError) -> [UInt8]? {
    guard let entry = entries[name] else { return nil }
    guard let file = zip_fopen_index(handle, entry.index, 0) else {
      throw .entryBroken(name, String(cString: zip_strerror(handle)))
    }
    defer { zip_fclose(file) }
    var failed = false
    let content = [UInt8](unsafeUninitializedCapacity: entry.size) { buffer, count in
      while count < entry.size, let target = buffer.baseAddress {
        let read = zip_fread(file, target + count, UInt64(entry.size - count))
        guard read > 0 else { break }
        count += Int(read)
      }
      // libzip compares the CRC when it meets the end, so the end must be read too.
      var beyond: UInt8 = 0
      failed = count < entry.size || zip_fread(file, &beyond, 1) != 0
    }
    guard !failed else { throw .entryBroken(name, Self.reason(file)) }
    return content
  }

  private static func open(
    _ storage: UnsafeMutableRawBufferPointer, count: Int, _ layout: Layout, _ limits: PackageLimits, flags: Int32 = ZIP_RDONLY | ZIP_CHECKCONS
  ) throws(PackageError) -> (OpaquePointer, [String: Entry], [String]) {
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    guard let source = zip_source_buffer_create(storage.baseAddress, UInt64(count), 0, &error) else {
      throw .archiveBroken(String(cString: zip_error_strerror(&error)))
    }
    guard let handle = zip_open_from_source(source, flags, &error) else {
      zip_source_free(source)
      // The strict check refuses a name that comes twice without saying which: `directory` does.
      if zip_error_code_zip(&error) == ZIP_ER_EXISTS, flags & ZIP_CHECKCONS != 0 {
        return try open(storage, count: count, layout, limits, flags: ZIP_RDONLY)
      }
      throw .archiveBroken(String(cString: zip_error_strerror(&error)))
    }
    do throws(PackageError) {
      let (entries, names) = try directory(handle, layout, limits)
      return (handle, entries, names)
    } catch {
      zip_discard(handle)
      throw error
    }
  }

  private static func directory(_ handle: OpaquePointer, _ layout: Layout, _ limits: PackageLimits) throws(PackageError) -> ([String: Entry], [String]) {
    let count = Int(zip_get_num_entries(handle, 0))
    guard count <= limits.entries else { throw .archiveTooManyEntries(count, limit: limits.entries) }
    var entries: [String: Entry] = [:]
    var names: [String] = []
    var total = 0
    for index in 0..<UInt64(max(0, count)) {
      var status = zip_stat_t()
      zip_stat_init(&status)
      let wanted = UInt64(ZIP_STAT_NAME | ZIP_STAT_SIZE)
      guard zip_stat_index(handle, index, 0, &status) == 0, status.valid & wanted == wanted, let text = status.name else {
        throw .archiveBroken(String(cString: zip_strerror(handle)))
      }
      // The raw bytes come first: libzip's guess would turn control characters into pictures of code page 437.
      let raw = zip_get_name(handle, index, zip_flags_t(ZIP_FL_ENC_RAW)).flatMap { String(validatingCString: $0) }
      let name = raw ?? String(cString: text)
      guard isSafe(name, layout, limits) else { throw .archiveUnsafeName(name) }
      if layout == .folders, isPassedOver(name) { continue }
      guard !isLink(handle, index) else { throw .archiveLink(name) }
      guard entries[name] == nil else { throw .archiveDuplicate(name) }
      guard status.valid & UInt64(ZIP_STAT_ENCRYPTION_METHOD) == 0 || Int32(status.encryption_method) == ZIP_EM_NONE else { throw .archiveEncrypted(name) }
      guard status.size <= UInt64(limits.entrySize) else { throw .entryTooLarge(name, bytes: status.size, limit: limits.entrySize) }
      total += Int(status.size)
      guard total <= limits.totalSize else { throw .archiveTooLarge(limit: limits.totalSize) }
      entries[name] = Entry(index: index, size: Int(status.size))
      names.append(name)
    }
    return (entries, names)
  }

  /// A file name and nothing else: no way up, no drive, nothing that a terminal would act on; folders only where the layout has them.
  private static func isSafe(_ name: String, _ layout: Layout, _ limits: PackageLimits) -> Bool {
    guard name.utf8.count <= limits.nameLength else { return false }
    guard layout == .folders else { return isPlain(name[...]) }
    return (name.hasSuffix("/") ? name.dropLast() : name[...]).split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isPlain)
  }

  private static func isPlain(_ name: Substring) -> Bool {
    guard !name.isEmpty, name != ".", name != ".." else { return false }
    return name.unicodeScalars.allSatisfy { $0 != "/" && $0 != "\\" && $0 != ":" && $0.properties.generalCategory != .control }
  }

  /// A folder, or what macOS puts into archives beside the files.
  private static func isPassedOver(_ name: String) -> Bool {
    name.hasSuffix("/") || name.hasPrefix("__MACOSX/") || name.split(separator: "/").last?.hasPrefix("._") == true
  }

  /// A symbolic link of Unix: its content is a path (APPNOTE.TXT 4.4.15; the upper half of the attributes is `st_mode`).
  private static func isLink(_ handle: OpaquePointer, _ index: UInt64) -> Bool {
    var system: UInt8 = 0
    var attributes: UInt32 = 0
    guard zip_file_get_external_attributes(handle, index, 0, &system, &attributes) == 0 else { return false }
    return Int32(system) == ZIP_OPSYS_UNIX && attributes >> 16 & 0xf000 == 0xa000
  }

  private static func reason(_ file: OpaquePointer) -> String {
    let code = zip_error_code_zip(zip_file_get_error(file))
    return code == ZIP_ER_OK ? "its content has another length than declared" : String(cString: zip_file_strerror(file))
  }
}
