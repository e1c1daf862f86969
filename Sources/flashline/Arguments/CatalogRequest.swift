import Station

/// What `catalog` is asked for.
struct CatalogRequest: Hashable, Sendable {
  enum Action: String, CaseIterable, Sendable {
    case refresh, list, verify
  }

  var action: Action
  /// Empty: every profile of the profiles folder that names a catalogue.
  var profiles: [String] = []
  /// All builds of the catalogue, not only those of the profiles' boards.
  var isWhole = false
}

extension CatalogRequest {
  init(_ word: String, _ values: OptionValues) throws(ProgramError) {
    guard let action = Action(rawValue: word) else {
      throw .usage("catalog does not know \(word.shown)", "write catalog refresh, catalog list or catalog verify")
    }
    self.action = action
    profiles = try values.all("profile")
    isWhole = values.has("all")
  }
}
