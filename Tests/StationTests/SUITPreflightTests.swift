import Firmware
import Flashing
import SMP
import Testing
import VirtualLine

@testable import Station

/// What a SUIT package and a profile come to before a board is touched.
struct SUITPreflightTests {
  private static let caches = [SUITFirmware.cache([("file://c.bin", [1, 2, 3])])]

  private func order(_ profile: String = "", _ bytes: [UInt8]? = nil) throws -> JobOrder {
    let package = try SUITFirmware.package(
      envelope: SUITFirmware.envelope(sequence: 7, resources: ["file://a.bin", "file://c.bin"]), caches: Self.caches, resources: [("A.bin", [9, 9])])
    return try order(profile, name: "dfu_suit.zip", bytes ?? package)
  }

  private func order(_ profile: String, name: String, _ bytes: [UInt8]) throws -> JobOrder {
    try PreflightCheck(profiles: [try PreflightCheckTests.profile(profile)], options: JobOptions(package: name), require: []).order {
      path throws(PackageError) in try FirmwarePackage(fileName: path, bytes: bytes)
    }
  }

  private func suit(_ order: JobOrder) throws -> SUITOrder {
    guard case .suit(let suit)? = order.kinds.first?.order else {
      Issue.record("no SUIT order")
      throw PackageError.fileEmpty
    }
    return suit
  }

  @Test func aPackageBecomesAnOrder() async throws {
    let order = try order("[upgrade]\npipeline_depth = 3\nreassembly_buffer_size = 400\n[identity]\nserial = unique\n")
    let suit = try suit(order)
    let envelope = SUITFirmware.envelope(sequence: 7, resources: ["file://a.bin", "file://c.bin"])
    #expect(suit.envelope == envelope)
    #expect(suit.digest == SUITFirmware.digest(of: envelope))
    #expect(suit.sequenceNumber == 7)
    #expect(suit.caches == [SUITOrder.Cache(partition: 0, bytes: Self.caches[0])])
    #expect(try await suit.resources.content(of: SUITResourceID("file://a.bin")) == [9, 9])
    #expect(try await suit.resources.content(of: SUITResourceID("file://c.bin")) == nil)
    #expect(!suit.allowsDowngrade)
    #expect(suit.pipelineDepth == 3)
    #expect(suit.reassemblyBufferSize == 400)
    #expect(suit.identity.needsSerial)
    #expect(order.kinds.first?.version == "7")
    #expect(!order.warnings.contains { $0.contains("erase_app_settings") || $0.contains("means nothing") })
  }

  @Test func anEnvelopeAloneIsAPackage() throws {
    let suit = try suit(order("", name: "root.suit", SUITFirmware.envelope(sequence: 3)))
    #expect(suit.sequenceNumber == 3)
    #expect(suit.caches.isEmpty)
  }

  /// facts/device-manager.md §1.2: with a SUIT package the settings are never erased, and modes mean nothing.
  @Test func whatIsNotDoneIsSaid() throws {
    let order = try order("[upgrade]\nerase_app_settings = yes\nmode = testOnly\nbootloader_mode = swap-move\n[firmware]\nallow_downgrade = yes\n")
    #expect(try suit(order).allowsDowngrade)
    #expect(order.warnings.contains { $0.contains("erase_app_settings is not done with a SUIT package") })
    #expect(order.warnings.contains { $0.contains("mode = testOnly means nothing for a SUIT package") })
    #expect(order.warnings.contains { $0.contains("bootloader_mode means nothing") })
  }
}
