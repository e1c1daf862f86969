import Firmware
import Flashing

/// What can be known to be wrong about a SUIT package for a profile before a board is touched, and the order that they come to.
struct SUITPreflight {
  let profile: BoardProfile
  let package: SUITPackage
  /// The package's file.
  let path: String

  func order(_ warnings: inout [String]) throws(ConfigurationError) -> SUITOrder {
    let envelope = package.envelope
    guard let digest = envelope.sha256, digest.count == SUITOrder.digestLength else {
      throw ConfigurationError(
        file: path, "the envelope's digest is \(envelope.algorithm), and boards are updated with SHA-256 only", remedy: "build it with cose-alg-sha-256")
    }
    guard envelope.sequenceNumber != nil || profile.firmware.allowDowngrade else {
      throw ConfigurationError(
        file: path, "the envelope does not tell its sequence number, so that an older one cannot be told from a newer one",
        remedy: "build it again, or set allow_downgrade = yes in the profile")
    }
    try checkCaches()
    warn(&warnings)
    let upgrade = profile.upgrade
    return SUITOrder(
      envelope: envelope.bytes, digest: digest, sequenceNumber: envelope.sequenceNumber,
      caches: package.caches.map { SUITOrder.Cache(partition: $0.partition, bytes: $0.bytes) },
      resources: SUITResources(package.resources.map { (name: $0.name, bytes: $0.bytes) }), pairing: profile.pairing, identity: IdentityRule(profile),
      allowsDowngrade: profile.firmware.allowDowngrade, pipelineDepth: upgrade.pipelineDepth, reassemblyBufferSize: upgrade.reassemblyBufferSize)
  }

  private func checkCaches() throws(ConfigurationError) {
    guard package.caches.count <= SUITOrder.cacheLimit else {
      throw ConfigurationError(file: path, "the package holds \(package.caches.count) caches, more than \(SUITOrder.cacheLimit)", remedy: "build it again")
    }
    if let empty = package.caches.first(where: \.bytes.isEmpty) {
      throw ConfigurationError(file: path, "the cache \(empty.name.shown) is empty", remedy: "build or fetch the package again")
    }
    guard Set(package.caches.map(\.partition)).count == package.caches.count else {
      throw ConfigurationError(file: path, "two caches of the package are for one partition", remedy: "build it again")
    }
  }

  /// A SUIT board installs and confirms on its own; the settings are its manifest's business (facts/device-manager.md §1.2).
  private func warn(_ warnings: inout [String]) {
    if profile.upgrade.eraseAppSettings {
      warnings.append(complaint("erase_app_settings is not done with a SUIT package", "take it out, or let the package's manifest do it"))
    }
    if profile.upgrade.mode != .testAndConfirm {
      warnings.append(complaint("mode = \(profile.upgrade.mode.rawValue) means nothing for a SUIT package, which is installed for good", "take it out"))
    }
    if profile.upgrade.bootloaderMode != nil {
      warnings.append(complaint("bootloader_mode means nothing for a SUIT package", "take it out"))
    }
  }

  private func complaint(_ words: String, _ remedy: String) -> String {
    ConfigurationError(file: profile.file, words, remedy: remedy).description
  }
}
