import FoundationEssentials

/// Makes SUIT packages for virtual boards: unsigned envelopes with a right digest, caches, and the zip around them (device-manager.md §3.4, §4.1).
public enum SUITFirmware {
  /// Bytes of an envelope whose payload-fetch names these resources.
  ///
  /// - Parameter resources: URIs, such as `file://radio.bin`.
  public static func envelope(sequence: UInt64, resources: [String] = []) -> [UInt8] {
    let fetch = SUITWriter.list(
      resources.enumerated().flatMap { place, uri in
        // Set the component, override its parameters with the URI, fetch.
        [12, UInt64(place)].map(SUITWriter.unsigned) + [SUITWriter.unsigned(20), SUITWriter.map([(SUITWriter.unsigned(21), SUITWriter.text(uri))])]
          + [21, 2].map(SUITWriter.unsigned)
      })
    let common = SUITWriter.map([
      (SUITWriter.unsigned(2), SUITWriter.list([SUITWriter.list([SUITWriter.bytes(Array("M".utf8)), SUITWriter.bytes([2])])])),
      (SUITWriter.unsigned(4), SUITWriter.bytes(SUITWriter.list([]))),
    ])
    var members = [
      (SUITWriter.unsigned(1), SUITWriter.unsigned(1)), (SUITWriter.unsigned(2), SUITWriter.unsigned(sequence)),
      (SUITWriter.unsigned(3), SUITWriter.bytes(common)),
    ]
    if !resources.isEmpty { members.append((SUITWriter.unsigned(16), proof(SUITWriter.bytes(fetch)))) }
    let manifest = SUITWriter.bytes(SUITWriter.map(members))
    var envelope = [(SUITWriter.unsigned(2), SUITWriter.bytes(SUITWriter.list([SUITWriter.bytes(proof(manifest))]))), (SUITWriter.unsigned(3), manifest)]
    if !resources.isEmpty { envelope.append((SUITWriter.unsigned(16), SUITWriter.bytes(fetch))) }
    return SUITWriter.tagged(107, SUITWriter.map(envelope))
  }

  /// The digest by which a board names the envelope's manifest; empty when these bytes are no envelope.
  public static func digest(of envelope: [UInt8]) -> [UInt8] { ReceivedEnvelope(envelope)?.digest ?? [] }

  /// Bytes of a cache partition: one map from URI to payload.
  public static func cache(_ entries: [(uri: String, bytes: [UInt8])]) -> [UInt8] {
    SUITWriter.map(entries.map { (SUITWriter.text($0.uri), SUITWriter.bytes($0.bytes)) })
  }

  /// A payload of a resource: bytes that differ with the seed and do not compress.
  public static func payload(_ size: Int, seed: UInt64) -> [UInt8] {
    var state = seed
    return (0..<max(0, size)).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  /// A Device Manager package: the envelope, its caches by partition, and files that the board may ask for.
  public static func package(envelope: [UInt8], caches: [[UInt8]] = [], resources: [(name: String, bytes: [UInt8])] = []) throws -> [UInt8] {
    var files = [Manifest.File(type: "suit-envelope", file: "root.suit", size: envelope.count)]
    var entries = [("root.suit", envelope)]
    for (number, cache) in caches.enumerated() {
      let name = "dfu_cache_partition_\(number).bin"
      files.append(Manifest.File(type: "cache", file: name, size: cache.count, partition: String(number)))
      entries.append((name, cache))
    }
    for resource in resources {
      files.append(Manifest.File(type: "bin", file: resource.name, size: resource.bytes.count))
      entries.append((resource.name, resource.bytes))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return StoredZip.archive([("manifest.json", Array(try encoder.encode(Manifest(files: files))))] + entries.map { (name: $0.0, content: $0.1) })
  }

  /// Writes a package with everything that there is, as `virtual-line-suit-N.zip`, into a folder and returns its path: an envelope that names three files, of
  /// which two lie in the package and one in cache 0. Throws what JSON or the file system says.
  ///
  /// - Parameter size: bytes of the three files together, about.
  public static func write(sequence: UInt64, size: Int, into folder: String) throws -> String {
    let names = ["file://app.bin", "file://radio.bin", "file://cached.bin"]
    let content = names.indices.map { payload(size / 3, seed: sequence << 8 | UInt64($0)) }
    let bytes = try package(
      envelope: envelope(sequence: sequence, resources: names), caches: [cache([(names[2], content[2])])],
      resources: [("app.bin", content[0]), ("radio.bin", content[1])])
    let path = folder + "/virtual-line-suit-\(sequence).zip"
    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
    return path
  }

  /// `[algorithm, digest]` of a member as it stands in the envelope.
  private static func proof(_ member: [UInt8]) -> [UInt8] {
    SUITWriter.list([SUITWriter.negative(-16), SUITWriter.bytes(ImageDigest.sha256.digest(member[...]))])
  }

  private struct Manifest: Encodable {
    struct File: Encodable {
      var type: String
      var file: String
      var size: Int
      var partition: String?
      var board = "nrf54h20dk/nrf54h20/cpuapp"
      var soc = "nrf54h20"
      var modtime = 1
    }

    enum CodingKeys: String, CodingKey {
      case version = "format-version"
      case time, name, files
    }

    var version = 1
    var time = 1
    var name = "virtual-line-suit"
    var files: [File]
  }
}
