extension SUITPackage {
  /// Everything that is wrong or odd about the envelope and the files beside it.
  var complaints: [Complaint] { envelopeComplaints + fileComplaints }

  private var envelopeComplaints: [Complaint] {
    let name = quoted(envelopeName)
    var found: [Complaint] = []
    if envelope.sha256 == nil {
      let message = "\(name) has a digest of kind \(envelope.algorithm), and uploads take SHA-256 only"
      found.append(Complaint(.error, .digestAlgorithm, "\(message): build it with cose-alg-sha-256"))
    }
    if envelope.digestCheck == .differs {
      let message = "\(name) has another \(envelope.algorithm) digest than its manifest, so it is damaged: build or fetch it again"
      found.append(Complaint(.error, .hashDiffers, message))
    }
    if !envelope.isSigned {
      found.append(Complaint(.warning, .unsigned, "\(name) is not signed: a board that checks signatures will not install it"))
    }
    if envelope.trailingBytes > 0 {
      let message = "\(name) has \(envelope.trailingBytes) bytes behind the envelope, which are uploaded too: check how it was built"
      found.append(Complaint(.warning, .trailingBytes, message))
    }
    return found
  }

  private var fileComplaints: [Complaint] {
    var found: [Complaint] = []
    let empty = caches.filter(\.bytes.isEmpty).map(\.name) + resources.filter(\.bytes.isEmpty).map(\.name)
    for name in empty { found.append(Complaint(.error, .imageEmpty, "\(quoted(name)) is empty: build or fetch the package again")) }
    for name in envelope.requestedFiles where resource(named: name) == nil && !isCached(name) {
      let message = "the envelope names \(quoted("file://" + name)), which the package does not hold"
      found.append(Complaint(.warning, .resourceMissing, "\(message): a board that asks for it cannot be updated, use the whole dfu_suit.zip"))
    }
    return found
  }

  /// Caches hold their files under the text by which the envelope names them.
  private func isCached(_ name: String) -> Bool {
    let wanted = Array("file://\(name)".utf8)
    return caches.contains { cache in
      cache.bytes.indices.contains { cache.bytes[$0] == wanted[0] && cache.bytes[$0...].starts(with: wanted) }
    }
  }
}
