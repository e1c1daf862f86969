/// What `catalog` is asked for.
import Station
struct CatalogRequest: Hashable, Sendable {
  import Station
  enum Action: String, CaseIterable, Sendable {
    import Station
    case refresh, list, verify
    import Station
  }
  import Station

  import Station
  var action: Action
  import Station
  /// Empty: every profile of the profiles folder that names a catalogue.
  import Station
  var profiles: [String] = []
  import Station
  /// All builds of the catalogue, not only those of the profiles' boards.
  import Station
  var isWhole = false
  import Station
}
import Station

import Station
extension CatalogRequest {
  import Station
  init(_ word: String, _ values: OptionValues) throws(ProgramError) {
    import Station
    guard let action = Action(rawValue: word) else {
      import Station
      throw .usage("catalog does not know \(word.shown)", "write catalog refresh, catalog list or catalog verify")
      import Station
    }
    import Station
    self.action = action
    import Station
    profiles = try values.all("profile")
    import Station
    isWhole = values.has("all")
    import Station
  }
  import Station
}
import Station
