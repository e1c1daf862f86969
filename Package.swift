// swift-tools-version: 6.2
import PackageDescription

/// Every Swift room is built the same way: Swift 6, all warnings are errors, imports are named where they are used.
let room: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A C gate: a module map and a shim header, found by pkg-config.
func gate(_ name: String, _ pkgConfig: String?, apt: String) -> Target {
  .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func swift(_ name: String, _ dependencies: [Target.Dependency], linked: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: ["README.md"], swiftSettings: room, linkerSettings: linked.map { .linkedLibrary($0) })
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: room)
}

let package = Package(
  name: "flashline",
  products: [
    .executable(name: "flashline", targets: ["flashline"]),
    .executable(name: "upgrade-one-board", targets: ["upgrade-one-board"]),
    // For other programs: one board over any `GATTLink`, and the way to bluetoothd for those that have none (Sources/Flashing/Flashing.docc).
    .library(name: "Bluetooth", targets: ["Bluetooth"]),
    .library(name: "Firmware", targets: ["Firmware"]),
    .library(name: "SMP", targets: ["SMP"]),
    .library(name: "NordicDFU", targets: ["NordicDFU"]),
    .library(name: "Flashing", targets: ["Flashing"]),
    .library(name: "BlueZ", targets: ["BlueZ", "Reactor"]),
  ],
  targets: [
    gate("CDBus", "dbus-1", apt: "libdbus-1-dev"),
    gate("CUdev", "libudev", apt: "libudev-dev"),
    gate("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
    gate("CZip", "libzip", apt: "libzip-dev"),
    gate("CZlib", "zlib", apt: "zlib1g-dev"),
    gate("CCBOR", "libcbor", apt: "libcbor-dev"),
    gate("CCrypto", "libcrypto", apt: "libssl-dev"),
    gate("CIni", "inih", apt: "libinih-dev"),
    gate("CLinux", nil, apt: "libc6-dev"),

    swift("Locks", []),
    swift("Bluetooth", []),
    swift("Firmware", ["CZip", "CZlib", "CCBOR", "CCrypto"]),
    swift("SMP", ["CCBOR"]),
    swift("NordicDFU", []),
    swift("Flashing", ["Bluetooth", "Firmware", "SMP", "NordicDFU", "Locks"]),
    swift("Catalogue", ["Firmware"]),
    swift("Station", ["Flashing", "Bluetooth", "Firmware", "Catalogue", "CIni", "Locks"]),
    swift("SQLite", ["CSQLite"]),
    swift("Records", ["Flashing", "Bluetooth", "SQLite", "CCrypto"]),
    // Swift's static FoundationNetworking leaves libcurl to the linker.
    swift("Cloud", ["Bluetooth", "SMP", "Catalogue", "Locks", "SQLite", "CCrypto"], linked: ["curl"]),
    swift("Reactor", ["CLinux", "Locks"]),
    swift("DBus", ["CDBus", "Reactor"]),
    swift("BlueZ", ["DBus", "Reactor", "Bluetooth", "CLinux"]),
    swift("Udev", ["CUdev", "Reactor", "Bluetooth"]),
    swift("VirtualLine", ["DBus", "Reactor", "Bluetooth", "SMP", "NordicDFU", "Firmware", "CCBOR", "CLinux"]),
    .executableTarget(
      name: "flashline",
      dependencies: [
        "Bluetooth", "Firmware", "SMP", "Flashing", "Catalogue", "Cloud", "Station", "Records", "Reactor", "DBus", "BlueZ", "Udev", "VirtualLine", "CLinux",
        "Locks",
      ],
      exclude: ["README.md"], swiftSettings: room),
    .executableTarget(
      name: "upgrade-one-board", dependencies: ["Bluetooth", "Firmware", "Flashing", "BlueZ", "Reactor"], path: "Examples/upgrade-one-board",
      swiftSettings: room),

    tests("BluetoothTests", ["Bluetooth"]),
    tests("FirmwareTests", ["Firmware", "LineFixture"], resources: [.copy("Fixtures")]),
    tests("SMPTests", ["SMP"]),
    tests("NordicDFUTests", ["NordicDFU", "Bluetooth", "LineFixture"]),
    // A Bluetooth stack in memory over virtual boards, and a clock turned by hand: for tests of sessions and of the station.
    .target(name: "LineFixture", dependencies: ["Bluetooth", "Firmware", "VirtualLine"], path: "Tests/LineFixture", swiftSettings: room),
    tests("FlashingTests", ["Locks", "Flashing", "Bluetooth", "Firmware", "SMP", "NordicDFU", "VirtualLine", "LineFixture"]),
    tests("CatalogueTests", ["Catalogue", "Firmware"]),
    tests("StationTests", ["Locks", "Station", "Flashing", "Bluetooth", "Firmware", "Catalogue", "LineFixture"]),
    tests("CloudTests", ["Cloud", "Catalogue", "Locks", "Bluetooth", "SQLite", "LineFixture"]),
    tests("RecordsTests", ["Locks", "Records", "SQLite", "Flashing", "Bluetooth"]),
    // What libFuzzer feeds (make fuzz), and the suite with everything that was found.
    .target(
      name: "FuzzTargets", dependencies: ["Cloud", "Firmware", "SMP", "NordicDFU", "Catalogue", "Station"], path: "Tests/Fuzz/Targets",
      swiftSettings: room),
    tests("FuzzTests", ["FuzzTargets", "SMP"]),
    .target(name: "BusFixture", path: "Tests/BusFixture", swiftSettings: room),
    tests("DBusTests", ["DBus", "Reactor", "BusFixture"]),
    tests("BlueZTests", ["Locks", "BlueZ", "DBus", "Reactor", "Bluetooth", "BusFixture"]),
    .executableTarget(name: "udev-probe", dependencies: ["Udev", "Reactor", "Bluetooth"], path: "Tests/UdevProbe", swiftSettings: room),
    tests("UdevTests", ["Udev", "Reactor", "Bluetooth", "udev-probe"]),
    // A process of its own for VirtualLineTests: umockdev's testbed only works in a program that was started under its preload library.
    .executableTarget(name: "lineprobe", dependencies: ["VirtualLine", "CUdev"], path: "Tests/LineProbe", swiftSettings: room),
    tests("VirtualLineTests", ["VirtualLine", "SMP", "Bluetooth", "Firmware", "DBus", "Reactor", "lineprobe"]),
    tests(
      "ProgramTests", ["Locks", "flashline", "upgrade-one-board", "Cloud", "Station", "Flashing", "Bluetooth", "SMP", "Firmware", "Records", "VirtualLine"]),
  ]
)

// libFuzzer brings the `main` of this one: it can only be linked with -sanitize=fuzzer, so that only `make fuzz` has it.
if Context.environment["FLASHLINE_FUZZ"] != nil {
  package.targets.append(.executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Entry", swiftSettings: room))
}
