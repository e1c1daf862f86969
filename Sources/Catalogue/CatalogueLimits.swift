/// The limits that keep a catalogue from outside from taking the station's memory, disk or night. Checked before anything is read or allocated.
public struct CatalogueLimits: Hashable, Sendable {
  /// Largest catalogue in bytes; the public one has some 100 kB.
  public var catalogueSize = 4 << 20
  /// Largest `pins.json` in bytes.
  public var pinsSize = 8 << 20
  /// Most keys of one object of the catalogue: hardware revisions, models, flavors or versions.
  public var keys = 1024
  /// Most builds in all.
  public var builds = 5_000
  /// Complaints that are kept; the others are only counted.
  public var complaints = 100
  /// Largest artefact in bytes: what a package may have (`PackageLimits.fileSize`).
  public var artefactSize = 32 << 20
  /// All artefacts of a mirror together, in bytes.
  public var mirrorSize = 4 << 30
  /// Artefacts in a row that could not be fetched because nobody answered, after which a refresh gives up.
  public var failuresInARow = 3

  public init() {}
}
