import Catalogue
import Firmware
import Station

extension FuzzTarget {
  /// The files that people write. Input: the first byte chooses, the rest is the file.
  static let config = FuzzTarget(name: "config", about: "station.conf, profiles, --boards", longest: 4096) { bytes in
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let text = input.takeRest()
    do throws(ConfigurationError) {
      switch kind % 3 {
      case 0: _ = try StationConfiguration(bytes: text, file: "station.conf", hostName: "host")
      case 1: _ = try BoardProfile(bytes: text, file: "Profiles/some.profile")
      default: _ = try BoardList(bytes: text, file: "boards.csv")
      }
    } catch {
      precondition(!error.description.isEmpty && !error.description.contains("\n"), "a complaint of one line")
    }
  }

  /// The firmware catalogue.
  static let catalogue = FuzzTarget(name: "catalogue", about: "Catalogue", longest: 8192) { bytes in
    do throws(CatalogueError) {
      let catalogue = try Catalogue(json: bytes)
      for build in catalogue.builds {
        let parts = build.path.split(separator: "/", omittingEmptySubsequences: false)
        precondition(parts.allSatisfy { !["", ".", ".."].contains($0) }, "a path out of the mirror")
        _ = catalogue.latest(hardware: build.hardware, model: build.model, flavor: build.flavor, preReleases: true)
      }
    } catch {
      _ = String(describing: error)
    }
  }
}
