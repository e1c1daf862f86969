import FoundationEssentials
import Testing

@testable import Catalogue

/// `[rescue] catalog`: what is an address, and where the artefacts of a catalogue lie (facts/metaboot.md §3.1).
@Suite struct LocationTests {
  @Test(
    "Addresses and files",
    arguments: [
      ("https://mbientlab.com/releases/metawear/info2.json", "https://mbientlab.com/releases/metawear/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("https://releases.mbientlab.com/metawear/info1.json?x=1#y", "https://releases.mbientlab.com/metawear/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("https://host:8443/info2.json", "https://host:8443/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("https://host/a%20b/info2.json", "https://host/a%20b/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("http://127.0.0.1:8000/c/info2.json", "http://127.0.0.1:8000/c/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("http://[::1]:8000/info2.json", "http://[::1]:8000/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("file:///srv/cat/info2.json", "file:///srv/cat/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("/srv/cat/info2.json", "file:///srv/cat/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("cat/info2.json", "file:///etc/flashline/cat/0.4/5/vanilla/1.4.4/firmware.zip"),
      ("../cat/./info2.json", "file:///etc/cat/0.4/5/vanilla/1.4.4/firmware.zip"),
    ])
  func artefacts(text: String, artefact: String) throws {
    let location = try #require(CatalogueLocation(text, relativeTo: "/etc/flashline"))
    let catalogue = try Samples.read(Samples.catalogue)
    let build = try #require(catalogue.builds(hardware: "0.4", model: "5", flavor: "vanilla").first)
    #expect(location.artefact(build).absoluteString == artefact)
    #expect(location.isFile == !text.hasPrefix("http"))
  }

  @Test(
    "What is refused",
    arguments: [
      "", "http://mbientlab.com/info2.json", "ftp://host/info2.json", "https://", "https://host", "https://host/", "https:///info2.json",
      "https://user:word@host/info2.json", "https://user@host/info2.json", "http://127.0.0.1.evil.example/x.json", "file://host/x.json", "a\u{0}b", "a\nb",
      String(repeating: "a", count: 1025),
    ])
  func refused(text: String) { #expect(CatalogueLocation(text) == nil) }

  @Test func everyLocationHasAFolderOfItsOwn() throws {
    let texts = ["https://mbientlab.com/a/info2.json", "https://mbientlab.com/b/info2.json", "/srv/info2.json", "/srv/other/info2.json", "/srv/....json"]
    let names = try texts.map { try #require(CatalogueLocation($0)).folderName() }
    #expect(Set(names).count == texts.count)
    #expect(names[0].hasPrefix("mbientlab.com-"))
    #expect(names[2].hasPrefix("info2-"))
    #expect(names.allSatisfy { PathPart.isSafe($0) }, "\(names)")
    #expect(try CatalogueLocation("file:///srv/info2.json")?.folderName() == names[2])
  }
}
