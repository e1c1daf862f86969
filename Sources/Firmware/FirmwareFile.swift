/// A file with firmware of any kind that this program flashes, told apart by its content.
public enum FirmwareFile: Hashable, Sendable {
  /// For boards with MCUboot.
  case update(FirmwarePackage)
  /// For boards with one of Nordic's bootloaders.
  case nordic(NordicPackage)

  /// Reads a file from a path. Blocks: callers put it on an executor of their own.
  public init(path: String, limits: PackageLimits = PackageLimits()) throws(PackageError) {
    let file = try PackageFile(path: path, limits: limits)
    try self.init(fileName: file.name, bytes: file.bytes, limits: limits)
  }

  /// Takes a file that is in memory already. Bare images for Nordic's bootloaders cannot be told from noise: `NordicPackage` takes those.
  public init(fileName: String, bytes: [UInt8], limits: PackageLimits = PackageLimits()) throws(PackageError) {
    if try NordicPackage.isArchive(bytes, limits) {
      self = .nordic(try NordicPackage(fileName: fileName, bytes: bytes, limits: limits))
    } else {
      self = .update(try FirmwarePackage(fileName: fileName, bytes: bytes, limits: limits))
    }
  }
}

extension FirmwarePackage {
  /// Reads a package from a path. Blocks: callers put it on an executor of their own.
  public init(path: String, limits: PackageLimits = PackageLimits()) throws(PackageError) {
    let file = try PackageFile(path: path, limits: limits)
    try self.init(fileName: file.name, bytes: file.bytes, limits: limits)
  }
}

extension NordicPackage {
  /// Reads a package from a path. Blocks: callers put it on an executor of their own.
  public init(path: String, limits: PackageLimits = PackageLimits()) throws(PackageError) {
    let file = try PackageFile(path: path, limits: limits)
    try self.init(fileName: file.name, bytes: file.bytes, limits: limits)
  }
}
