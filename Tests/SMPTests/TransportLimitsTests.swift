import Testing

@testable import SMP

/// How much one link carries (smp.md §2.1).
struct TransportLimitsTests {
  @Test(
    "The window is one less than the board's buffers, within the profile's bound, and 1 without parameters",
    arguments: [
      (Int?.none, Int?.none, 1), (8, nil, 1), (nil, 4, 3), (nil, 1, 1), (nil, 0, 1), (2, 4, 2), (8, 4, 3), (1, 4, 1), (0, 4, 1), (-3, 4, 1), (nil, 2, 1),
      (nil, 100_000, 128), (500, 100_000, 128),
    ])
  func depth(pipelineDepth: Int?, count: Int?, expected: Int) {
    let parameters = count.map { BufferParameters(size: 384, count: $0) }
    #expect(TransportLimits.depth(pipelineDepth: pipelineDepth, parameters: parameters) == expected)
  }

  @Test(
    "Without a probe: the smaller of packet and buffer",
    arguments: [
      (498, BufferParameters?.none, Int?.none, 495), (498, BufferParameters(size: 384, count: 4), nil, 384),
      (498, BufferParameters(size: 495, count: 4), nil, 495),
      (498, BufferParameters(size: 2475, count: 4), 0, 495), (498, BufferParameters(size: 0, count: 0), nil, 0), (23, nil, nil, 20),
      (498, BufferParameters(size: 2475, count: 4), 1024, 1024), (498, BufferParameters(size: 1024, count: 4), 2475, 1024), (498, nil, 2475, 2475),
    ])
  func settled(mtu: Int, parameters: BufferParameters?, told: Int?, expected: Int) {
    let plan = TransportLimits.plan(mtu: mtu, parameters: parameters, pipelineDepth: nil, reassemblyBufferSize: told)
    guard case .settled(let limits) = plan else {
      Issue.record("probe not expected")
      return
    }
    #expect(limits.requestSize == expected)
    #expect(limits.packetSize == mtu - 3)
    #expect(limits.mayFragment == (expected > mtu - 3))
  }

  @Test(
    "The probe is longer than a packet and shorter than the buffer; what follows its first packet names no group that was asked",
    arguments: [23, 185, 247, 498, 517])
  func probe(mtu: Int) throws {
    for size in [mtu + 20, mtu + 100, 2475, 65_543, 100_000] {
      guard case .probe(let probe) = TransportLimits.plan(mtu: mtu, parameters: BufferParameters(size: size, count: 4), pipelineDepth: nil) else {
        Issue.record("no probe for a buffer of \(size)")
        continue
      }
      let packets = RequestFragmenter(mtu: mtu).packets(of: try probe.request.frame(sequence: 0))
      #expect(packets.count >= 2)
      // The answer is one byte longer: a map of indefinite length.
      #expect(packets.joined().count + 1 <= size)
      #expect(packets.dropFirst().joined().allSatisfy { $0 == UInt8(ascii: "x") })
      #expect(probe.joined.requestSize == min(size, SMPFrame.largest))
      #expect(probe.plain.requestSize == probe.plain.packetSize)
    }
  }

  @Test("A buffer one byte longer than a packet is probed with a request of exactly that length")
  func smallestProbe() throws {
    guard case .probe(let probe) = TransportLimits.plan(mtu: 498, parameters: BufferParameters(size: 496, count: 4), pipelineDepth: nil) else {
      Issue.record("no probe")
      return
    }
    #expect(try probe.request.frame(sequence: 0).count == 496)
  }

  @Test("Only an answer that was given after the whole request had come proves reassembly")
  func proof() {
    let plan = TransportLimits.plan(mtu: 498, parameters: BufferParameters(size: 2475, count: 4), pipelineDepth: nil)
    guard case .probe(let probe) = plan else {
      Issue.record("no probe")
      return
    }
    let table: [(Result<String, SMPAnswerError>?, Bool)] = [
      (.success(probe.request.text), true), (.success("x"), false), (nil, false), (.failure(.refused(.status(.corrupt))), false),
      (.failure(.refused(.status(.messageTooLong))), true), (.failure(.refused(.status(.notSupported))), true),
      (.failure(.refused(.status(.noMemory))), false), (.failure(.unreadable(.notAMap)), false),
    ]
    for (result, proven) in table {
      let limits = probe.limits(after: result)
      #expect(limits == (proven ? probe.joined : probe.plain))
      #expect(limits.requestSize == (proven ? 2475 : 495))
      #expect(limits.depth == 3)
    }
  }
}
