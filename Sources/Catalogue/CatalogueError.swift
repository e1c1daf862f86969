import Firmware

/// Why a catalogue or its mirror cannot be used: the closed list of this room's errors, besides what a `Fetcher` throws.
public enum CatalogueError: Error, Hashable, Sendable {
  // the catalogue
  case notJSON
  case catalogueTooLarge(limit: Int)
  case tooManyKeys(Int, limit: Int)
  case tooManyBuilds(limit: Int)
  case nothingUsable(CatalogueComplaint?)
  case notFetched(FetchError)
  // the mirror
  case noMirror(folder: String)
  case pinsBroken(file: String, String)
  case catalogueNotPinned(file: String)
  case mirrorFull(limit: Int)
  case notMirrored(path: String)
  case damaged(path: String)
  case busy(folder: String)
  case disk(path: String, String)
  case hashingUnavailable
  case cancelled

  /// Whether the station's disk or network is at fault, and not what somebody wrote.
  public var isStationFault: Bool {
    switch self {
    case .notFetched, .disk, .busy, .mirrorFull, .hashingUnavailable: true
    default: false
    }
  }
}

extension CatalogueError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .notJSON: "the catalogue is not a JSON object: check the address or file that [rescue] catalog names"
    case .catalogueTooLarge(let limit): "the catalogue has more than \(limit) bytes: check the address or file that [rescue] catalog names"
    case .tooManyKeys(let count, let limit): "an object of the catalogue has \(count) keys, more than the limit of \(limit): check what [rescue] catalog names"
    case .tooManyBuilds(let limit): "the catalogue has more than \(limit) builds: check what [rescue] catalog names"
    case .nothingUsable(let complaint):
      "there is no usable build in the catalogue" + (complaint.map { " (\($0))" } ?? "") + ": check the address or file that [rescue] catalog names"
    case .notFetched(let error): "the catalogue could not be fetched: \(error)"
    case .noMirror(let folder): "there is no mirror of the catalogue in \(folder): run flashline catalog refresh while the network is there"
    case .pinsBroken(let file, let reason): "\(file) cannot be used (\(reason)): restore it from a copy, or remove its folder and run flashline catalog refresh"
    case .catalogueNotPinned(let file): "\(file) is not the catalogue that was mirrored: run flashline catalog refresh"
    case .mirrorFull(let limit): "the mirror would hold more than \(limit) bytes: remove what is no longer needed, or name fewer profiles"
    case .notMirrored(let path): "\(path) is not in the mirror: run flashline catalog refresh while the network is there"
    case .damaged(let path): "\(path) in the mirror is not what was pinned: run flashline catalog refresh while the network is there"
    case .busy(let folder): "another refresh works on \(folder): wait for its end"
    case .disk(let path, let reason): "\(path): \(reason): check the disk and the permissions"
    case .hashingUnavailable: "libcrypto on this machine does not compute sha256: check this machine's OpenSSL configuration"
    case .cancelled: "stopped: run flashline catalog refresh again to go on"
    }
  }
}
