import Catalogue
import Station

/// One catalogue, and what the profiles that name it need of it.
struct CatalogSource {
  let location: CatalogueLocation
  var profiles: [String]
  var wishes: [MirrorWish]

  /// The catalogues of the profiles that were asked for, or of all in the profiles folder; each once.
  static func all(_ asked: [String], _ configuration: StationConfiguration) throws(ProgramError) -> [CatalogSource] {
    let names = asked.isEmpty ? FolderList.files(in: configuration.profiles, suffix: ".profile") : asked
    var sources: [CatalogSource] = []
    for name in names {
      let profile = try JobPreparation.profile(name, configuration)
      guard let location = profile.rescue.catalog else {
        guard asked.isEmpty else {
          throw .usage("the profile \(profile.name.shown) names no catalogue", "set [rescue] catalog in \(profile.file.escaped(limit: 1024))")
        }
        continue
      }
      let wish = MirrorWish(hardware: profile.identity.hardwareRevision, model: profile.identity.modelNumber, flavor: profile.rescue.flavor)
      if let index = sources.firstIndex(where: { $0.location == location }) {
        sources[index].profiles.append(profile.name)
        sources[index].wishes.append(wish)
      } else {
        sources.append(CatalogSource(location: location, profiles: [profile.name], wishes: [wish]))
      }
    }
    guard !sources.isEmpty else {
      throw .usage(
        "no profile in \(configuration.profiles.escaped(limit: 1024)) names a catalogue", "set [rescue] catalog in a profile, or name one with --profile")
    }
    return sources
  }
}
