public import Catalogue
public import Firmware
public import Flashing
import FoundationEssentials

/// The shelf of a job whose profile names a catalogue: everything that the job may flash is read from the pinned mirror, checked and parsed before it begins,
/// so that nothing that happens to the mirror or the network meanwhile changes what boards get.
public struct CatalogueShelf: FirmwareShelf {
  /// Firmware in memory at once, in bytes.
  static let sizeLimit = 256 << 20

  private struct Place: Hashable {
    var hardware: String
    var model: String
  }

  private let catalogue: Catalogue
  private let flavor: String
  private let version: FirmwareVersion?
  private let allowsDowngrade: Bool
  /// By path in the catalogue; why not, where a file cannot be used.
  private let packages: [String: Result<NordicPackage, ShelfError>]
  /// SHA-256 over every path with its file's digest: what makes another start the same batch.
  public let digest: String

  /// Reads the mirror. Blocks.
  ///
  /// - Parameters:
  ///   - version: `[firmware] version`; nil is the latest release.
  public init(mirror: CatalogueMirror, flavor: String, version: FirmwareVersion?, allowsDowngrade: Bool) throws(ConfigurationError) {
    do throws(CatalogueError) {
      catalogue = try mirror.catalogue()
    } catch {
      throw ConfigurationError(file: mirror.path, error.description, remedy: nil)
    }
    self.flavor = flavor
    self.version = version
    self.allowsDowngrade = allowsDowngrade
    var packages: [String: Result<NordicPackage, ShelfError>] = [:]
    var size = 0
    for build in Self.wanted(catalogue, flavor, version) {
      let package = Self.load(build, mirror)
      if case .success(let loaded) = package { size += loaded.size }
      guard size <= Self.sizeLimit else {
        throw ConfigurationError(file: mirror.path, "the catalogue's firmware does not fit into memory", remedy: "set [identity] in the profile")
      }
      packages[build.path] = package
    }
    self.packages = packages
    digest = try Self.digest(packages)
  }

  // MARK: FirmwareShelf

  public func offer(for board: BoardIdentity) async throws(ShelfError) -> FirmwareOffer {
    guard let hardware = board.hardware, let model = board.model else { throw .nothingFits("the board does not tell its hardware revision and model number") }
    let applications = catalogue.builds(hardware: hardware, model: model, flavor: flavor)
    guard let wanted = Self.application(catalogue, hardware, model, flavor, version) else {
      let what = version.map { "version \($0)" } ?? "no release"
      throw .nothingFits("the catalogue has \(version == nil ? what : "no " + what) of flavor \(flavor) for hardware \(hardware), model \(model)")
    }
    return FirmwareOffer(
      application: wanted.interlocked,
      interlock: Interlock(
        bootloaders: catalogue.bootloaders(hardware: hardware, model: model).map(\.interlocked), applications: applications.map(\.interlocked),
        allowsDowngrade: allowsDowngrade))
  }

  public func package(of build: Interlock.Build) async throws(ShelfError) -> NordicPackage {
    guard let package = packages[build.id] else { throw .damaged("\(build.id) is not in the mirror") }
    return try package.get()
  }

  // MARK: reading

  /// The application that boards of one kind get: the version that is asked for, else the latest release.
  private static func application(
    _ catalogue: Catalogue, _ hardware: String, _ model: String, _ flavor: String, _ version: FirmwareVersion?
  ) -> CatalogueBuild? {
    guard let version else { return catalogue.latest(hardware: hardware, model: model, flavor: flavor) }
    return catalogue.build(hardware: hardware, model: model, flavor: flavor, version: version)
  }

  /// The application for each kind of board, and all bootloaders.
  private static func wanted(_ catalogue: Catalogue, _ flavor: String, _ version: FirmwareVersion?) -> [CatalogueBuild] {
    var chosen: [CatalogueBuild] = []
    let places = Set(catalogue.builds.map { Place(hardware: $0.hardware, model: $0.model) })
    for place in places.sorted(by: { ($0.hardware, $0.model) < ($1.hardware, $1.model) }) {
      guard let application = application(catalogue, place.hardware, place.model, flavor, version) else { continue }
      chosen.append(application)
      chosen += catalogue.bootloaders(hardware: place.hardware, model: place.model)
    }
    return chosen
  }

  private static func load(_ build: CatalogueBuild, _ mirror: CatalogueMirror) -> Result<NordicPackage, ShelfError> {
    do {
      let artefact = try mirror.resolve(build)
      // Between the check and this reading the file may have changed.
      let package = try NordicPackage(path: artefact.file)
      guard package.sha256.hex == artefact.pin.sha256 else { return .failure(.damaged("\(build.path) changed while it was read")) }
      if let complaint = package.complaints.first(where: { $0.severity == .error }) { return .failure(.damaged(complaint.message)) }
      return .success(package)
    } catch let error as CatalogueError {
      return .failure(.damaged(error.description))
    } catch {
      return .failure(.damaged("\(build.path): \(error)"))
    }
  }

  private static func digest(_ packages: [String: Result<NordicPackage, ShelfError>]) throws(ConfigurationError) -> String {
    var text = ""
    for (path, package) in packages.sorted(by: { $0.key < $1.key }) {
      if case .success(let package) = package { text += "\(path) \(package.sha256.hex)\n" } else { text += "\(path) -\n" }
    }
    do throws(PackageError) {
      return try Digest(.sha256, of: Array(text.utf8)).hex
    } catch {
      throw ConfigurationError("firmware cannot be hashed on this computer (\(error.description))", remedy: nil)
    }
  }
}

extension CatalogueBuild {
  /// As the interlock sees it; its path finds the package again.
  var interlocked: Interlock.Build { Interlock.Build(id: path, version: version, required: requiredBootloader) }
}
