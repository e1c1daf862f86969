import Testing

@testable import NordicDFU

/// The owner of a transfer without a clock or a link: performs the actions against a fake board, and lets time pass only when nothing else is left.
struct Performer<Transfer: DFUTransfer, Board: FakeBoard> {
  var transfer: Transfer
  var board: Board
  /// Notifications overtake the response of the write that caused them, as on D-Bus (nordic-dfu.md §9.4).
  var notificationsFirst = false
  /// CRC-32 of the first bytes; the room computes none.
  var checksum: (DFUData, Int) -> UInt32 = { _, _ in 0 }

  /// `W 01 04` written to the control point, `N 10 01 01` its notifications, `pause 1.0 seconds`, `silent erase`; receipts are counted apart.
  var log: [String] = []
  var packets: [[UInt8]] = []
  /// How many packets were out when each notification of receipt kind came, and its bytes.
  var receipts: [(after: Int, bytes: [UInt8])] = []
  var progress: [Int] = []
  var end: DFUAction?
  var steps = 0
  private var expected: DFUWait?
  private var isWriting = false

  private enum Input {
    case written, handedOver, paused, lost
    case received([UInt8])
    case checksum(UInt32)
  }

  init(_ transfer: Transfer, _ board: Board) {
    self.transfer = transfer
    self.board = board
  }

  var controls: [String] { log.filter { $0.hasPrefix("W") } }

  /// Runs to the end, at most so many inputs.
  mutating func run(limit: Int = 100_000) {
    var inputs: [Input] = []
    perform(transfer.start(), &inputs)
    var next = 0
    while end == nil, steps < limit {
      steps += 1
      if next < inputs.count {
        let input = inputs[next]
        next += 1
        perform(feed(input), &inputs)
      } else {
        guard let wait = expected else {
          Issue.record("the machine waits for nothing")
          return
        }
        log.append("silent \(wait.rawValue)")
        expected = nil
        perform(transfer.silent(), &inputs)
      }
    }
    #expect(end != nil, "no end after \(limit) inputs")
  }

  private mutating func feed(_ input: Input) -> [DFUAction] {
    switch input {
    case .written:
      isWriting = false
      return transfer.controlWritten()
    case .handedOver: return transfer.packetsHandedOver()
    case .paused: return transfer.paused()
    case .lost: return transfer.linkLost()
    case .checksum(let value): return transfer.checksum(value)
    case .received(let bytes):
      if bytes.first == 0x11 { receipts.append((packets.count, bytes)) } else { log.append("N " + hex(bytes)) }
      return transfer.received(bytes)
    }
  }

  private mutating func perform(_ actions: [DFUAction], _ inputs: inout [Input]) {
    for action in actions {
      #expect(end == nil, "an action after the end: \(action)")
      switch action {
      case .writeControl(let bytes):
        #expect(!isWriting, "a second request before the first was answered")
        isWriting = true
        log.append("W " + hex(bytes))
        react(board.control(bytes), answer: .written, &inputs)
      case .writePackets(let slice, let size):
        var reaction = Reaction.nothing
        for start in stride(from: slice.startIndex, to: slice.endIndex, by: size) where !reaction.dropsLink {
          let packet = [UInt8](slice[start..<min(start + size, slice.endIndex)])
          packets.append(packet)
          let one = board.packet(packet)
          reaction.notifications += one.notifications
          reaction.dropsLink = one.dropsLink
        }
        react(reaction, answer: .handedOver, &inputs)
      case .expect(let wait, let limit):
        #expect(limit > .zero)
        expected = wait
      case .pause(let duration):
        log.append("pause \(duration)")
        expected = nil
        inputs.append(.paused)
      case .checksum(let data, let count):
        inputs.append(.checksum(checksum(data, count)))
      case .progress(let count):
        progress.append(count)
      case .finished, .restart, .failed:
        end = action
      }
    }
  }

  private func react(_ reaction: Reaction, answer: Input, _ inputs: inout [Input]) {
    let notifications = reaction.notifications.map(Input.received)
    let answers = reaction.isUnanswered ? [] : [answer]
    inputs += notificationsFirst ? notifications + answers : answers + notifications
    if reaction.dropsLink { inputs.append(.lost) }
  }
}
