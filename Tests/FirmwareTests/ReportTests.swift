import Firmware
import Foundation
import Testing

@Suite("PackageReport")
struct ReportTests {
  private func json(_ name: String) throws -> [String: Any] {
    let report = PackageReport(try FirmwarePackage(path: Fixture.url(name).path))
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report))
    return try #require(object as? [String: Any])
  }

  @Test("the document has the promised keys, and the values of imgtool")
  func document() throws {
    let document = try json("single.zip")
    #expect(Set(document.keys) == ["file", "kind", "size", "sha256", "name", "images", "complaints"])
    #expect(document["kind"] as? String == "mcumgr_package")
    let image = try #require((document["images"] as? [[String: Any]])?.first)
    #expect(
      Set(image.keys) == [
        "image", "slot", "name", "size", "sha256", "version", "hash", "hash_kind", "hash_ok", "signed", "signature", "pure_signature", "key_hash", "encrypted",
        "header_size", "image_size", "load_address", "flags", "dependencies", "entries", "board", "soc",
      ])
    let dump = try Fixture.dump("ecdsa-sha256")
    #expect(image["version"] as? String == "1.2.3+4")
    #expect(image["hash"] as? String == dump.tlv_area.tlvs[0].data)
    #expect(image["key_hash"] as? String == dump.tlv_area.tlvs[1].data)
    #expect(image["hash_kind"] as? String == "sha256")
    #expect(image["hash_ok"] as? Bool == true)
    #expect(image["signature"] as? String == "ecdsa")
  }

  @Test("a hash that cannot be checked has no hash_ok, and protected entries are told apart")
  func absent() throws {
    let encrypted = try #require((json("encrypted.bin")["images"] as? [[String: Any]])?.first)
    #expect(encrypted["hash_ok"] == nil)
    #expect(encrypted["encrypted"] as? Bool == true)
    #expect(encrypted["encryption"] as? String == "encrypted_ec256")
    #expect(encrypted["flags"] as? [String] == ["encrypted_aes128"])
    let protected = PackageReport(try FirmwarePackage(path: Fixture.url("protected.bin").path)).images[0]
    #expect(protected.securityCounter == 5)
    #expect(protected.dependencies.map(\.image) == [1])
    #expect(protected.dependencies.map(\.version) == ["1.2.3+4"])
    #expect(protected.entries.filter(\.protected).map(\.type) == ["security_counter", "boot_record", "dependency", "vendor_id", "class_id", "0xa0"])
  }

  @Test("people read the same facts, and every complaint")
  func lines() throws {
    let package = try FirmwarePackage(path: Fixture.url("padded-confirmed.bin").path)
    let more = Complaint(.error, .notPinned, "pinned otherwise")
    let report = PackageReport(package, more: [more])
    let text = report.lines.joined(separator: "\n")
    #expect(text.contains("version 1.5.1+0"))
    #expect(text.contains("(matches)"))
    #expect(text.contains("error: pinned otherwise"))
    #expect(text.contains("warning: 'padded-confirmed.bin' has"))
    #expect(report.complaints.count == 2)
  }

  @Test("a hash that does not match cannot be overlooked")
  func mismatch() throws {
    let bytes = try Fixture.bytes("unsigned.bin")
    let report = PackageReport(try FirmwarePackage(fileName: "a.bin", bytes: bytes.patched(at: 100, [bytes[100] ^ 1])))
    #expect(report.images.map(\.hashOK) == [false])
    #expect(report.lines.joined().contains("DOES NOT MATCH"))
  }
}
