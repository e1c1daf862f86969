import FoundationEssentials
import Testing

@testable import flashline

/// `catalog` as a process, against a catalogue in a folder.
@Suite struct CatalogProcessTests {
  private let folder: TemporaryFolder
  private static let path = "0.4/5/vanilla/1.5.0/firmware.zip"

  init() throws {
    folder = try TemporaryFolder()
    for name in ["Profiles", "vendor/0.4/5/vanilla/1.5.0", "vendor/0.4/5/bootloader/0.4.0", "vendor/0.1/8/vanilla/1.7.3"] {
      try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
    }
    _ = try folder.write("[station]\nid = s\n", to: "station.conf")
    _ = try folder.write("application", to: "vendor/" + Self.path)
    _ = try folder.write("bootloader", to: "vendor/0.4/5/bootloader/0.4.0/bl.zip")
    _ = try folder.write("other", to: "vendor/0.1/8/vanilla/1.7.3/firmware.zip")
    _ = try folder.write(
      """
      {"0.4": {"5": {"vanilla": {"1.5.0": {"filename": "firmware.zip", "required-bootloader": "0.4.0"}, "1.4.4": {"filename": 5}},
                     "bootloader": {"0.4.0": {"filename": "bl.zip", "required-bootloader": "0.3.3"}}}},
       "0.1": {"8": {"vanilla": {"1.7.3": {"filename": "firmware.zip"}}}}}
      """, to: "vendor/info2.json")
    _ = try folder.write(
      """
      [board]
      family = metawear
      [match]
      name_prefix = MetaWear
      min_rssi = -70
      [identity]
      model_number = 5
      hardware_revision = 0.4
      [rescue]
      catalog = ../vendor/info2.json
      """, to: "Profiles/mm.profile")
  }

  private func run(_ arguments: String...) async throws -> BuiltProgram.Result { try await BuiltProgram.run(arguments, in: folder) }

  /// The mirror's file, wherever the folder for this catalogue is.
  private func mirrored(_ path: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/catalog")
    return "catalog/" + (try #require(names.first)) + "/" + path
  }

  @Test func refreshListVerify() async throws {
    let early = try await run("catalog", "list")
    #expect(early.status == 2)
    #expect(early.err.contains("run flashline catalog refresh"))

    let refresh = try await run("catalog", "refresh")
    #expect(refresh.status == 0, "\(refresh.err)")
    #expect(refresh.out.contains("fetched \(Self.path) (11 bytes)"))
    #expect(refresh.out.contains("2 builds: 2 fetched"))
    #expect(refresh.err == "flashline: catalogue: 0.4/5/vanilla/1.4.4: it has no filename\n")

    let list = try await run("--json", "catalog", "list", "--profile", "mm")
    #expect(list.status == 0)
    let document = try #require(try list.events().first)
    #expect(document["action"] as? String == "list")
    let builds = try #require((document["catalogues"] as? [[String: Any]])?.first?["builds"] as? [[String: Any]])
    #expect(builds.map { $0["state"] as? String } == ["not_mirrored", "mirrored", "mirrored"])
    let application = try #require(builds.last)
    #expect(application["latest"] as? Bool == true)
    #expect(application["required_bootloader"] as? String == "0.4.0")
    // echo -n application | sha256sum
    #expect(application["sha256"] as? String == "1fe289205936c3fdb61158223892c7a8bee6ff4dfa085ea1c094ce0294e32114")

    #expect(try await run("catalog", "verify").status == 0)
    _ = try folder.write("Application", to: try mirrored(Self.path))
    let verify = try await run("catalog", "verify")
    #expect(verify.status == 1)
    #expect(verify.err.contains("flashline: \(Self.path) is not what was pinned: run flashline catalog refresh"))
    #expect(try await run("catalog", "refresh", "--all").status == 0)
    #expect(try await run("catalog", "verify").status == 0)
  }

  @Test func contentThatTheServerChangedIsRefused() async throws {
    #expect(try await run("catalog", "refresh").status == 0)
    try FileManager.default.removeItem(atPath: folder.path + "/" + (try mirrored(Self.path)))
    _ = try folder.write("Application", to: "vendor/" + Self.path)
    let refresh = try await run("--json", "catalog", "refresh")
    #expect(refresh.status == 1)
    #expect(try refresh.events().first?["ok"] as? Bool == false)
    #expect(refresh.err.contains("has changed on the server"))
  }

  @Test func whatIsWrongWithTheCatalogueIsTold() async throws {
    _ = try folder.write("<html>", to: "vendor/info2.json")
    let broken = try await run("catalog", "refresh")
    #expect(broken.status == 2)
    #expect(broken.err.contains("vendor/info2.json: the catalogue is not a JSON object: check the address or file that [rescue] catalog names"))
    try FileManager.default.removeItem(atPath: folder.path + "/vendor/info2.json")
    #expect(try await run("catalog", "refresh").status == 3)
    _ = try folder.write("[board]\nfamily = metawear\n[match]\nname = A\nmin_rssi = -70\n", to: "Profiles/mm.profile")
    let none = try await run("catalog", "refresh")
    #expect(none.status == 2)
    #expect(none.err.contains("names a catalogue: set [rescue] catalog in a profile"))
  }
}
