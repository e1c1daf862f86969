import Testing

@testable import SMP

/// Field reports (facts/field-reports.md) that the protocol's values and machines answer; those of whole links are in FlashingTests.
struct FieldReportTests {
  @Test("field report 12: with an MTU of 23 a first piece still fits where the board joins packets, and without that it is a clear error")
  func smallMTU() throws {
    let start = UploadStart(length: 70_832, sha: [UInt8](repeating: 7, count: 32))
    let plain = TransportLimits.plan(mtu: 23, parameters: nil, pipelineDepth: nil)
    guard case .settled(let limits) = plain else { throw Missing() }
    #expect(limits.requestSize == 20)
    var window = UploadWindow(start, settings: UploadSettings(limits))
    expect(window.start(), [.failed(.requestTooSmall(requestSize: 20))])
    #expect(UploadFailure.requestTooSmall(requestSize: 20).description.contains("larger MTU"))

    guard case .probe(let probe) = TransportLimits.plan(mtu: 23, parameters: BufferParameters(size: 384, count: 4), pipelineDepth: nil) else { throw Missing() }
    let joined = probe.limits(after: .success(probe.request.text))
    let sizer = ChunkSizer(start, requestSize: joined.requestSize)
    #expect(sizer.first >= ChunkSizer.imageHeader)
    let data = [UInt8](repeating: 1, count: sizer.first)
    let frame = try ImageUploadRequest(offset: 0, data: data[...], start: start).frame(sequence: 0)
    #expect(frame.count == 384)
    #expect(RequestFragmenter(mtu: 23).packets(of: frame).allSatisfy { $0.count <= 20 })
  }

  private struct Missing: Error {}

  @Test("field report 15: answers that come late, twice or in another order find their requests, also where the sequence wraps")
  func disorder() throws {
    var table = RequestTable(first: 254)
    var sent: [(id: RequestID, sequence: UInt8)] = []
    for _ in 0..<4 { sent.append(try table.begin(ImageUploadRequest.self)) }
    #expect(sent.map(\.sequence) == [254, 255, 0, 1])
    func answer(_ sequence: UInt8) throws -> SMPFrame {
      try SMPFrame(SMPHeader(operation: .writeResponse, group: .image, sequence: sequence, command: 1), payload: [0xA0])
    }
    expect(table.receive(try answer(1)), .answer(sent[3].id, try answer(1)))
    expect(table.receive(try answer(254)), .answer(sent[0].id, try answer(254)))
    expect(table.receive(try answer(254)), .duplicate(sent[0].id))
    expect(table.timedOut(sent[1].id), true)
    expect(table.receive(try answer(255)), .late(sent[1].id, try answer(255)))
    expect(table.receive(try answer(0)), .answer(sent[2].id, try answer(0)))
    #expect(table.outstanding == 0)
  }

  @Test("field report 16: an answer in several notifications is joined by its header's length, and garbage is dropped")
  func pieces() throws {
    var assembler = FrameAssembler()
    expect(assembler.append(hex("FFFFFFFF")), .discarded(.implausibleHeader(hex("FFFFFFFF"))))
    let whole = Golden.twoSlots
    var outcome = FrameAssembler.Outcome.incomplete
    for start in stride(from: 0, to: whole.count, by: 20) {
      #expect(outcome == .incomplete)
      outcome = assembler.append(Array(whole[start..<min(start + 20, whole.count)]))
    }
    #expect(outcome == .frame(try SMPFrame(decoding: whole)))
    // A piece that was lost leaves a frame waiting, until its request has timed out.
    _ = assembler.append(Array(whole.prefix(20)))
    expect(assembler.discardPartial(), 20)
    expect(assembler.append(Golden.echoAnswer), .frame(try SMPFrame(decoding: Golden.echoAnswer)))
  }

  @Test("field report 18: rc 0 is success, and both shapes of an error keep their numbers and the group")
  func errorShapes() throws {
    #expect(SMPResponseError(body: .object(["rc": .unsigned(0)])) == nil)
    #expect(throws: Never.self) { try ResetRequest.response(in: SMPFrame(decoding: hex("0B00000500000005 BF62726300FF"))) }
    let v1 = try SMPFrame(decoding: hex("0300000600080001 BF62726305FF"))
    #expect(throws: SMPAnswerError.refused(.status(.noEntry))) { try FileStatusRequest.response(in: v1) }
    let v2 = try SMPFrame(decoding: hex("0900001300080001 BF63657272BF6567726F75700862726303FFFF"))
    let error = SMPResponseError.group(SMPGroupError(.notFound))
    #expect(throws: SMPAnswerError.refused(error)) { try FileStatusRequest.response(in: v2) }
    #expect(error.group == .fileSystem && error.code == 3 && error.name == "notFound")
    #expect(error.description == "the board has no such file (fs notFound, rc 3)")
  }
}
