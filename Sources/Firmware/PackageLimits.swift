/// The limits that keep a file from outside from taking the station's memory. Checked before anything is read or allocated.
public struct PackageLimits: Hashable, Sendable {
  /// Largest file that is read, in bytes. The largest slots in use are some MiB of external flash.
  public var fileSize = 32 << 20
  /// Most entries of an archive.
  public var entries = 64
  /// Largest entry of an archive after decompression, in bytes.
  public var entrySize = 32 << 20
  /// All entries of an archive together after decompression, in bytes.
  public var totalSize = 64 << 20
  /// Largest `manifest.json`, in bytes.
  public var manifestSize = 256 << 10
  /// Longest name of an entry, in bytes.
  public var nameLength = 255
  /// Most files that a manifest may name.
  public var manifestFiles = 32
  /// Highest image number; Zephyr and MCUboot know fewer.
  public var imageNumber = 15
  /// Highest cache partition of a SUIT package.
  public var cachePartition = 31
  /// Containers inside each other in a SUIT envelope, one byte string deep.
  public var cborDepth = 16
  /// Largest image for Nordic DFU, in bytes: no chip of that line has as much flash (facts/nordic-dfu.md §4.4).
  public var nordicImageSize = 10 << 20

  public init() {}
}
