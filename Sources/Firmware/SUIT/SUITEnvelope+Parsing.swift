extension SUITEnvelope {
  /// `SUIT_Envelope_Tagged`, `suit-authentication-wrapper`, `suit-manifest`, `suit-manifest-sequence-number` (draft-ietf-suit-manifest, Appendix A).
  private static let tag: UInt64 = 107
  private static let wrapperKey: UInt64 = 2
  private static let manifestKey: UInt64 = 3
  private static let sequenceKey: UInt64 = 2
  /// COSE_Mac0, COSE_Sign1, COSE_Mac, COSE_Sign (RFC 9052 §2).
  private static let signatureTags: Set<UInt64> = [17, 18, 97, 98]
  /// More members, or elements of the wrapper, than any envelope has.
  private static let mostMembers = 256
  /// Envelopes inside envelopes: a root has those of its cores.
  private static let deepestEnvelope = 4

  /// Reads an envelope from the start of `bytes`.
  ///
  /// The first element of the wrapper that is a digest counts, whatever its algorithm is; signatures beside it and unknown members are passed over.
  /// Throws `envelopeBroken` for what is no envelope, or has no digest or no manifest.
  public init(_ bytes: [UInt8], limits: PackageLimits = PackageLimits()) throws(PackageError) {
    guard bytes.count <= limits.fileSize else { throw .fileTooLarge(bytes: bytes.count, limit: limits.fileSize) }
    do throws(CBORCursor.Fault) {
      try self.init(CBORCursor(bytes, depth: limits.cborDepth), level: 1)
    } catch {
      throw .envelopeBroken(error.reason)
    }
  }

  private init(_ start: CBORCursor, level: Int) throws(CBORCursor.Fault) {
    var cursor = start
    guard case .tag(Self.tag)? = try? cursor.next() else { throw Fault(reason: "does not begin with CBOR tag 107") }
    let members = try cursor.members()
    guard let wrapper = members.first(where: { $0.key == .number(Self.wrapperKey) }) else { throw Fault(reason: "has no authentication wrapper") }
    guard let manifest = members.first(where: { $0.key == .number(Self.manifestKey) }) else { throw Fault(reason: "has no manifest") }
    guard case .bytes(let content) = try cursor.inside(manifest.value).peek() else { throw Fault(reason: "has a manifest that is no byte string") }

    let (found, isSigned) = try Self.digest(in: wrapper.value, cursor)
    guard let found else { throw Fault(reason: "has no digest in its authentication wrapper") }
    if let kind = found.algorithm.kind, found.bytes.count != kind.byteCount {
      throw Fault(reason: "has a \(kind.rawValue) digest of \(found.bytes.count) bytes instead of \(kind.byteCount)")
    }
    bytes = Array(start.bytes[start.offset..<start.end])
    (algorithm, digest, self.isSigned) = (found.algorithm, found.bytes, isSigned)
    digestCheck = Self.check(found, of: start.bytes[manifest.value])
    sequenceNumber = Self.sequenceNumber(cursor.inside(content))
    trailingBytes = start.end - cursor.offset

    var payloads: [Payload] = []
    var requested = FileRequests()
    for member in members {
      switch member.key {
      case .number(Self.wrapperKey): break
      case .number: requested.scan(start.bytes, member.value)
      case .text(let name):
        guard case .bytes(let place) = try cursor.inside(member.value).peek() else { break }
        payloads.append(Payload(name: name, size: place.count))
        // An envelope inside asks for files of its own; a program inside may hold any text.
        guard level < Self.deepestEnvelope, let inner = try? SUITEnvelope(cursor.inside(place), level: level + 1) else { break }
        inner.requestedFiles.forEach { requested.add($0) }
      }
    }
    self.payloads = payloads
    requestedFiles = requested.names
  }

  private typealias Fault = CBORCursor.Fault
  private typealias Found = (algorithm: Algorithm, bytes: [UInt8])

  /// The first digest in the wrapper, and whether a signature stands there.
  private static func digest(in wrapper: Range<Int>, _ cursor: CBORCursor) throws(CBORCursor.Fault) -> (Found?, isSigned: Bool) {
    guard case .bytes(let content) = try cursor.inside(wrapper).peek() else { throw Fault(reason: "has an authentication wrapper that is no byte string") }
    var found: Found?
    var isSigned = false
    for element in try cursor.inside(content).elements() {
      // Elements are wrapped in byte strings; the bare form is taken as well.
      var place = element
      if case .bytes(let inner) = try cursor.inside(element).peek() { place = inner }
      if case .tag(let tag)? = try? cursor.inside(place).peek(), signatureTags.contains(tag) { isSigned = true }
      if found == nil { found = digest(cursor.inside(place)) }
    }
    return (found, isSigned)
  }

  /// `SUIT_Digest`: an array of algorithm and bytes.
  private static func digest(_ start: CBORCursor) -> Found? {
    var cursor = start
    guard case .array(let count)? = try? cursor.next(), count ?? 2 >= 2 else { return nil }
    let algorithm: Int64?
    switch try? cursor.next() {
    case .negative(let value)?: algorithm = Int64(exactly: value).map { ~$0 }
    case .unsigned(let value)?: algorithm = Int64(exactly: value)
    default: algorithm = nil
    }
    guard let algorithm, case .bytes(let place)? = try? cursor.next() else { return nil }
    return (Algorithm(rawValue: algorithm), Array(cursor.bytes[place]))
  }

  /// The digest is of the manifest with the head of the byte string around it.
  private static func check(_ found: Found, of item: ArraySlice<UInt8>) -> DigestCheck {
    guard let kind = found.algorithm.kind, let computed = try? Digest(kind, of: item) else { return .unchecked }
    return computed.bytes == found.bytes ? .matches : .differs
  }

  private static func sequenceNumber(_ start: CBORCursor) -> UInt64? {
    var cursor = start
    guard let members = try? cursor.members(), let member = members.first(where: { $0.key == .number(sequenceKey) }),
      case .unsigned(let number)? = try? start.inside(member.value).peek()
    else { return nil }
    return number
  }
}

