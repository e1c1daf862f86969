import Testing

@testable import SMP

/// Headers, frames, and joining notifications.
struct FrameTests {
  @Test(
    "The first byte tells version and operation (smp.md §1.1)",
    arguments: [
      ("00", SMPVersion.v1, SMPOperation.read), ("01", .v1, .readResponse), ("02", .v1, .write), ("03", .v1, .writeResponse), ("08", .v2, .read),
      ("09", .v2, .readResponse), ("0A", .v2, .write), ("0B", .v2, .writeResponse), ("11", SMPVersion(rawValue: 2), .readResponse),
      ("1B", SMPVersion(rawValue: 3), .writeResponse),
    ])
  func firstByte(first: String, version: SMPVersion, operation: SMPOperation) throws {
    let bytes = hex(first + "00 0009 0102 03 04")
    let header = try #require(SMPHeader(bytes))
    #expect(header.version == version)
    #expect(header.operation == operation)
    #expect(header.length == 9)
    #expect(header.group == SMPGroup(rawValue: 0x0102))
    #expect(header.sequence == 3)
    #expect(header.command == 4)
    #expect(header.bytes == bytes)
  }

  @Test("What is no header is nil", arguments: ["", "0A", "0A000000000000", "2A00000000000000", "0400000000000000", "FF00000000000000"])
  func noHeader(bytes: String) {
    #expect(SMPHeader(hex(bytes)) == nil)
  }

  @Test("A frame cut short says how long it should be (device-manager.md §9, expected length)")
  func expectedLength() throws {
    #expect(throws: SMPFrameError.truncated(expected: 129, actual: 53)) { try SMPFrame(decoding: Golden.withoutSplitStatus.prefix(53)) }
    #expect(throws: SMPFrameError.truncated(expected: 8, actual: 7)) { try SMPFrame(decoding: hex("01000079000100")) }
    #expect(throws: SMPFrameError.truncated(expected: 8, actual: 0)) { try SMPFrame(decoding: []) }
    #expect(throws: SMPFrameError.implausibleHeader(0x78)) { try SMPFrame(decoding: hex("7878787878787878")) }
    #expect(try SMPFrame(decoding: Golden.withoutSplitStatus).bytes == Golden.withoutSplitStatus)
  }

  @Test("A payload beyond the length field is refused")
  func tooLong() throws {
    let header = EchoRequest.header(sequence: 0)
    #expect(throws: SMPFrameError.payloadTooLong(65_536)) { try SMPFrame(header, payload: [UInt8](repeating: 0, count: 65_536)) }
    #expect(try SMPFrame(header, payload: [UInt8](repeating: 0, count: 65_535)).bytes.count == SMPFrame.largest)
    #expect(throws: SMPFrameError.payloadTooLong(65_539)) { try EchoRequest(text: String(repeating: "x", count: 65_533)).frame(sequence: 0) }
  }

