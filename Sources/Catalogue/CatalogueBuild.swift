public import Firmware

/// One firmware build of a catalogue.
public struct CatalogueBuild: Hashable, Sendable {
  /// The flavor under which bootloaders stand.
  public static let bootloaderFlavor = "bootloader"

  /// The keys as the catalogue writes them, all fit for a path.
  public let hardware: String
  public let model: String
  public let flavor: String
  public let versionKey: String
  public let filename: String

  public let version: FirmwareVersion
  /// The lowest bootloader that takes the build; nil when none is named, or an empty one.
  public let requiredBootloader: FirmwareVersion?
  /// `min-ios-version` and the like: what the vendor's telephone apps need. Shown, not judged.
  public let minimums: [String: String]

  /// Where the artefact lies, from the folder of the catalogue: `hardware/model/flavor/version/filename` (facts/metaboot.md §3.1).
  public var path: String { [hardware, model, flavor, versionKey, filename].joined(separator: "/") }

  public var isBootloader: Bool { CatalogueKey(flavor) == CatalogueKey(Self.bootloaderFlavor) }

  var place: CataloguePlace { CataloguePlace(hardware: CatalogueKey(hardware), model: CatalogueKey(model), flavor: CatalogueKey(flavor)) }
}

/// Whom a build is for, as it is looked up.
struct CataloguePlace: Hashable, Comparable {
  let hardware: CatalogueKey
  let model: CatalogueKey
  let flavor: CatalogueKey

  static func < (left: CataloguePlace, right: CataloguePlace) -> Bool {
    (left.hardware, left.model, left.flavor) < (right.hardware, right.model, right.flavor)
  }
}

/// A place in a catalogue that cannot be used, and why.
public struct CatalogueComplaint: Hashable, Sendable, CustomStringConvertible {
  /// The keys that lead there, with `/` between; harmless on a terminal.
  public let place: String
  public let what: String

  init(_ keys: [String], _ what: String) {
    place = keys.map { String(quoted($0).dropFirst().dropLast()) }.joined(separator: "/")
    self.what = what
  }

  public var description: String { "\(place): \(what)" }
}
