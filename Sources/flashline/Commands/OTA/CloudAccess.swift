import Catalogue
import Cloud
import Flashing
import FoundationEssentials
import Station

/// `[cloud]` as the commands use it: the server of releases, the project key, and the folder of artefacts.
struct CloudAccess: Sendable {
  let rules: CloudRules
  let store: ArtefactStore

  init(_ configuration: StationConfiguration) {
    rules = configuration.cloud
    store = ArtefactStore(folder: Self.folder(configuration), hosts: AllowedHosts(configuration.cloud.allowedHosts))
  }

  /// The folder of artefacts: beside the database.
  static func folder(_ configuration: StationConfiguration) -> String {
    URL(filePath: configuration.database).deletingLastPathComponent().appending(path: "ota").path(percentEncoded: false)
  }

  /// The key of `project_key_file`; nil where none is configured. From here on no core file can hold it.
  func key() throws(ProgramError) -> ProjectKey? {
    guard let file = rules.projectKeyFile else { return nil }
    try MemoryDumps.forbid()
    do throws(OTAError) { return try ProjectKey(file: file) } catch { throw ProgramError(error) }
  }

  func server(_ key: ProjectKey) -> ReleaseServer {
    ReleaseServer(rules.releases, key: key, hosts: AllowedHosts(rules.allowedHosts))
  }
}

extension ProgramError {
  /// - Parameter file: the profile whose values were asked for, in front of the words.
  init(_ error: OTAError, file: String? = nil) {
    let text = (file.map { "\($0.escaped(limit: 1024)): " } ?? "") + error.description
    switch error.blame {
    case .usage: self.init(exit: ExitStatus.usage, text: text)
    case .release: self.init(exit: ExitStatus.notGood, text: text)
    case .station:
      let isDisk =
        switch error {
        case .transport(.cannotWrite), .transport(.cannotRead): true
        default: false
        }
      self.init(exit: ExitStatus.fault, text: text, code: isDisk ? .diskFailed : .stationPackage)
    case .stopped: self.init(exit: ExitStatus.stopped, text: text)
    }
  }
}
