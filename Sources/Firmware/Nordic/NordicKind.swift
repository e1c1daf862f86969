/// What a part of a Nordic DFU package is: the key of its object in the manifest (facts/nordic-dfu.md §4.1).
public enum NordicKind: String, Hashable, Sendable, Codable, CaseIterable {
  case softDevice = "softdevice"
  case bootloader
  case softDeviceBootloader = "softdevice_bootloader"
  case application
  // Rare, Secure DFU only; sent like an application.
  case bootloaderApplication = "bootloader_application"
  case softDeviceApplication = "softdevice_application"
  case softDeviceBootloaderApplication = "softdevice_bootloader_application"

  /// The part replaces what the board starts from, and goes before the application.
  public var isSystem: Bool {
    switch self {
    case .softDevice, .bootloader, .softDeviceBootloader: true
    case .application, .bootloaderApplication, .softDeviceApplication, .softDeviceBootloaderApplication: false
    }
  }

  /// For people.
  public var words: String {
    switch self {
    case .softDevice: "SoftDevice"
    case .bootloader: "bootloader"
    case .softDeviceBootloader: "SoftDevice and bootloader"
    case .application: "application"
    case .bootloaderApplication: "bootloader and application"
    case .softDeviceApplication: "SoftDevice and application"
    case .softDeviceBootloaderApplication: "SoftDevice, bootloader and application"
    }
  }

  /// The part is an application and something else; Legacy bootloaders answer those with status 3 (facts/nordic-dfu.md §2.3).
  public var isCombined: Bool {
    switch self {
    case .softDevice, .bootloader, .softDeviceBootloader, .application: false
    case .bootloaderApplication, .softDeviceApplication, .softDeviceBootloaderApplication: true
    }
  }

  /// The part brings another SoftDevice, so that what was installed before says nothing about the parts after it.
  public var bringsSoftDevice: Bool {
    switch self {
    case .softDevice, .softDeviceBootloader, .softDeviceApplication, .softDeviceBootloaderApplication: true
    case .bootloader, .application, .bootloaderApplication: false
    }
  }

  /// The part brings another bootloader: its protocol and version are known only after it has started.
  public var bringsBootloader: Bool {
    switch self {
    case .bootloader, .softDeviceBootloader, .bootloaderApplication, .softDeviceBootloaderApplication: true
    case .softDevice, .application, .softDeviceApplication: false
    }
  }
}

/// Which of Nordic's two update protocols an init packet is made for.
public enum NordicProtocol: String, Hashable, Sendable, Codable, CaseIterable {
  case legacy, secure

  /// For messages.
  public var title: String { self == .legacy ? "Legacy DFU" : "Secure DFU" }
}

/// How many bytes of a part are SoftDevice, bootloader and application: Legacy DFU's Start packet names them in this order
/// (facts/nordic-dfu.md §2.4).
public struct NordicSizes: Hashable, Sendable, Codable {
  public var softDevice: Int
  public var bootloader: Int
  public var application: Int

  public init(softDevice: Int = 0, bootloader: Int = 0, application: Int = 0) {
    self.softDevice = softDevice
    self.bootloader = bootloader
    self.application = application
  }

  /// Bytes in all; each is below 2³², so that the sum is exact.
  public var total: Int { softDevice + bootloader + application }

  enum CodingKeys: String, CodingKey {
    case softDevice = "softdevice"
    case bootloader, application
  }
}
