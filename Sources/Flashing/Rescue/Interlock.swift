public import Firmware

/// The bootloader that an application needs first: which builds are flashed in which order, or why none may be.
///
/// Pure, and cheap enough to be asked again after every stage: a chain that broke off is then planned from where the board stands, and gets shorter by
/// itself (facts/metaboot.md §4; §10.5, §10.6 and §10.14 for what is done otherwise than there).
public struct Interlock: Hashable, Sendable {
  /// A build as the catalogue has it.
  public struct Build: Hashable, Sendable {
    /// What the caller finds it again by.
    public var id: String
    public var version: FirmwareVersion
    /// The lowest bootloader that takes it; nil when none is named.
    public var required: FirmwareVersion?

    public init(id: String, version: FirmwareVersion, required: FirmwareVersion?) {
      self.id = id
      self.version = version
      self.required = required
    }
  }

  /// What is done with a board, in this order: the bootloaders, oldest hop first, then the application.
  public struct Plan: Hashable, Sendable {
    public var bootloaders: [Build]
    public var application: Build
    /// Whether the bootloader will be newer than the application asks for: what the application's init packet says of SoftDevices is then worth a look.
    public var overshoots: Bool

    /// Everything that is flashed, in order.
    public var stages: [Build] { bootloaders + [application] }
  }

  /// Bootloader builds for the board's hardware and model, in any order.
  public var bootloaders: [Build]
  /// Application builds for the board's hardware, model and flavor, in any order: newer ones tell when an older one has become dangerous.
  public var applications: [Build]
  /// `[firmware] allow_downgrade`.
  public var allowsDowngrade: Bool

  public init(bootloaders: [Build], applications: [Build] = [], allowsDowngrade: Bool = false) {
    self.bootloaders = bootloaders
    self.applications = applications
    self.allowsDowngrade = allowsDowngrade
  }

  /// The stages from `installed` to `application`.
  public func plan(_ application: Build, installed: FirmwareVersion) throws(InterlockRefusal) -> Plan {
    try refuseDowngrade(to: application, installed: installed)
    guard let required = application.required else { return Plan(bootloaders: [], application: application, overshoots: false) }
    var hops: [Build] = []
    var current = installed
    // Each hop is newer than the one before, so there are no more hops than builds.
    while current < required {
      guard let hop = bootloaders.filter({ $0.version > current && Self.isFlashable($0, from: current) }).max(by: { $0.version < $1.version }) else {
        throw .unreachable(required: required, installed: installed, reached: current)
      }
      hops.append(hop)
      current = hop.version
    }
    return Plan(bootloaders: hops, application: application, overshoots: !hops.isEmpty && current > required)
  }

  /// A build that requires its own version is a slip of the catalogue and no gate: taken at its word it could never be flashed (facts/metaboot.md §3.4, §4).
  private static func isFlashable(_ build: Build, from current: FirmwareVersion) -> Bool {
    guard let required = build.required, required != build.version else { return true }
    return current >= required
  }

  /// A bootloader comes with its SoftDevice, and applications from before it no longer start under it: such boards were dead for good (§9, thread 6781).
  ///
  /// What tells: the board's bootloader is one that only newer applications of the catalogue ask for. A bootloader that is merely newer than required,
  /// within the same generation of applications, is fine; so is every bootloader for the latest application.
  private func refuseDowngrade(to application: Build, installed: FirmwareVersion) throws(InterlockRefusal) {
    guard !allowsDowngrade else { return }
    let later = applications.filter { $0.version > application.version }.compactMap(\.required)
    let boundary = later.filter { required in required <= installed && application.required.map { $0 < required } ?? true }.min()
    if let boundary { throw .downgrade(to: application.version, installed: installed, boundary: boundary) }
  }
}
