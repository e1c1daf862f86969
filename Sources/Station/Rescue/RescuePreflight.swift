import Catalogue
import Firmware
import Flashing

/// What can be known to be wrong about the firmware of boards with Nordic's bootloaders before one of them is touched.
struct RescuePreflight {
  /// The folder of the station's mirrors.
  let mirrors: String
  /// `--package`; instead of the profile's package or catalogue.
  let package: String?
  /// `recover` leaves a board alone that runs its application; `run` sends it to its bootloader.
  let entersBootloader: Bool

  /// The kind of board that a profile comes to. Blocks.
  func kind(_ profile: BoardProfile, _ warnings: inout [String]) throws(ConfigurationError) -> LineJob.Kind {
    if !entersBootloader { try checkNarrow(profile) }
    var kind: LineJob.Kind
    if let path = package ?? profile.firmware.package {
      let (shelf, package, version) = try single(path, profile, &warnings)
      kind = LineJob.Kind(
        profile: profile, order: .rescue(order(profile, shelf)), version: version.description, packageName: package.fileName,
        packageSHA256: package.sha256.hex)
    } else if let catalog = profile.rescue.catalog {
      let version = try expected(profile)
      let shelf = try self.shelf(catalog, profile, version)
      kind = LineJob.Kind(
        profile: profile, order: .rescue(order(profile, shelf)), version: version?.description ?? "latest", packageName: catalog.description,
        packageSHA256: shelf.digest)
    } else {
      throw ConfigurationError(
        file: profile.file, "names neither a package nor a catalogue", remedy: "set [rescue] catalog or [firmware] package, or give --package FILE")
    }
    return kind
  }

  private func order(_ profile: BoardProfile, _ shelf: any FirmwareShelf) -> RescueOrder {
    let wish: NordicProtocol? =
      switch profile.rescue.protocol {
      case .auto: nil
      case .legacy: .legacy
      case .secure: .secure
      }
    return RescueOrder(
      family: profile.family == .metawear ? .metaWear : .nordic, shelf: shelf, wish: wish, pairing: profile.pairing, identity: IdentityRule(profile),
      allowsDowngrade: profile.firmware.allowDowngrade, receiptInterval: max(1, profile.rescue.packetReceipt), packetSize: profile.rescue.packetSize,
      known: NordicTarget(profile), entersBootloader: entersBootloader)
  }

  /// Every Nordic bootloader in range looks alike: something must tell ours from others (contract §2).
  private func checkNarrow(_ profile: BoardProfile) throws(ConfigurationError) {
    let identity = profile.identity
    let isNarrow =
      identity.modelNumber != nil || identity.manufacturer != nil || identity.hardwareRevision != nil || profile.rescue.name != nil
      || !profile.match.addresses.isEmpty || profile.match.allowAny
    guard isNarrow else {
      throw ConfigurationError(
        file: profile.file, "would flash any board in range that is in a Nordic bootloader",
        remedy: "set one of [identity] manufacturer, model_number, hardware_revision, [rescue] name, [match] addresses; or allow_any = yes")
    }
  }

  // MARK: one package

  private func single(
    _ path: String, _ profile: BoardProfile, _ warnings: inout [String]
  ) throws(ConfigurationError) -> (PackageShelf, NordicPackage, FirmwareVersion) {
    guard let version = try expected(profile) else {
      throw ConfigurationError(
        file: profile.file, "does not say which version \(path.escaped(limit: 1024)) brings, and the package cannot tell (its image may be encrypted)",
        remedy: "set [firmware] version to what the board's firmware revision reads afterwards")
    }
    let package: NordicPackage
    do throws(PackageError) {
      package = try NordicPackage(path: path)
    } catch {
      throw ConfigurationError(file: path, error.description, remedy: error.remedy)
    }
    guard package.parts.contains(where: { !$0.kind.isSystem }) else {
      throw ConfigurationError(file: path, "holds no application, so that no board could run afterwards", remedy: "give a package with an application")
    }
    let complaints = package.complaints(pinned: profile.firmware.sha256) + package.complaints + package.complaints(for: NordicTarget(profile))
    for complaint in complaints {
      switch complaint.severity {
      case .error: throw ConfigurationError(file: path, complaint.message, remedy: nil)
      case .warning: warnings.append(ConfigurationError(file: path, complaint.message, remedy: nil).description)
      }
    }
    return (PackageShelf(package, version: version), package, version)
  }

  private func expected(_ profile: BoardProfile) throws(ConfigurationError) -> FirmwareVersion? {
    guard let text = profile.firmware.version else { return nil }
    guard let version = FirmwareVersion(text) else {
      throw ConfigurationError(file: profile.file, "[firmware] version \(text.shown) is no version", remedy: "write it like 1.7.3")
    }
    return version
  }

  // MARK: a catalogue

  private func shelf(_ location: CatalogueLocation, _ profile: BoardProfile, _ version: FirmwareVersion?) throws(ConfigurationError) -> CatalogueShelf {
    let mirror: CatalogueMirror
    do throws(CatalogueError) {
      mirror = try CatalogueMirror(of: location, in: mirrors)
    } catch {
      throw ConfigurationError(file: profile.file, error.description, remedy: nil)
    }
    return try CatalogueShelf(
      mirror: mirror, flavor: profile.rescue.flavor, version: version, allowsDowngrade: profile.firmware.allowDowngrade)
  }
}
