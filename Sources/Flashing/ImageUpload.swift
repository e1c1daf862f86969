import SMP

/// Moves one image to the board, by the image group.
struct ImageUpload: Sendable {
  let session: BoardSession
  let links: LinkHolder
  let attachment: SMPAttachment
  let image: UpdateImage
  /// The image's place in its order: each resumes at its own offset.
  let place: Int
  /// What is sent as `image`: the number, or what the board wants instead (facts/smp.md §3.2, "Slot info").
  let uploadImage: Int
  /// The place of this image in its package's progress: bytes of the images before it, and of all.
  let progress: (before: Int, total: Int)

  /// Returns when the board has the whole image; throws what ended the upload.
  func run() async throws {
    let start = UploadStart(length: image.bytes.count, sha: image.sha256, image: uploadImage)
    var window = UploadWindow(start, settings: UploadSettings(attachment.limits, alignment: attachment.order.alignment))
    let (session, progress, phase) = (session, progress, links.phase)
    let upload = PieceUpload(
      session: session, links: links, smp: attachment.smp, time: session.time, what: "the upload", request: { request($0, start) },
      isComplete: { _ in try await isListed() },
      progress: { session.journal.progress(progress.before + $0, of: progress.total, at: session.time.now()) },
      failure: { BoardFailure(upload: $0, in: phase) })
    let began = session.time.now()
    defer { note(window, upload, since: began) }
    try await upload.run(&window)
  }

  private func request(_ chunk: UploadChunk, _ start: UploadStart) -> ImageUploadRequest {
    session.journal.touch(leaving: attachment.place == .loader ? .bootloader : .application)
    return ImageUploadRequest(offset: chunk.offset, data: image.bytes[chunk.range], start: chunk.isFirst ? start : nil)
  }

  /// After a lost last answer only the image list tells whether the image is there (facts/smp.md §4.2).
  private func isListed() async throws -> Bool {
    let slots = try await attachment.readImages() ?? []
    return slots.contains { slot in
      slot.image == image.number && slot.hash == image.hash && (attachment.place == .loader ? slot.slot == 0 : !slot.active)
    }
  }

  private func note(_ window: UploadWindow, _ upload: PieceUpload, since began: Duration) {
    let earlier = links.acknowledged(of: place)
    // What the board stored before a link of this attempt was lost is acknowledged by the offset at which it goes on; what an earlier attempt sent is not.
    let base = window.resumedFrom.map { earlier > 0 ? min(earlier, $0) : $0 } ?? 0
    links.note(acknowledged: window.acknowledged, of: place)
    upload.note(window, from: base, since: began)
  }
}
