/// SUIT over the image group (device-manager.md §4.4): image 0 is the envelope, image n + 1 cache partition n; slot 0 is the installed root, slot 1 the
/// candidate; a confirmation without a hash installs.
extension SUITGroup {
  mutating func images(_ frame: ServerFrame, _ body: RequestMap, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    switch (frame.operation, frame.command) {
    case (ServerFrame.read, 0): return ServerAnswer([ReplyField("images", .list(slots()))])
    case (ServerFrame.write, 0):
      guard try body.bytes("hash") == nil, try body.flag("confirm") else { throw .status(8) }
      guard state == .stored else { throw .status(6) }
      var answer = ServerAnswer([])
      answer.timers = [processSoon()]
      return answer
    case (ServerFrame.write, 1): return try upload(body, &faults)
    default: throw .status(8)
    }
  }

  private func slots() -> [ReplyValue] {
    var slots = [slot(0, record.sequence, record.digest, active: true)]
    if state == .stored, let bytes = envelope?.bytes, let candidate = ReceivedEnvelope(bytes) {
      slots.append(slot(1, candidate.sequence, candidate.digest, active: false))
    }
    return slots
  }

  private func slot(_ number: UInt64, _ sequence: Int, _ digest: [UInt8], active: Bool) -> ReplyValue {
    .map([
      ReplyField("image", .unsigned(0)), ReplyField("slot", .unsigned(number)), ReplyField("version", .text(String(sequence))),
      ReplyField("hash", .bytes(digest)), ReplyField("active", .flag(active)), ReplyField("confirmed", .flag(active)),
    ])
  }

  private mutating func upload(_ body: RequestMap, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    guard let offset = try body.unsigned("off"), let data = try body.bytes("data"), !data.isEmpty else { throw .status(3) }
    let named = try body.unsigned("image")
    // The number stands in the first request only.
    let image = offset == 0 ? named ?? 0 : imageInHand
    guard (0...settings.caches.count).contains(image) else { throw .status(11) }
    imageInHand = image
    if offset == 0 {
      guard let length = try body.unsigned("len") else { throw .status(3) }
      guard length <= (image == 0 ? settings.partition : settings.caches[image - 1]) else { throw .group(ImageGroup.number, 30) }
      if image == 0 {
        envelope = SUITTransfer(length: length)
        changeState(.receiving)
      } else {
        caches[image - 1] = SUITTransfer(length: length)
      }
      count(uploads: 1)
    }
    guard var transfer = image == 0 ? envelope : caches[image - 1] else { return ServerAnswer([ReplyField("off", .unsigned(0))]) }
    var answer = try take(data, offset, &transfer, group: ImageGroup.number, command: 1, &faults)
    // Here a wrong offset is a success that names the right one (smp.md §4.2).
    answer.fields.removeAll { $0.key == "rc" }
    if image == 0 { envelope = transfer } else { caches[image - 1] = transfer }
    guard transfer.isComplete else { return answer }
    if image > 0 { note(cache: image - 1, transfer.bytes) } else if state == .receiving { changeState(.stored) }
    return answer
  }
}