extension CBORCursor {
  /// A key of a map here.
  fileprivate enum Key: Hashable {
    case number(UInt64)
    case text(String)
  }

  private static var mostItems: Int { 256 }

  /// The keys and places of values of the map that begins here. A key that is neither a number nor text is passed over with its value.
  fileprivate mutating func members() throws(Fault) -> [(key: Key, value: Range<Int>)] {
    let start = offset
    guard case .map(let count) = try next() else { throw Fault(reason: "has no map at offset \(start)") }
    var members: [(key: Key, value: Range<Int>)] = []
    var seen = 0
    while try goesOn(seen, of: count) {
      let key = try skip()
      let value = try skip()
      seen += 1
      switch try inside(key).peek() {
      case .unsigned(let number): members.append((.number(number), value))
      case .text(let place): members.append((.text(String(decoding: bytes[place], as: UTF8.self)), value))
      default: break
      }
    }
    return members
  }

  /// The places of the items of the array that begins here.
  fileprivate func elements() throws(Fault) -> [Range<Int>] {
    var cursor = self
    guard case .array(let count) = try cursor.next() else { throw Fault(reason: "has no array at offset \(offset)") }
    var elements: [Range<Int>] = []
    while try cursor.goesOn(elements.count, of: count) { elements.append(try cursor.skip()) }
    return elements
  }

  /// Whether another item of a container follows; the end of one with indefinite length is passed over.
  private mutating func goesOn(_ seen: Int, of count: Int?) throws(Fault) -> Bool {
    guard seen <= Self.mostItems else { throw Fault(reason: "has more than \(Self.mostItems) members in one place") }
    if let count { return seen < count }
    guard try peek() == .end else { return true }
    _ = try next()
    return false
  }
}

/// Collects the names after `file://` in CBOR text strings.
private struct FileRequests {
  private static let scheme = Array("file://".utf8)
  private static let most = 64
  private(set) var names: [String] = []

  mutating func add(_ name: String) {
    if !names.contains(name), names.count < Self.most { names.append(name) }
  }

  /// Manifests hold their command sequences as byte strings inside byte strings, so that the text is looked for instead of the structure.
  mutating func scan(_ bytes: [UInt8], _ place: Range<Int>) {
    let first = Self.scheme[0]
    var index = place.lowerBound
    while let found = bytes[index..<place.upperBound].firstIndex(of: first) {
      index = found + 1
      guard bytes[found..<place.upperBound].starts(with: Self.scheme), let length = Self.length(bytes, before: found, in: place),
        length <= place.upperBound - found, let text = String(validating: bytes[found..<found + length], as: UTF8.self)
      else { continue }
      add(String(text.dropFirst(Self.scheme.count)))
    }
  }

  /// The length in the head of the text string whose content begins at `start` (RFC 8949 §3: major type 3, arguments of 0 to 2 bytes).
  private static func length(_ bytes: [UInt8], before start: Int, in place: Range<Int>) -> Int? {
    guard start > place.lowerBound else { return nil }
    if (0x60...0x77).contains(bytes[start - 1]) { return Int(bytes[start - 1]) - 0x60 }
    if start - 2 >= place.lowerBound, bytes[start - 2] == 0x78 { return Int(bytes[start - 1]) }
    if start - 3 >= place.lowerBound, bytes[start - 3] == 0x79 { return Int(bytes[start - 2]) << 8 | Int(bytes[start - 1]) }
    return nil
  }
}
