public import Firmware
public import Flashing

/// Everything that can be known to be wrong before a board is touched: one clear error, or the order for the line job (contract §§1, 2).
///
/// Loading packages blocks: callers put the check on an executor of their own.
public struct PreflightCheck: Sendable {
  let profiles: [BoardProfile]
  let options: JobOptions
  let require: Set<RequiredOption>
  let job: JobKind
  /// The folder of the station's mirrors of catalogues.
  let mirrors: String

  public init(profiles: [BoardProfile], options: JobOptions, require: Set<RequiredOption>, job: JobKind = .update, mirrors: String = "catalog") {
    self.profiles = profiles.sorted { $0.name < $1.name }
    self.job = job
    self.mirrors = mirrors
    self.options = options
    self.require = require
  }

  /// The order of a line job.
  ///
  /// - Parameter load: reads a package; a test gives its own.
  public func order(
    load: (String) throws(PackageError) -> FirmwarePackage = { (path) throws(PackageError) in try FirmwarePackage(path: path) }
  ) throws(ConfigurationError) -> JobOrder {
    try checkOptions()
    try checkProfiles()
    var order = JobOrder(kinds: [], warnings: [])
    let rescue = RescuePreflight(mirrors: mirrors, package: options.package, entersBootloader: job == .update)
    for profile in profiles {
      guard profile.family == .mcuboot else {
        order.kinds.append(try rescue.kind(profile, &order.warnings))
        continue
      }
      guard let path = options.package ?? profile.firmware.package else {
        throw ConfigurationError(file: profile.file, "names no package", remedy: "give --package FILE, or set [firmware] package")
      }
      let package = try package(at: path, load)
      let wanted = package.complaints(for: profile.firmware)
      for complaint in wanted + package.complaints {
        switch complaint.severity {
        case .error: throw ConfigurationError(file: path, complaint.message, remedy: nil)
        case .warning: order.warnings.append(ConfigurationError(file: path, complaint.message, remedy: nil).description)
        }
      }
      order.kinds.append(try kind(profile, package, path, &order.warnings))
    }
    return order
  }

  private func checkOptions() throws(ConfigurationError) {
    for option in RequiredOption.allCases {
      guard let value = options.value(option) else {
        guard !require.contains(option) else {
          throw ConfigurationError("\(option.option) is missing", remedy: "give it, or change [station] require in station.conf")
        }
        continue
      }
      guard !value.isEmpty, value.count <= 64, value == value.escaped() else {
        throw ConfigurationError(
          "\(option.option) \(value.shown) is empty, longer than 64 characters, or holds control characters", remedy: "correct it")
      }
    }
  }

  private func checkProfiles() throws(ConfigurationError) {
    guard !profiles.isEmpty else { throw ConfigurationError("no profile is given", remedy: "give --profile NAME") }
    for (first, second) in zip(profiles, profiles.dropFirst()) where first.name == second.name {
      throw ConfigurationError(
        file: second.file, "two profiles of this job are called \(second.name.shown)", remedy: "give each its own [board] name, or name it once")
    }
    for profile in profiles where job == .rescue && profile.family == .mcuboot {
      throw ConfigurationError(
        file: profile.file, "boards of family mcuboot have no bootloader that can be flashed over the air",
        remedy: "use profiles of family metawear or nordic-dfu")
    }
    guard options.package == nil || profiles.count == 1 else {
      throw ConfigurationError("--package is given with \(profiles.count) profiles", remedy: "set [firmware] package in each of them instead")
    }
  }

  private func package(
    at path: String, _ load: (String) throws(PackageError) -> FirmwarePackage
  ) throws(ConfigurationError) -> FirmwarePackage {
    do throws(PackageError) {
      return try load(path)
    } catch {
      throw ConfigurationError(file: path, error.description, remedy: error.remedy)
    }
  }

  private func kind(
    _ profile: BoardProfile, _ package: FirmwarePackage, _ path: String, _ warnings: inout [String]
  ) throws(ConfigurationError) -> LineJob.Kind {
    if let suit = package.suit {
      let order = try SUITPreflight(profile: profile, package: suit, path: path).order(&warnings)
      return LineJob.Kind(
        profile: profile, order: .suit(order), version: order.version, packageName: package.fileName, packageSHA256: package.sha256.hex)
    }
    if let bootloader = package.images.first(where: \.isBootloader) {
      throw ConfigurationError(
        file: path, "the package holds a bootloader (\(bootloader.name.escaped(limit: 200))), of which no board tells afterwards whether it runs",
        remedy: "use a package with applications only")
    }
    let images = package.images.map { UpdateImage($0) }
    try UpdatePreflight(profile: profile, images: images, path: path).check(&warnings)
    let order = UpdateOrder(profile, images: images)
    return LineJob.Kind(
      profile: profile, order: .update(order), version: order.version, packageName: package.fileName, packageSHA256: package.sha256.hex)
  }
}

extension FirmwarePackage {
  /// What the package has against it where a profile's `[firmware]` is concerned.
  public func complaints(for rules: FirmwareRules) -> [Complaint] {
    complaints(
      pinned: rules.sha256, version: rules.version.flatMap { ImageVersion($0) }, boards: rules.boards, socs: rules.socs,
      allowsUnsigned: rules.allowUnsigned)
  }
}
