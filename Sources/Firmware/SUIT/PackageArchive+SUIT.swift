extension PackageArchive {
  /// The envelope, its caches and its resources of an archive whose manifest names an envelope.
  ///
  /// Every file that the manifest names must be there (the Device Manager drops missing ones silently, facts/device-manager.md §3.1).
  static func suit(_ manifest: Manifest, _ archive: borrowing ZipArchive, _ limits: PackageLimits) throws(PackageError) -> SUITPackage {
    let envelopes = manifest.files.filter { $0.type == envelopeType }
    guard envelopes.count == 1, let root = envelopes.first else { throw .envelopesSeveral(envelopes.map(\.file)) }
    let envelope: SUITEnvelope
    do throws(PackageError) {
      envelope = try SUITEnvelope(try content(root, archive), limits: limits)
    } catch .envelopeBroken(let reason) {
      throw .inEntry(root.file, .envelopeBroken(reason))
    }
    var caches: [SUITCache] = []
    var resources: [SUITResource] = []
    for file in manifest.files where file.type != envelopeType {
      let bytes = try content(file, archive)
      guard file.type == cacheType else {
        if let twin = resources.first(where: { $0.name.lowercased() == file.file.lowercased() }) { throw .resourceTwice(twin.name, file.file) }
        resources.append(SUITResource(name: file.file, bytes: bytes))
        continue
      }
      guard file.image <= limits.cachePartition else { throw .manifestInvalid("cache partition \(file.image) is larger than \(limits.cachePartition)") }
      if let twin = caches.first(where: { $0.partition == file.image }) { throw .cacheTwice(file.image, twin.name, file.file) }
      caches.append(SUITCache(partition: file.image, name: file.file, bytes: bytes))
    }
    return SUITPackage(envelope: envelope, envelopeName: root.file, caches: caches, resources: resources)
  }
}
