/// What one link to one board carries (smp.md §2.1).
public struct TransportLimits: Hashable, Sendable {
  /// Bytes that one packet (ATT write) may hold.
  public let packetSize: Int
  /// Bytes of the longest request, header included: B in smp.md §4.1.
  public let requestSize: Int
  /// Requests that may be outstanding at a time.
  public let depth: Int

  /// True when the board joins packets, so that a request may be longer than one.
  public var mayFragment: Bool { requestSize > packetSize }

  public init(packetSize: Int, requestSize: Int, depth: Int) {
    self.packetSize = packetSize
    self.requestSize = requestSize
    self.depth = depth
  }

  /// Whatever a board says: more than this many requests at a time bring no speed on any radio, and half the sequence numbers stay free.
  public static let deepest = 128

  /// Requests that may be outstanding: one less than the board's buffers, because an answer needs one (smp.md §2.1).
  ///
  /// - Parameters:
  ///   - pipelineDepth: the profile's bound; nil is auto.
  ///   - parameters: what the board says of its buffers; nil when it says nothing, and then one request at a time.
  public static func depth(pipelineDepth: Int?, parameters: BufferParameters?) -> Int {
    guard let parameters else { return 1 }
    return max(1, min(pipelineDepth ?? deepest, parameters.count - 1, deepest))
  }

  /// Whether the board's buffer is worth a probe, and what holds if it is not.
  ///
  /// - Parameters:
  ///   - mtu: the negotiated ATT MTU.
  ///   - parameters: the answer to `ParametersRequest`; nil when the board does not know it.
  ///   - pipelineDepth: the profile's bound; nil is auto.
  ///   - reassemblyBufferSize: the profile's word: nil is auto, 0 means that the board does not reassemble, a number is believed without a probe.
  public static func plan(mtu: Int, parameters: BufferParameters?, pipelineDepth: Int?, reassemblyBufferSize: Int? = nil) -> TransportPlan {
    let packet = RequestFragmenter(mtu: mtu).packetSize
    let depth = depth(pipelineDepth: pipelineDepth, parameters: parameters)
    let buffer = min(parameters?.size ?? packet, SMPFrame.largest)
    let plain = TransportLimits(packetSize: packet, requestSize: min(packet, buffer), depth: depth)
    switch reassemblyBufferSize {
    case 0?:
      return .settled(plain)
    case let told?:
      let size = min(told, parameters == nil ? SMPFrame.largest : buffer)
      return .settled(TransportLimits(packetSize: packet, requestSize: max(0, size), depth: depth))
    case nil where buffer > packet:
      let joined = TransportLimits(packetSize: packet, requestSize: buffer, depth: depth)
      return .probe(ReassemblyProbe(plain: plain, joined: joined))
    case nil:
      return .settled(plain)
    }
  }
}

/// What to do about a link's limits.
public enum TransportPlan: Hashable, Sendable {
  case settled(TransportLimits)
  /// The board's buffer is larger than a packet, but only an experiment tells whether it joins packets.
  case probe(ReassemblyProbe)
}
