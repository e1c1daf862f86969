import Bluetooth
import Firmware
import NordicDFU

/// Moves one part of a package to a bootloader: performs what a `DFUTransfer` asks for and tells it what happens, until it ends.
struct DFUUpload: Sendable {
  /// How a transfer ended.
  enum End: Sendable {
    case activated
    /// The link is to be closed and the part begun again.
    case again(DFUFailure)
    case failed(DFUFailure)
  }

  let session: BoardSession
  let links: LinkHolder
  let link: any GATTLink
  let channel: any PacketChannel
  let controlPoint: BluetoothUUID
  let service: BluetoothUUID
  let initPacket: [UInt8]
  let image: [UInt8]

  /// Throws the station's faults and the operator's stop; what the board does is in the result.
  func run(_ fresh: some DFUTransfer) async throws -> End {
    var machine = fresh
    let events = DFUEvents(time: session.boardTime)
    var span = ImageSpan()
    defer { keepFigures(machine, span) }
    return try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { await events.listen(to: channel) }
      group.addTask { await events.keepTime() }
      var checksums = Checksums(initPacket: initPacket, image: image)
      var deadline: Duration?
      var actions = machine.start()
      var stream = events.stream.makeAsyncIterator()
      while true {
        // A checksum is answered at once, and what follows from it is done behind what was asked for with it.
        var next = 0
        while next < actions.count {
          span.saw(actions[next], at: session.boardTime.now())
          if let end = perform(actions[next], events, &deadline, &group) { return end }
          if case .checksum(let data, let length) = actions[next] { actions += machine.checksum(checksums.value(of: data, upTo: length)) }
          next += 1
        }
        guard let event = await stream.next() else { throw CancellationError() }
        actions = try handle(event, &machine, &deadline)
      }
    }
  }

  private func handle(_ event: DFUEvent, _ machine: inout some DFUTransfer, _ deadline: inout Duration?) throws -> [DFUAction] {
    switch event {
    case .written: return machine.controlWritten()
    case .refused: return machine.controlFailed()
    case .handedOver: return machine.packetsHandedOver()
    case .received(let bytes): return machine.received(bytes)
    case .paused: return machine.paused()
    case .linkLost: return machine.linkLost()
    case .broken(let error): throw error
    case .tick:
      guard let due = deadline, session.boardTime.now() >= due else { return [] }
      deadline = nil
      return machine.silent()
    }
  }

  private func perform(
    _ action: DFUAction, _ events: DFUEvents, _ deadline: inout Duration?, _ group: inout ThrowingDiscardingTaskGroup<any Error>
  ) -> End? {
    switch action {
    case .writeControl(let bytes):
      session.journal.touch(leaving: .bootloader)
      group.addTask { await events.write(bytes, to: controlPoint, of: service, withResponse: true, over: link, limit: session.limits.command) }
    case .writePackets(let bytes, let size): group.addTask { await events.send(bytes, size: size, over: channel) }
    case .expect(_, let limit): deadline = session.boardTime.now() + limit
    case .pause(let length):
      deadline = nil
      group.addTask { await events.pause(length) }
    case .progress(let bytes): session.journal.progress(bytes, of: image.count, at: session.boardTime.now())
    case .checksum: break
    case .finished: return .activated
    case .restart(let failure, _): return .again(failure)
    case .failed(let failure): return .failed(failure)
    }
    return nil
  }

  private func keepFigures(_ machine: some DFUTransfer, _ span: ImageSpan) {
    let bytes = machine.acknowledged - (machine.resumedFrom ?? 0)
    guard bytes > 0, let seconds = span.length?.seconds else { return }
    session.journal.update { record in
      record.uploadBytes = (record.uploadBytes ?? 0) + bytes
      record.uploadSeconds = (record.uploadSeconds ?? 0) + seconds
      if let resumed = machine.resumedFrom { record.resumedFrom = resumed }
      if let all = record.uploadBytes, let spent = record.uploadSeconds, spent > 0 { record.uploadSpeed = Double(all) / 1000 / spent }
    }
  }
}

/// The time from the first packet of the image to the last byte that the board acknowledged: what the speed of an upload is reckoned from. Erasing, the init
/// packet and the check of the whole image are not in it.
private struct ImageSpan {
  private var handedOver: Duration?
  private var began: Duration?
  private var ended: Duration?

  var length: Duration? {
    guard let began, let ended else { return nil }
    return ended - began
  }

  mutating func saw(_ action: DFUAction, at now: Duration) {
    switch action {
    case .writePackets: handedOver = now
    case .progress:
      // Nothing was handed over when the board only names what it has kept of an earlier upload. Before the first progress, what was handed over last
      // is the beginning of the image.
      guard let handedOver else { return }
      if began == nil { began = handedOver }
      ended = now
    default: break
    }
  }
}

/// CRC-32 of beginnings, each continued from the one before where that is possible.
private struct Checksums {
  private let bytes: [DFUData: [UInt8]]
  private var last: (data: DFUData, length: Int, crc: CRC32)?

  init(initPacket: [UInt8], image: [UInt8]) {
    bytes = [.initPacket: initPacket, .image: image]
  }

  mutating func value(of data: DFUData, upTo length: Int) -> UInt32 {
    let all = bytes[data] ?? []
    let length = min(max(0, length), all.count)
    var (start, crc) = (0, CRC32())
    if let last, last.data == data, last.length <= length { (start, crc) = (last.length, last.crc) }
    crc.update(all[start..<length])
    last = (data, length, crc)
    return crc.value
  }
}
