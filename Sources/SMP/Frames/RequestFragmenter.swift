/// Cuts a request into the packets of one link.
///
/// Only a server that reassembles takes more than one packet, its first at least a whole header (smp.md §2.1): `TransportLimits` knows.
/// The pieces of one request must be written back to back, and never be mixed with another's.
public struct RequestFragmenter: Hashable, Sendable {
  /// The longest attribute value, and so the longest packet, whatever the MTU (Bluetooth Core 5.4, Vol 3, Part F, 3.2.9), in bytes.
  public static let longestValue = 512
  /// Bytes of an ATT write command before its value (ibid. 3.4.5.3).
  public static let attOverhead = 3

  /// Bytes that one packet may hold.
  public let packetSize: Int

  /// - Parameter mtu: the negotiated ATT MTU; a smaller one than the specification's 23 is taken for 23.
  public init(mtu: Int) {
    packetSize = min(max(mtu, 23) - Self.attOverhead, Self.longestValue)
  }

  /// The packets of a request, in order; none is empty.
  public func packets(of request: [UInt8]) -> [[UInt8]] {
    guard request.count > packetSize else { return request.isEmpty ? [] : [request] }
    return stride(from: 0, to: request.count, by: packetSize).map { start in
      [UInt8](request[start..<min(start + packetSize, request.count)])
    }
  }
}
