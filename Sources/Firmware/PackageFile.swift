import FoundationEssentials

/// A regular file, read into memory within the limits. Blocks: callers put it on an executor of their own.
struct PackageFile {
  /// The name without its folder; of a symbolic link its own.
  let name: String
  let bytes: [UInt8]

  init(path: String, limits: PackageLimits) throws(PackageError) {
    let url = URL(filePath: path).resolvingSymlinksInPath()
    bytes = try Self.read(path.isEmpty ? "" : url.path(percentEncoded: false), limits)
    name = URL(filePath: path).lastPathComponent
  }

  private static func read(_ path: String, _ limits: PackageLimits) throws(PackageError) -> [UInt8] {
    guard !path.isEmpty, FileManager.default.fileExists(atPath: path) else { throw .fileMissing }
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      // A pipe would block and a special file would never end.
      guard attributes[.type] as? FileAttributeType == .typeRegular else { throw PackageError.notAFile }
      guard let size = count(attributes[.size]) else { throw PackageError.fileUnreadable("its size is unknown") }
      guard size <= limits.fileSize else { throw PackageError.fileTooLarge(bytes: size, limit: limits.fileSize) }
      return [UInt8](try Data(contentsOf: URL(filePath: path)))
    } catch let error as PackageError {
      throw error
    } catch let error as CocoaError {
      throw .fileUnreadable(reason(error))
    } catch {
      throw .fileUnreadable("the system gave no reason")
    }
  }

  /// A plain integer in a program without Foundation; with it, a number object that converts to one.
  private static func count(_ attribute: Any?) -> Int? {
    (attribute as? any BinaryInteger).map { Int(clamping: $0) } ?? (attribute as? Int)
  }

  private static func reason(_ error: CocoaError) -> String {
    switch error.code {
    case .fileReadNoPermission: "no permission"
    case .fileReadNoSuchFile, .fileNoSuchFile: "it went away"
    case .fileReadTooLarge: "it is too large"
    default: "error \(error.code.rawValue)"
    }
  }
}
