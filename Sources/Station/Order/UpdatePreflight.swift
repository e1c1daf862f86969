import Flashing

/// What can be known to be wrong about an update before a board is touched: combinations of package, mode and bootloader that no board can serve.
///
/// `[upgrade] bootloader_mode` is what holds when a board does not tell. A profile that contradicts itself by it is wrong whatever its boards say.
struct UpdatePreflight {
  let profile: BoardProfile
  let images: [UpdateImage]
  /// The package's file.
  let path: String

  private var upgrade: UpgradeRules { profile.upgrade }
  /// What the profile says of its boards; nil when it leaves that to them.
  private var told: Bootloader? { upgrade.bootloaderMode.map { Bootloader(number: $0) } }
  private var isDirectXIP: Bool { Set(images.map(\.number)).count < images.count }

  func check(_ warnings: inout [String]) throws(ConfigurationError) {
    guard !images.isEmpty else { throw ConfigurationError(file: path, "the package holds no image", remedy: "use a package with an application") }
    try checkBuilds()
    try checkMode()
    if let told { try check(told) }
    if upgrade.eraseAppSettings, upgrade.mode == .uploadOnly {
      warnings.append(
        complaint("erase_app_settings has no effect with mode = uploadOnly, which does not restart the board", "choose another mode, or erase nothing")
          .description)
    }
  }

  /// Direct-XIP: two builds of an image, one for each slot.
  private func checkBuilds() throws(ConfigurationError) {
    for number in Set(images.map(\.number)).sorted() {
      let slots = images.filter { $0.number == number }.map(\.slot)
      guard slots.count == 1 || slots.sorted() == [0, 1] else {
        throw ConfigurationError(
          file: path, "the package holds \(slots.count) files for image \(number), and they are not one for each of its two slots",
          remedy: "build the package again")
      }
    }
  }

  private func checkMode() throws(ConfigurationError) {
    if upgrade.mode == .testOnly, let hidden = images.first(where: { !$0.isReadBack }) {
      throw complaint(
        "mode = testOnly cannot be kept: image \(hidden.number) of the package is for a network core, which has no way back",
        "write mode = confirmOnly or testAndConfirm")
    }
  }

  private func check(_ told: Bootloader) throws(ConfigurationError) {
    switch told {
    case .other: throw complaint("bootloader_mode = \(told.words): boards with such a bootloader cannot be updated over the air", "correct it, or write auto")
    case .firmwareLoader where images.count > 1:
      throw complaint("a firmware loader writes one image, and the package holds \(images.count)", "use a package with one image")
    case .firmwareLoader where upgrade.mode == .uploadOnly:
      throw complaint("mode = uploadOnly cannot be kept: a firmware loader overwrites the image that runs", "write another mode")
    case .directXIP where !isDirectXIP:
      throw complaint("bootloader_mode = \(told.words), and the package does not hold a build for each slot", "use a package made for it, or write auto")
    case .swap where isDirectXIP, .overwrite where isDirectXIP, .ramLoad where isDirectXIP:
      throw complaint("the package holds builds for Direct-XIP, and bootloader_mode is another", "use a package made for it, or write auto")
    case .swap, .overwrite, .directXIP, .ramLoad, .firmwareLoader: break
    }
    if upgrade.mode == .testOnly, !told.reverts {
      throw complaint("mode = testOnly cannot be kept: a bootloader that works as \(told.words) has no way back", "write mode = confirmOnly or testAndConfirm")
    }
  }

  private func complaint(_ words: String, _ remedy: String) -> ConfigurationError {
    ConfigurationError(file: profile.file, words, remedy: remedy)
  }
}
