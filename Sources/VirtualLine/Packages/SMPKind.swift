/// The SMP boards that have a word of their own: for `--kind`, and for the key `kind` of a faults file.
public enum SMPKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// One image, two slots, MCUboot swaps them.
  case swap
  /// One image; the old one is lost.
  case overwrite
  /// An application and a network core, whose flash cannot be read (nRF5340).
  case multi
  /// An application and a patch for its radio, both listed (nRF70).
  case patch
  /// Direct-XIP without revert: an update has one build for each slot.
  case xip
  case xipRevert = "xip-revert"
  case ramLoad = "ram-load"
  /// Bare metal: a firmware loader with another name and address.
  case loader
  case sha512
  /// Installs SUIT packages (nRF54H20).
  case suit
  /// As `swap`, with Memfault's Diagnostic Service and a project key in group 128.
  case mds

  /// Those that MCUboot's images are for.
  public static let withImages = allCases.filter { $0 != .suit }

  /// How such a board is built.
  public var settings: BoardSettings {
    var settings = BoardSettings()
    switch self {
    case .swap: break
    case .overwrite: settings.bootMode = .overwrite
    case .multi:
      var core = ImageSettings()
      (core.listing, core.bootMode) = (.none, .overwrite)
      settings.images = [ImageSettings(), core]
    case .patch: settings.images = [ImageSettings(), ImageSettings()]
    case .xip: settings.bootMode = .directXIP
    case .xipRevert: settings.bootMode = .directXIPRevert
    case .ramLoad: settings.bootMode = .ramLoad
    case .loader: settings.bootMode = .firmwareLoader
    case .sha512: (settings.hash, settings.oneHash) = (ImageDigest.sha512.rawValue, true)
    case .suit: settings.kind = .suit
    case .mds:
      var diagnostics = DiagnosticSettings()
      diagnostics.generated.count = 100
      settings.mds = diagnostics
      settings.groups.projectKey = "0123456789abcdef0123456789abcdef"
    }
    return settings
  }
}
