import Bluetooth

/// What happens on a link while a DFU machine runs, in the order in which it happens.
enum DFUEvent: Sendable {
  /// A control write was answered, or a command handed over.
  case written
  /// It was refused, and the link is up.
  case refused
  /// All packets were handed over.
  case handedOver
  case received([UInt8])
  case paused
  /// Time to look at the expectation.
  case tick
  case linkLost
  /// The station's own trouble.
  case broken(any Error)
}

/// Feeds the events of one link into one stream; what it starts ends with its task group.
struct DFUEvents: Sendable {
  /// How often an expectation is looked at: limits are seconds.
  static let tick = Duration.milliseconds(200)
  /// More than a machine can be behind; the link's own socket holds no more either.
  static let kept = 4096

  let stream: AsyncStream<DFUEvent>
  private let feed: AsyncStream<DFUEvent>.Continuation
  let time: Timekeeper

  init(time: Timekeeper) {
    (stream, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.kept))
    self.time = time
  }

  func keepTime() async {
    while (try? await time.sleep(Self.tick)) != nil { feed.yield(.tick) }
  }

  /// Until the channel ends, which is the link's end.
  func listen(to channel: any PacketChannel) async {
    for await bytes in channel.packets() { feed.yield(.received(bytes)) }
    feed.yield(.linkLost)
  }

  func watch(_ link: any GATTLink) async {
    await link.ended()
    feed.yield(.linkLost)
  }

  func pause(_ length: Duration) async {
    if (try? await time.sleep(length)) != nil { feed.yield(.paused) }
  }

  func write(_ bytes: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, over link: any GATTLink, limit: Duration) async
  {
    do throws(CentralError) {
      try await link.write(bytes, to: characteristic, of: service, withResponse: withResponse, limit: limit)
      feed.yield(.written)
    } catch {
      trouble(error)
    }
  }

  /// Cuts the bytes into packets and hands them over in order.
  func send(_ bytes: ArraySlice<UInt8>, size: Int, over channel: any PacketChannel) async {
    let packets = stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { Array(bytes[$0..<min($0 + size, bytes.endIndex)]) }
    do throws(CentralError) {
      try await channel.send(all: packets)
      feed.yield(.handedOver)
    } catch {
      trouble(error)
    }
  }

  /// What the stack says of a failed request; it may come before the link's end is told.
  private func trouble(_ error: CentralError) {
    switch error {
    case .linkLost, .boardUnknown: feed.yield(.linkLost)
    case .adapterGone, .stackGone: feed.yield(.broken(error))
    case .refused, .applicationError, .noAnswer, .notPermitted, .attributeMissing, .connectFailed, .connectTimedOut, .pairingFailed: feed.yield(.refused)
    }
  }

  func tell(_ notification: [UInt8]) { feed.yield(.received(notification)) }
}
