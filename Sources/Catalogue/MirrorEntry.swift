/// One artefact of a mirror, and how it stands.
public struct MirrorEntry: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    /// It is there and is what was pinned (`list`: its size is).
    case mirrored
    /// It was fetched just now, and pinned or found to be what was pinned.
    case fetched
    /// The catalogue has it, the mirror has not.
    case notMirrored
    /// It is pinned, and gone.
    case missing
    /// It is pinned, and something else lies there.
    case damaged
    /// The server offers other content for a path that is pinned; it was not taken.
    case changed(offered: Pin)
    case failed(FetchError)
    /// Not tried, because nobody answered for those before.
    case leftOut
  }

  /// Below the mirror's folder.
  public let path: String
  /// Nil when the catalogue does not name it any more.
  public let build: CatalogueBuild?
  public var pin: Pin?
  public var state: State

  /// Whether the night job can use it.
  public var isUsable: Bool { state == .mirrored || state == .fetched }

  /// One word for columns and JSON.
  public var word: String {
    switch state {
    case .mirrored: "mirrored"
    case .fetched: "fetched"
    case .notMirrored: "not mirrored"
    case .missing: "missing"
    case .damaged: "damaged"
    case .changed: "changed"
    case .failed: "failed"
    case .leftOut: "left out"
    }
  }

  /// What is wrong and what to do about it; nil when nothing is, or nothing was to be done.
  public var problem: String? {
    switch state {
    case .mirrored, .fetched, .notMirrored: nil
    case .missing: "\(path) is pinned and gone: run flashline catalog refresh while the network is there"
    case .damaged: "\(path) is not what was pinned: run flashline catalog refresh while the network is there"
    case .changed(let offered):
      "\(path) has changed on the server (pinned \(pin?.sha256 ?? "nothing"), offered \(offered.sha256)) and was not taken: "
        + "ask the vendor; only when the new file is meant, remove its line from pins.json and refresh again"
    case .failed(let error): "\(path) could not be fetched: \(error)"
    case .leftOut: "\(path) was left out, because the server did not answer for others: refresh again"
    }
  }
}

/// Which builds a refresh brings; nil is any. The bootloaders of the boards that are asked for always belong to it.
public struct MirrorWish: Hashable, Sendable {
  public var hardware: String?
  public var model: String?
  public var flavor: String?

  public init(hardware: String? = nil, model: String? = nil, flavor: String? = nil) {
    self.hardware = hardware
    self.model = model
    self.flavor = flavor
  }

  func includes(_ build: CatalogueBuild) -> Bool {
    Self.fits(hardware, build.hardware) && Self.fits(model, build.model) && (Self.fits(flavor, build.flavor) || build.isBootloader)
  }

  private static func fits(_ wanted: String?, _ key: String) -> Bool { wanted.map { CatalogueKey($0) == CatalogueKey(key) } ?? true }
}

/// What a refresh did.
public struct MirrorRefresh: Hashable, Sendable {
  public let catalogue: Catalogue
  /// The builds that were wished for, in the catalogue's order.
  public var entries: [MirrorEntry]
  /// What the catalogue says otherwise than at the refresh before.
  public var changes: [CatalogueComplaint]

  /// Whether all that was wished for can be used.
  public var isGood: Bool { entries.allSatisfy(\.isUsable) }
}
