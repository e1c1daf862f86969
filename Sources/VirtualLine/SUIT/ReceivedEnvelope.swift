/// What a board finds in a SUIT envelope (device-manager.md §4.1, smp.md §7).
struct ReceivedEnvelope: Hashable, Sendable {
  /// SHA-256 of the manifest, as the authentication wrapper has it.
  let digest: [UInt8]
  let sequence: Int
  /// The URIs that its payload-fetch names, in order, each once.
  let wanted: [String]
  /// The names of payloads in the envelope itself.
  let integrated: Set<String>

  private static let tag: [UInt8] = [0xD8, 0x6B]
  /// COSE's number of SHA-256 is −16, stored as −1 − 15.
  private static let sha256 = CBORTree.negative(15)
  private static let (authentication, manifest, fetch) = (CBORTree.unsigned(2), CBORTree.unsigned(3), CBORTree.unsigned(16))

  /// Nil when it is none, or its digest does not fit: the board does not install it.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.tag), let envelope = CBORTree.read(bytes, at: Self.tag.count) else { return nil }
    guard let wrapper = envelope[Self.authentication]?.content, case .list(let proofs)? = CBORTree.read(wrapper),
      let first = proofs.first?.content, case .list(let pair)? = CBORTree.read(first), pair.count == 2, pair[0] == Self.sha256, let digest = pair[1].content
    else { return nil }
    guard let body = envelope[Self.manifest]?.content, case .unsigned(let number)? = CBORTree.read(body)?[.unsigned(2)], let sequence = Int(exactly: number)
    else { return nil }
    // The digest covers the manifest as it stands in the envelope, head of the byte string included.
    guard ImageDigest.sha256.digest(SUITWriter.bytes(body)[...]) == digest else { return nil }
    self.digest = digest
    self.sequence = sequence
    var found: [String] = []
    if let member = envelope[Self.fetch] { Self.collect(member, &found, depth: 0) }
    wanted = found
    guard case .map(let entries) = envelope else { return nil }
    integrated = Set(entries.compactMap { if case .text(let name) = $0.key { name } else { nil } })
  }

  /// Every `file://` text at any depth, within byte strings too.
  private static func collect(_ tree: CBORTree, _ found: inout [String], depth: Int) {
    guard depth < 8 else { return }
    switch tree {
    case .text(let text): if text.contains("://"), !found.contains(text) { found.append(text) }
    case .list(let items): for item in items { collect(item, &found, depth: depth + 1) }
    case .map(let entries): for entry in entries { collect(entry.value, &found, depth: depth + 1) }
    case .bytes(let content): if let inner = CBORTree.read(content) { collect(inner, &found, depth: depth + 1) }
    case .unsigned, .negative, .other: break
    }
  }

  /// The URIs of a cache partition: one map from URI to payload, an entry with an empty key being padding.
  static func names(ofCache content: [UInt8]) -> Set<String> {
    guard case .map(let entries)? = CBORTree.read(content) else { return [] }
    return Set(entries.compactMap { if case .text(let name) = $0.key, !name.isEmpty { name } else { nil } })
  }
}
