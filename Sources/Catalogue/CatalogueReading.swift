import Firmware

/// Walks through the four levels of a catalogue and keeps what can be used.
struct CatalogueReading {
  let limits: CatalogueLimits
  private var found: [CatalogueBuild] = []
  private(set) var complaints: [CatalogueComplaint] = []
  private(set) var uncounted = 0

  private static let levels = ["hardware revision", "model", "flavor", "version"]

  init(limits: CatalogueLimits) { self.limits = limits }

  mutating func read(_ root: CatalogueNode) throws(CatalogueError) {
    guard case .object(let members) = root else { throw .notJSON }
    try walk(members, below: [])
    dropTwins()
  }

  /// Ascending within each kind of board.
  var sorted: [CatalogueBuild] {
    found.sorted { ($0.place, $0.version, $0.versionKey) < ($1.place, $1.version, $1.versionKey) }
  }

  private mutating func walk(_ members: [String: CatalogueNode], below keys: [String]) throws(CatalogueError) {
    guard members.count <= limits.keys else { throw .tooManyKeys(members.count, limit: limits.keys) }
    for (key, node) in members.sorted(by: { $0.key < $1.key }) {
      let path = keys + [key]
      guard PathPart.isSafe(key) else {
        complain(path, "the \(Self.levels[keys.count]) is not made of letters, digits, dots and dashes")
        continue
      }
      guard case .object(let below) = node else {
        complain(path, "this is not an object")
        continue
      }
      if path.count < Self.levels.count { try walk(below, below: path) } else { try take(below, path) }
    }
  }

  private mutating func take(_ leaf: [String: CatalogueNode], _ keys: [String]) throws(CatalogueError) {
    guard let version = FirmwareVersion(keys[3]) else { return complain(keys, "this is not a version") }
    guard case .text(let filename)? = leaf["filename"] else { return complain(keys, "it has no filename") }
    guard PathPart.isSafe(filename) else { return complain(keys, "its filename \(quoted(filename)) is not a plain file name") }
    var required: FirmwareVersion?
    switch leaf["required-bootloader"] {
    case nil, .text("")?: break
    case .text(let text)?:
      required = FirmwareVersion(text)
      if required == nil { return complain(keys, "its required-bootloader \(quoted(text)) is not a version") }
    case .object?, .other?: return complain(keys, "its required-bootloader is not a text")
    }
    var minimums: [String: String] = [:]
    for (key, node) in leaf {
      if key.hasPrefix("min-"), key.utf8.count <= PathPart.lengthLimit, case .text(let text) = node, text.utf8.count <= PathPart.lengthLimit {
        minimums[key] = text
      }
    }
    guard found.count < limits.builds else { throw .tooManyBuilds(limit: limits.builds) }
    found.append(
      CatalogueBuild(
        hardware: keys[0], model: keys[1], flavor: keys[2], versionKey: keys[3], filename: filename, version: version, requiredBootloader: required,
        minimums: minimums))
  }

  /// Drops both of two builds of one version for one kind of board: nobody can say which is meant.
  private mutating func dropTwins() {
    let twins = Dictionary(grouping: found) { Identity(place: $0.place, version: $0.version) }.values.filter { $0.count > 1 }
    for group in twins.sorted(by: { $0[0].path < $1[0].path }) {
      for build in group { complain(Array(build.path.split(separator: "/").map(String.init).dropLast()), "this version is there twice, so neither is used") }
    }
    let dropped = Set(twins.joined())
    found.removeAll { dropped.contains($0) }
  }

  private struct Identity: Hashable {
    let place: CataloguePlace
    let version: FirmwareVersion
  }

  private mutating func complain(_ keys: [String], _ what: String) {
    if complaints.count < limits.complaints { complaints.append(CatalogueComplaint(keys, what)) } else { uncounted += 1 }
  }
}
