import Firmware
import Flashing
import SMP

/// The image group.
extension SMPExchange {
  func image(_ action: SMPAction) async throws -> SMPReport {
    switch action {
    case .testImage(let hash): return Self.report(try await send(ImageStateWriteRequest.test(hash)))
    case .confirmImage(let hash): return Self.report(try await send(ImageStateWriteRequest.confirm(hash)))
    case .eraseImage(let slot):
      try await send(ImageEraseRequest(slot: slot))
      return .done(slot.map { "slot \($0) is erased" } ?? "the slot that does not run is erased")
    case .slots: return Self.report(try await send(SlotLayoutRequest()))
    default: return Self.report(try await send(ImageStateReadRequest()))
    }
  }

  private static func report(_ state: SMP.ImageState) -> SMPReport {
    let table = TextTable(
      heads: ["IMAGE", "SLOT", "VERSION", "STATE", "HASH"],
      rows: state.slots.map { slot in
        ["\(slot.image)", "\(slot.slot)", BoardText.line(slot.version, limit: 40), flags(slot).joined(separator: " "), slot.hash?.hex ?? "-"]
      })
    let images = state.slots.map { slot in
      JSONText.object([
        .init("image", .of(slot.image)), .init("slot", .of(slot.slot)), .init("version", .text(slot.version)), .init("hash", .of(slot.hash?.hex)),
        .init("bootable", .bool(slot.bootable)), .init("pending", .bool(slot.pending)), .init("confirmed", .bool(slot.confirmed)),
        .init("active", .bool(slot.active)), .init("permanent", .bool(slot.permanent)), .init("compressed", .bool(slot.compressed)),
      ])
    }
    return SMPReport(
      state.slots.isEmpty ? ["the board lists no image"] : table.lines, [.init("images", .list(images)), .init("split_status", .of(state.splitStatus))])
  }

  private static func flags(_ slot: ImageSlot) -> [String] {
    [
      ("active", slot.active), ("confirmed", slot.confirmed), ("pending", slot.pending), ("permanent", slot.permanent), ("bootable", slot.bootable),
      ("compressed", slot.compressed),
    ].filter(\.1).map(\.0)
  }

  private static func report(_ layouts: [ImageLayout]) -> SMPReport {
    let table = TextTable(
      heads: ["IMAGE", "SLOT", "BYTES", "UPLOAD AS", "NOTE"],
      rows: layouts.flatMap { layout in
        layout.slots.map { slot in
          ["\(layout.image)", "\(slot.slot)", cell(slot.size), cell(slot.uploadImage), slot.error.map { "\($0.sentence) (rc \($0.code))" } ?? note(layout)]
        }
      })
    let images = layouts.map { layout in
      JSONText.object([
        .init("image", .of(layout.image)),
        .init(
          "slots",
          .list(
            layout.slots.map { slot in
              .object([
                .init("slot", .of(slot.slot)), .init("size", .of(slot.size)), .init("upload_image_id", .of(slot.uploadImage)),
                .init("rc", .of(slot.error?.code)),
              ])
            })), .init("max_image_size", .of(layout.largestImage)),
      ])
    }
    return SMPReport(layouts.isEmpty ? ["the board lists no slot"] : table.lines, [.init("images", .list(images))])
  }

  private static func note(_ layout: ImageLayout) -> String { layout.largestImage.map { "an image may have \($0) bytes" } ?? "" }
}
