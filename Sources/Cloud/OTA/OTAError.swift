public import Catalogue

/// Why a release could not be told or fetched, each with who has to act.
public enum OTAError: Error, Hashable, Sendable {
  /// The file of the project key: which, what is wrong, what to do.
  case keyFile(String, String, String)
  case noKey
  /// A value of the board is missing, or nothing that can be asked for.
  case badValue(String)
  /// An address that is not on `[cloud] allowed_hosts`.
  case hostNotAllowed(String)
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
  /// Several artefacts, none of them meant more than the others: their names.
  case ambiguous([String])
  case noSuchArtefact([String])
  /// The server gives no SHA-256, so that nobody could tell a damaged artefact.
  case noDigest
  case wrongDigest(expected: String, got: String)
  case wrongSize(expected: Int, got: Int)
  case transport(FetchError)

  /// Whether somebody here can put it right (exit 2); otherwise the network or the server has to (exit 3).
  public var isUsage: Bool {
    switch self {
    case .keyFile, .noKey, .badValue, .hostNotAllowed, .keyRefused, .refused, .ambiguous, .noSuchArtefact: true
    case .unknown, .busy, .nonsense, .noDigest, .wrongDigest, .wrongSize, .transport: false
    }
  }
}

extension OTAError: CustomStringConvertible {
  /// What happened and what to do about it, on one line and without a secret.
  public var description: String {
    switch self {
    case .keyFile(let file, let reason, let remedy): "the project key's file \(file) is not usable (\(reason)): \(remedy)"
    case .noKey: "no project key is known: set [cloud] project_key_file in station.conf"
    case .badValue(let text): text
    case .hostNotAllowed(let host): "\(host) is not on the list of hosts that this station speaks to: add it to [cloud] allowed_hosts, if it is meant"
    case .keyRefused(let status): "the server does not take the project key (status \(status)): check the key and the project it belongs to"
    case .unknown: "the server knows no releases under this address (status 404): check [cloud] releases"
    case .refused: "the server knows no such board (status 400): check hardware version, software type and serial"
    case .busy(let status, let pause):
      "the server asks for a pause (status \(status)\(pause.map { ", \($0.components.seconds) s" } ?? "")): try again later"
    case .nonsense(let what): "what the server answered is no release (\(what)): check [cloud] releases, or tell whoever runs the server"
    case .ambiguous(let names): "the release has several artefacts (\(names.joined(separator: ", "))): choose one with --artifact"
    case .noSuchArtefact(let names):
      "the release has no such artefact\(names.isEmpty ? "" : " (it has \(names.joined(separator: ", ")))"): choose another with --artifact"
    case .noDigest: "the server tells no SHA-256 of the artefact, so it cannot be checked and is not taken: tell whoever runs the server"
    case .wrongDigest(let expected, let got):
      "the artefact has SHA-256 \(got) instead of \(expected), and was thrown away: try again, or tell whoever runs the server"
    case .wrongSize(let expected, let got):
      "the artefact has \(got) bytes instead of \(expected), and was thrown away: try again, or tell whoever runs the server"
    case .transport(let error): error.description
    }
  }
}
