import Bluetooth
import Firmware
import NordicDFU

/// How the upload of a part ended.
enum DFUUploadEnd: Sendable {
  case activated
  /// The link is to be closed and the part begun again.
  case again(DFUFailure)
  case failed(DFUFailure)
}

/// The link over which a part is moved, and where its bytes go.
struct DFURoute: Sendable {
  let link: any GATTLink
  let channel: any PacketChannel
  let controlPoint: BluetoothUUID
  let service: BluetoothUUID
}

/// Moves one part of a package to a bootloader: performs what a `DFUTransfer` asks for and tells it what happens, until it ends.
struct DFUUpload<Transfer: DFUTransfer>: DFUPerformer {
  let session: BoardSession
  let events: DFUEvents
  private let links: LinkHolder
  private let route: DFURoute
  private var machine: Transfer
  private var checksums: Checksums
  private var span = ImageSpan()

  init(_ machine: Transfer, of part: NordicPart, over route: DFURoute, session: BoardSession, links: LinkHolder) {
    self.machine = machine
    self.route = route
    self.session = session
    self.links = links
    events = DFUEvents(time: session.time)
    checksums = Checksums(initPacket: part.initPacket, image: part.image)
  }

  mutating func run() async throws -> DFUUploadEnd {
    defer { keepFigures() }
    let (events, channel) = (events, route.channel)
    return try await run { helpers in helpers.addTask { await events.listen(to: channel) } }
  }

  mutating func start() -> [DFUAction] { machine.start() }
  mutating func silent() -> [DFUAction] { machine.silent() }

  mutating func handle(_ event: DFUEvent) -> [DFUAction] {
    switch event {
    case .written: machine.controlWritten()
    case .refused: machine.controlFailed()
    case .handedOver: machine.packetsHandedOver()
    case .received(let bytes): machine.received(bytes)
    case .paused: machine.paused()
    case .linkLost: machine.linkLost()
    case .tick, .broken: []
    }
  }

  mutating func perform(_ action: DFUAction, _ helpers: inout Helpers) async throws -> DFUStep<DFUAction, DFUUploadEnd> {
    let (events, route, limit) = (events, route, session.limits.command)
    span.saw(action, at: session.time.now())
    switch action {
    case .writeControl(let bytes):
      session.journal.touch(leaving: .bootloader)
      helpers.addTask {
        await events.write(bytes, to: route.controlPoint, of: route.service, withResponse: true, over: route.link, limit: limit)
      }
    case .writePackets(let bytes, let size): helpers.addTask { await events.send(bytes, size: size, over: route.channel) }
    case .expect(_, let limit): return .wait(limit)
    case .pause(let length):
      helpers.addTask { await events.pause(length) }
      return .rest
    case .progress(let bytes): session.journal.progress(bytes, of: machine.length, at: session.time.now())
    case .checksum(let data, let length): return .then(machine.checksum(checksums.value(of: data, upTo: length)))
    case .finished: return .end(.activated)
    case .restart(let failure): return .end(.again(failure))
    case .failed(let failure): return .end(.failed(failure))
    }
    return .done
  }

  private func keepFigures() {
    // What the board got before a link of this attempt was lost is acknowledged by the offset at which it goes on; what an earlier attempt sent is not.
    let earlier = links.acknowledged
    let base = machine.resumedFrom.map { earlier > 0 ? min(earlier, $0) : $0 } ?? 0
    links.acknowledged = machine.acknowledged
    let bytes = machine.acknowledged - base
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
private struct ImageSpan: Sendable {
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
private struct Checksums: Sendable {
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
