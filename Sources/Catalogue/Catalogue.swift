public import Firmware

/// The firmware that a vendor offers: builds by hardware revision, model and flavor (facts/metaboot.md §3).
///
/// Look-up takes what a board says of itself: keys are compared without blanks, capitals and a leading `r`.
public struct Catalogue: Hashable, Sendable {
  /// All builds, by hardware, model and flavor, ascending by version.
  public let builds: [CatalogueBuild]
  /// What could not be used of the catalogue, at most `CatalogueLimits.complaints`.
  public let complaints: [CatalogueComplaint]
  /// Further complaints that were not kept.
  public let uncounted: Int

  private let index: [CataloguePlace: Range<Int>]

  /// Reads a catalogue; throws when nothing in it can be used.
  public init(json: [UInt8], limits: CatalogueLimits = CatalogueLimits()) throws(CatalogueError) {
    guard json.count <= limits.catalogueSize else { throw .catalogueTooLarge(limit: limits.catalogueSize) }
    guard let root = CatalogueNode(json: json) else { throw .notJSON }
    var reading = CatalogueReading(limits: limits)
    try reading.read(root)
    builds = reading.sorted
    complaints = reading.complaints
    uncounted = reading.uncounted
    guard !builds.isEmpty else { throw .nothingUsable(complaints.first) }
    var index: [CataloguePlace: Range<Int>] = [:]
    for (number, build) in builds.enumerated() {
      let start = index[build.place]?.lowerBound ?? number
      index[build.place] = start..<number + 1
    }
    self.index = index
  }

  /// The builds of one flavor for one kind of board, ascending; empty when there are none.
  public func builds(hardware: String, model: String, flavor: String) -> ArraySlice<CatalogueBuild> {
    let place = CataloguePlace(hardware: CatalogueKey(hardware), model: CatalogueKey(model), flavor: CatalogueKey(flavor))
    return index[place].map { builds[$0] } ?? []
  }

  /// Whether the catalogue has anything for this kind of board.
  public func knows(hardware: String, model: String) -> Bool {
    let (hardware, model) = (CatalogueKey(hardware), CatalogueKey(model))
    return index.keys.contains { $0.hardware == hardware && $0.model == model }
  }

  /// The highest version; pre-releases only when asked for.
  public func latest(hardware: String, model: String, flavor: String, preReleases: Bool = false) -> CatalogueBuild? {
    builds(hardware: hardware, model: model, flavor: flavor).last { preReleases || !$0.version.isPreRelease }
  }

  /// The build of a version, however the version is written.
  public func build(hardware: String, model: String, flavor: String, version: FirmwareVersion) -> CatalogueBuild? {
    builds(hardware: hardware, model: model, flavor: flavor).first { $0.version == version }
  }

  /// The bootloaders for one kind of board, ascending, pre-releases left out unless asked for; empty when the catalogue has none.
  public func bootloaders(hardware: String, model: String, preReleases: Bool = false) -> [CatalogueBuild] {
    builds(hardware: hardware, model: model, flavor: CatalogueBuild.bootloaderFlavor).filter { preReleases || !$0.version.isPreRelease }
  }
}
