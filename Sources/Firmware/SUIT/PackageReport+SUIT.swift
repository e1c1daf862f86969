extension PackageReport {
  /// A SUIT envelope with the files beside it.
  public struct SUIT: Codable, Hashable, Sendable {
    public var envelope: Envelope
    public var caches: [Cache]
    public var resources: [Resource]
  }

  public struct Envelope: Codable, Hashable, Sendable {
    public var name: String
    /// Bytes.
    public var size: Int
    /// Of the file.
    public var sha256: String?
    /// Kind of the digest: a word, or a COSE number.
    public var algorithm: String
    /// Of the manifest: what a board lists once it has installed the envelope.
    public var digest: String
    /// Absent when the algorithm is not computed here.
    public var digestOK: Bool?
    public var sequenceNumber: UInt64?
    public var signed: Bool
    /// Files inside the envelope.
    public var payloads: [Payload]
    /// Files that the board may ask for.
    public var requests: [String]
    public var goesTo: String

    enum CodingKeys: String, CodingKey {
      case name, size, sha256, algorithm, digest, signed, payloads, requests
      case digestOK = "digest_ok", sequenceNumber = "sequence_number", goesTo = "goes_to"
    }
  }

  public struct Payload: Codable, Hashable, Sendable {
    public var name: String
    public var size: Int
  }

  public struct Cache: Codable, Hashable, Sendable {
    public var partition: Int
    public var name: String
    public var size: Int
    public var sha256: String?
    public var goesTo: String

    enum CodingKeys: String, CodingKey {
      case partition, name, size, sha256
      case goesTo = "goes_to"
    }
  }

  public struct Resource: Codable, Hashable, Sendable {
    public var name: String
    public var size: Int
    public var sha256: String?
    public var goesTo: String

    enum CodingKeys: String, CodingKey {
      case name, size, sha256
      case goesTo = "goes_to"
    }
  }
}

extension PackageReport.SUIT {
  init(_ package: SUITPackage) {
    envelope = PackageReport.Envelope(package)
    caches = package.caches.map { cache in
      PackageReport.Cache(
        partition: cache.partition, name: cache.name, size: cache.bytes.count, sha256: (try? Digest(.sha256, of: cache.bytes))?.hex,
        goesTo: "cache partition \(cache.partition)")
    }
    resources = package.resources.map { resource in
      PackageReport.Resource(
        name: resource.name, size: resource.bytes.count, sha256: (try? Digest(.sha256, of: resource.bytes))?.hex,
        goesTo: "the board, when it asks for file://\(resource.name)")
    }
  }

  var lines: [String] {
    var lines = ["  envelope: \(quoted(envelope.name)), \(envelope.size) bytes" + (envelope.sequenceNumber.map { ", sequence number \($0)" } ?? "")]
    lines.append("    goes to      \(envelope.goesTo)")
    let checked = envelope.digestOK.map { $0 ? "matches" : "DOES NOT MATCH" } ?? "not checked"
    lines.append("    digest       \(envelope.algorithm) \(envelope.digest) (\(checked))")
    lines.append("    signature    \(envelope.signed ? "there, the board checks it" : "none")")
    lines += envelope.payloads.map { "    holds        \(quoted($0.name)), \($0.size) bytes" }
    lines += envelope.requests.map { "    may ask for  \(quoted("file://" + $0))" }
    lines += caches.flatMap { cache in
      [
        "  cache \(cache.partition): \(quoted(cache.name)), \(cache.size) bytes", "    goes to      \(cache.goesTo)",
        "    SHA-256      \(cache.sha256 ?? "unknown")",
      ]
    }
    lines += resources.flatMap { resource in
      [
        "  resource: \(quoted(resource.name)), \(resource.size) bytes", "    goes to      the board, when it asks for \(quoted("file://" + resource.name))",
        "    SHA-256      \(resource.sha256 ?? "unknown")",
      ]
    }
    return lines
  }
}

extension PackageReport.Envelope {
  fileprivate init(_ package: SUITPackage) {
    let envelope = package.envelope
    name = package.envelopeName
    size = envelope.bytes.count
    sha256 = (try? Digest(.sha256, of: envelope.bytes))?.hex
    algorithm = envelope.algorithm.description
    digest = envelope.digest.hex
    digestOK = envelope.digestCheck == .unchecked ? nil : envelope.digestCheck == .matches
    sequenceNumber = envelope.sequenceNumber
    signed = envelope.isSigned
    payloads = envelope.payloads.map { PackageReport.Payload(name: $0.name, size: $0.size) }
    requests = envelope.requestedFiles
    goesTo = "the board's DFU partition, installed \(package.caches.isEmpty ? "at once" : "after the caches are there")"
  }
}
