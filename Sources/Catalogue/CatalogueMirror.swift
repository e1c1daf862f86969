/// A local copy of a catalogue and its artefacts, each pinned by SHA-256 when it was first fetched: all that the night job needs of firmware, offline.
public struct CatalogueMirror: Hashable, Sendable {
  /// A file that can be used.
  public struct Artefact: Hashable, Sendable {
    /// The path of the file.
    public let file: String
    /// What was just read there; whoever loads the file later compares again.
    public let pin: Pin
  }

  let folder: MirrorFolder
  let limits: CatalogueLimits

  /// - Parameter folder: need not exist before the first refresh.
  public init(folder: String, limits: CatalogueLimits = CatalogueLimits()) {
    self.folder = MirrorFolder(path: folder)
    self.limits = limits
  }

  /// The mirror of one catalogue among those of a station.
  public init(of location: CatalogueLocation, in station: String, limits: CatalogueLimits = CatalogueLimits()) throws(CatalogueError) {
    self.init(folder: station + "/" + (try location.folderName()), limits: limits)
  }

  public var path: String { folder.path }

  /// The catalogue of the last refresh.
  public func catalogue() throws(CatalogueError) -> Catalogue {
    guard let pins = try pins() else { throw .noMirror(folder: folder.path) }
    return try catalogue(pins)
  }

  /// The file of a build, when what lies there is what was pinned.
  public func resolve(_ build: CatalogueBuild) throws(CatalogueError) -> Artefact {
    guard let pins = try pins() else { throw .noMirror(folder: folder.path) }
    guard let pin = pins.artefacts[build.path] else { throw .notMirrored(path: build.path) }
    guard try holds(build.path, pin) else { throw folder.size(build.path) == nil ? .notMirrored(path: build.path) : .damaged(path: build.path) }
    return Artefact(file: folder.file(build.path), pin: pin)
  }

  /// Every build of the catalogue, and what is pinned besides; looks at names and sizes only.
  public func list() throws(CatalogueError) -> (catalogue: Catalogue, entries: [MirrorEntry]) {
    try entries { path, pin throws(CatalogueError) in
      guard let size = folder.size(path) else { return .missing }
      return size == pin.size ? .mirrored : .damaged
    }
  }

  /// The same, with every pinned file read and hashed.
  public func verify() throws(CatalogueError) -> (catalogue: Catalogue, entries: [MirrorEntry]) {
    try entries { path, pin throws(CatalogueError) in
      if try holds(path, pin) { return .mirrored }
      return folder.size(path) == nil ? .missing : .damaged
    }
  }

  private func entries(
    _ state: (String, Pin) throws(CatalogueError) -> MirrorEntry.State
  ) throws(CatalogueError) -> (catalogue: Catalogue, entries: [MirrorEntry]) {
    guard let pins = try pins() else { throw .noMirror(folder: folder.path) }
    let catalogue = try catalogue(pins)
    var entries: [MirrorEntry] = []
    for build in catalogue.builds {
      let pin = pins.artefacts[build.path]
      var entry = MirrorEntry(path: build.path, build: build, pin: pin, state: .notMirrored)
      if let pin { entry.state = try state(build.path, pin) }
      entries.append(entry)
    }
    let known = Set(catalogue.builds.map(\.path))
    for (path, pin) in pins.artefacts.sorted(by: { $0.key < $1.key }) where !known.contains(path) {
      entries.append(MirrorEntry(path: path, build: nil, pin: pin, state: try state(path, pin)))
    }
    return (catalogue, entries)
  }

  /// What is trusted; nil before the first refresh.
  func pins() throws(CatalogueError) -> PinBook? {
    guard let json = try folder.read(MirrorFolder.pinsName, limit: limits.pinsSize) else { return nil }
    return try PinBook(json: json, file: folder.file(MirrorFolder.pinsName))
  }

  func catalogue(_ pins: PinBook) throws(CatalogueError) -> Catalogue {
    guard let json = try folder.read(MirrorFolder.catalogueName, limit: limits.catalogueSize) else { throw .noMirror(folder: folder.path) }
    guard pins.catalogue.contains(try Pin.hash(json)) else { throw .catalogueNotPinned(file: folder.file(MirrorFolder.catalogueName)) }
    return try Catalogue(json: json, limits: limits)
  }

  /// Whether the file of a path is what a pin says; reads and hashes it.
  func holds(_ path: String, _ pin: Pin) throws(CatalogueError) -> Bool {
    guard folder.size(path) == pin.size, pin.size <= limits.artefactSize else { return false }
    guard let content = try folder.read(path, limit: limits.artefactSize) else { return false }
    return try Pin(of: content) == pin
  }
}