  @Test("Every golden answer, split at every byte into two notifications, is one frame", arguments: Golden.answers)
  func splitAnywhere(frame: [UInt8]) throws {
    let announced = SMPHeader.size + Int(try #require(SMPHeader(frame)).length)
    var assembler = FrameAssembler()
    for cut in 1..<announced {
      expect(assembler.append(Array(frame[..<cut])), .incomplete)
      try expect(assembler.append(Array(frame[cut...])), .frame(SMPFrame(decoding: frame)))
      #expect(!assembler.hasPartial)
    }
  }

  @Test("Every golden answer in notifications of every size is the same frame, and the next one is not disturbed", arguments: Golden.answers)
  func everySize(frame: [UInt8]) throws {
    let announced = SMPHeader.size + Int(try #require(SMPHeader(frame)).length)
    for size in 1...frame.count {
      var assembler = FrameAssembler()
      var frames: [SMPFrame] = []
      for packet in stride(from: 0, to: frame.count, by: size).map({ Array(frame[$0..<min($0 + size, frame.count)]) }) {
        if case .frame(let whole) = assembler.append(packet) { frames.append(whole) }
      }
      #expect(frames.count == 1)
      #expect(frames.first?.header == SMPHeader(frame))
      if announced == frame.count { #expect(frames.first?.payload == Array(frame.dropFirst(8))) }
      try expect(assembler.append(Golden.echoAnswer), .frame(SMPFrame(decoding: Golden.echoAnswer)))
    }
  }

  @Test("The excess of an answer whose header announces too little is kept in one notification, and dropped in its own")
  func excess() throws {
    var assembler = FrameAssembler()
    guard case .frame(let frame) = assembler.append(Golden.shortHeader) else {
      Issue.record("no frame")
      return
    }
    #expect(frame.header.length == 0x79)
    #expect(frame.payload.count == 134)
    #expect(try ImageStateReadRequest.response(in: frame).slots.map(\.version) == ["3.0.0"])
    // From the 129th byte on the announced length is complete: what follows begins with text or a break, never with a header.
    for cut in 129..<142 {
      guard case .frame = assembler.append(Array(Golden.shortHeader[..<cut])) else {
        Issue.record("no frame at \(cut)")
        continue
      }
      let rest = Array(Golden.shortHeader[cut...])
      expect(assembler.append(rest), .discarded(.implausibleHeader(rest)))
      #expect(!assembler.hasPartial)
    }
  }

  @Test(
    "What cannot begin an answer is dropped whole and the next answer is read", arguments: ["FF", "78787878787878", "0A00000100000005A0", "0500000000000000"])
  func resync(garbage: String) throws {
    var assembler = FrameAssembler()
    expect(assembler.append([]), .incomplete)
    expect(assembler.append(hex(garbage)), .discarded(.implausibleHeader(hex(garbage))))
    try expect(assembler.append(Golden.echoAnswer), .frame(SMPFrame(decoding: Golden.echoAnswer)))
  }

  @Test("A frame beyond the limit is dropped as soon as its header is whole")
  func limit() throws {
    var assembler = FrameAssembler(limit: 100)
    expect(assembler.append(hex("090000")), .incomplete)
    expect(assembler.append(hex("5D00000000")), .discarded(.tooLong(announced: 101, limit: 100)))
    try expect(assembler.append(Golden.echoAnswer), .frame(SMPFrame(decoding: Golden.echoAnswer)))
    var widest = FrameAssembler()
    expect(widest.append(hex("0900FFFF00000000")), .incomplete)
    expect(widest.append([UInt8](repeating: 0, count: 65_534)), .incomplete)
    guard case .frame(let frame) = widest.append([0]) else {
      Issue.record("the longest frame is not accepted")
      return
    }
    #expect(frame.payload.count == 65_535)
  }

  @Test("After a lost fragment the owner discards, and the next answer is read")
  func discard() throws {
    var assembler = FrameAssembler()
    expect(assembler.append(Array(Golden.twoSlots.prefix(20))), .incomplete)
    #expect(assembler.partialHeader?.length == 0xF4)
    expect(assembler.discardPartial(), 20)
    try expect(assembler.append(Golden.echoAnswer), .frame(SMPFrame(decoding: Golden.echoAnswer)))
  }

  @Test("A server's side joins requests and drops answers")
  func serverSide() throws {
    var assembler = FrameAssembler(from: .client)
    let request = try ParametersRequest().frame(sequence: 0x42)
    expect(assembler.append(Array(request.prefix(3))), .incomplete)
    try expect(assembler.append(Array(request.dropFirst(3))), .frame(SMPFrame(decoding: request)))
    expect(assembler.append(Golden.echoAnswer), .discarded(.implausibleHeader(Golden.echoAnswer)))
  }

  @Test(
    "A request is cut into packets of MTU − 3, and never more than 512 bytes",
    arguments: [(23, 20), (10, 20), (-1, 20), (185, 182), (247, 244), (498, 495), (515, 512), (517, 512), (65_535, 512)])
  func fragments(mtu: Int, size: Int) {
    let fragmenter = RequestFragmenter(mtu: mtu)
    #expect(fragmenter.packetSize == size)
    for count in [0, 1, size - 1, size, size + 1, 2 * size, 2475] {
      let request = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let packets = fragmenter.packets(of: request)
      #expect(Array(packets.joined()) == request)
      #expect(packets.dropLast().allSatisfy { $0.count == size })
      #expect(packets.allSatisfy { !$0.isEmpty && $0.count <= size })
    }
  }
}
