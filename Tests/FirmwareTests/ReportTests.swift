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
    #expect(Set(document.keys) == ["file", "kind", "size", "sha256", "name", "format_version", "direct_xip", "images", "complaints"])
    #expect(document["kind"] as? String == "mcumgr_package")
    let image = try #require((document["images"] as? [[String: Any]])?.first)
    #expect(
      Set(image.keys) == [
        "image", "slot", "name", "size", "sha256", "version", "hash", "hash_kind", "hash_ok", "signed", "signature", "pure_signature", "key_hash", "encrypted",
        "header_size", "image_size", "load_address", "flags", "dependencies", "entries", "board", "soc",
        "type", "old_format", "network_core", "bootloader", "read_back", "goes_to",
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

  @Test("several images: what goes where, and what cannot be read back")
  func severalImages() throws {
    let document = try json("packages/nrf5340.zip")
    let images = try #require(document["images"] as? [[String: Any]])
    #expect(images.map { $0["goes_to"] as? String } == ["slot 1 of image 0", "slot 1 of image 1: network core, cannot be read back", "slot 1 of image 2"])
    #expect(images.map { $0["read_back"] as? Bool } == [true, false, true])
    #expect(images.map { $0["network_core"] as? Bool } == [false, true, false])
    #expect(images[1]["other_version"] as? String == "1")
    #expect(document["format_version"] as? Int == 1)
    #expect(document["direct_xip"] as? Bool == false)
    let text = PackageReport(try FirmwarePackage(path: Fixture.url("packages/nrf5340.zip").path)).lines.joined(separator: "\n")
    #expect(text.contains("image 1, slot 1: 'ipc_radio.bin'"))
    #expect(text.contains("goes to      slot 1 of image 1: network core, cannot be read back"))
    #expect(text.contains("board 'nrf5340dk/nrf5340/cpunet', soc 'nrf5340', version '1'"))
  }

  @Test("Direct-XIP and bootloaders say who gets what")
  func places() throws {
    let xip = try json("packages/direct-xip.zip")
    #expect(xip["direct_xip"] as? Bool == true)
    let text = PackageReport(try FirmwarePackage(path: Fixture.url("packages/direct-xip.zip").path)).lines.joined(separator: "\n")
    #expect(text.contains("Direct-XIP: a board gets the build for its other slot"))
    #expect(text.contains("slot 0 of image 0, on boards that run from slot 1"))
    let bootloader = PackageReport(try FirmwarePackage(path: Fixture.url("packages/mcuboot-b0.zip").path))
    #expect(bootloader.images.map(\.bootloader) == [true, true])
    #expect(bootloader.images.map(\.b0Version) == ["2", "2"])
    #expect(bootloader.lines.joined().contains("no board: a bootloader is not flashed by jobs"))
  }

  @Test("a SUIT package: envelope, caches, resources, in words and keys")
  func suit() throws {
    let document = try json("packages/dfu_suit.zip")
    #expect(document["kind"] as? String == "suit_package")
    #expect((document["images"] as? [Any])?.isEmpty == true)
    #expect(document["direct_xip"] == nil)
    let suit = try #require(document["suit"] as? [String: Any])
    let envelope = try #require(suit["envelope"] as? [String: Any])
    #expect(
      Set(envelope.keys) == [
        "name", "size", "sha256", "algorithm", "digest", "digest_ok", "sequence_number", "signed", "payloads", "requests", "goes_to",
      ])
    #expect(envelope["algorithm"] as? String == "sha256")
    #expect(envelope["sequence_number"] as? Int == 0x1_0000_0001)
    let cache = try #require((suit["caches"] as? [[String: Any]])?.first)
    #expect(Set(cache.keys) == ["partition", "name", "size", "sha256", "goes_to"])
    #expect((suit["resources"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["app.bin", "Radio.bin"])
    let text = PackageReport(try FirmwarePackage(path: Fixture.url("packages/dfu_suit.zip").path)).lines.joined(separator: "\n")
    #expect(text.contains("SUIT package"))
    #expect(text.contains("cache 1: 'dfu_cache_partition_1.bin'"))
    #expect(text.contains("goes to      the board, when it asks for 'file://Radio.bin'"))
    let shake = try json("packages/shake128.suit")["suit"] as? [String: Any]
    #expect((shake?["envelope"] as? [String: Any])?["digest_ok"] == nil)
  }
}
