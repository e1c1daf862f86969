public import Firmware

/// Port: where the firmware of a board comes from once the board has said what it is: the mirror of a catalogue, or the one package of a job.
public protocol FirmwareShelf: Sendable {
  /// What there is for a board.
  func offer(for board: BoardIdentity) async throws(ShelfError) -> FirmwareOffer

  /// The package of a build that an offer named, its digest checked.
  func package(of build: Interlock.Build) async throws(ShelfError) -> NordicPackage
}

/// What a shelf has for one board.
public struct FirmwareOffer: Hashable, Sendable {
  /// The application that the board shall run; its version is what is read back at the end.
  public var application: Interlock.Build
  /// The bootloaders on the way to it.
  public var interlock: Interlock

  public init(application: Interlock.Build, interlock: Interlock) {
    self.application = application
    self.interlock = interlock
  }
}

/// Why a shelf has nothing to give.
public enum ShelfError: Error, Hashable, Sendable {
  /// There is no firmware for such a board: nothing is written to it.
  case nothingFits(String)
  /// A file is missing, changed or unreadable: the station's fault.
  case damaged(String)
}

/// The shelf of a job with one package, made for every board that the profile admits.
public struct PackageShelf: FirmwareShelf {
  let package: NordicPackage
  let build: Interlock.Build

  /// - Parameter version: that the application tells afterwards; an image may be encrypted, so the package cannot say it (facts/metaboot.md §3.5).
  public init(_ package: NordicPackage, version: FirmwareVersion) {
    self.package = package
    build = Interlock.Build(id: package.fileName, version: version, required: nil)
  }

  public func offer(for board: BoardIdentity) async throws(ShelfError) -> FirmwareOffer {
    FirmwareOffer(application: build, interlock: Interlock(bootloaders: [], allowsDowngrade: true))
  }

  public func package(of build: Interlock.Build) async throws(ShelfError) -> NordicPackage { package }
}
