public import Catalogue

/// Why a release could not be told or fetched, each with who has to act.
public enum OTAError: Error, Hashable, Sendable {
  /// The file of the project key: which, what is wrong, what to do.
  case keyFile(String, String, String)
  case noKey
  /// What the cloud knows boards by, and nobody told.
  case missing([ReleaseValues.Field])
  /// A value of the board is nothing that can be asked for.
  case badValue(String)
  /// An address that is not on `[cloud] allowed_hosts`.
  case hostNotAllowed(String)
  /// A listed host, but not over https.
  case notSecure(String)
  /// 401, 403: the key is wrong, or not for this project.
  case keyRefused(status: Int)
  /// 404: no such release server, or nothing under this address.
  case unknown
  /// 400: the server knows no such hardware version or software type.
  case refused
  /// 429, 503: the server asks for a pause.
  case busy(status: Int, after: Duration?)
  /// What came is no release.
  case nonsense(String)
  /// 204, where a job needs one.
  case noRelease
  /// The release holds differences to an older one, which is no image.
  case delta(String)
  /// The artefact of the batch that goes on is gone, and the server has another release by now.
  case otherRelease(String)
  /// The release's artefact is not the one that the profile names by its SHA-256.
  case otherThanPinned(String)
  /// Several artefacts, none of them meant more than the others: their names.
  case ambiguous([String])
  case noSuchArtefact([String])
  /// The server gives no SHA-256, so that nobody could tell a damaged artefact.
  case noDigest
  case wrongDigest(expected: String, got: String)
  case wrongSize(expected: Int, got: Int)
  /// Another Flashline is fetching the same artefact.
  case inUse
  case transport(FetchError)

  /// Who has to act.
  public enum Blame: Hashable, Sendable {
    /// Whoever configures the station: keys, values, hosts, choices.
    case usage
    /// Whoever made the release: there is none, or it is not good.
    case release
    /// The network, the server or this computer's disk.
    case station
    /// The operator stopped it.
    case stopped
  }

  public var blame: Blame {
    switch self {
    case .keyFile, .noKey, .missing, .badValue, .hostNotAllowed, .notSecure, .keyRefused, .unknown, .refused, .ambiguous, .otherRelease, .otherThanPinned:
      .usage
    case .noRelease, .delta, .noSuchArtefact, .noDigest, .wrongDigest, .wrongSize, .transport(.notFound), .transport(.tooLarge): .release
    case .transport(.cancelled): .stopped
    case .busy, .nonsense, .inUse, .transport: .station
    }
  }
}

extension OTAError: CustomStringConvertible {
  /// What happened and what to do about it, on one line and without a secret.
  public var description: String {
    switch self {
    case .keyFile(let file, let reason, let remedy): "the project key's file \(file) is not usable (\(reason)): \(remedy)"
    case .noKey: "no project key is known: set [cloud] project_key_file in station.conf"
    case .missing(let fields):
      "the \(fields.map(\.words).joined(separator: ", ")) of the board is not known: give "
        + fields.map { "--" + $0.words.replacing(" ", with: "-") }.joined(separator: ", ")
        + ", name a board that tells it, or set [firmware] \(fields.map(\.rawValue).joined(separator: ", ")) in the profile"
    case .badValue(let text): text
    case .hostNotAllowed(let host): "\(host) is not on the list of hosts that this station speaks to: add it to [cloud] allowed_hosts, if it is meant"
    case .notSecure(let host): "\(host) was to be spoken to without https, or with a password in the address, which is not done: tell whoever runs the server"
    case .keyRefused(let status): "the server does not take the project key (status \(status)): check the key and the project it belongs to"
    case .unknown: "the server knows no releases under this address (status 404): check [cloud] releases"
    case .refused: "the server knows no such board (status 400): check hardware version, software type and serial"
    case .busy(let status, let pause):
      "the server asks for a pause (status \(status)\(pause.map { ", \($0.components.seconds) s" } ?? "")): try again later"
    case .nonsense(let what): "what the server answered is no release (\(what)): check [cloud] releases, or tell whoever runs the server"
    case .noRelease: "the server has no release for these values: activate one in the cloud, or check hardware version, software type and serial"
    case .delta(let version): "the release \(version) holds only the differences to an older one: activate one with whole images"
    case .otherRelease(let version):
      "the artefact that this batch began with is damaged or gone, and the server has \(version) by now: start with --new, or give --package FILE"
    case .otherThanPinned(let sha256):
      "the release's artefact has SHA-256 \(sha256), and the profile wants another: correct [firmware] sha256, or activate the release that is meant"
    case .ambiguous(let names):
      "the release has several artefacts (\(names.joined(separator: ", "))): choose one with --artifact, or [firmware] artifact in the profile"
    case .noSuchArtefact(let names):
      "the release has no such artefact\(names.isEmpty ? "" : " (it has \(names.joined(separator: ", ")))"): choose another with --artifact, or [firmware] artifact"
    case .noDigest: "the server tells no SHA-256 of the artefact, so it cannot be checked and is not taken: tell whoever runs the server"
    case .wrongDigest(let expected, let got):
      "the artefact has SHA-256 \(got) instead of \(expected), and was thrown away: try again, or tell whoever runs the server"
    case .wrongSize(let expected, let got):
      "the artefact has \(got) bytes instead of \(expected), and was thrown away: try again, or tell whoever runs the server"
    case .inUse: "another Flashline is fetching the same artefact: wait for it"
    case .transport(let error): error.description
    }
  }
}
