import Testing

@testable import SMP

/// Sequence numbers and what a frame answers.
struct RequestTableTests {
  private func answer(
    _ sequence: UInt8, operation: SMPOperation = .writeResponse, group: SMPGroup = .image, command: UInt8 = 1, version: SMPVersion = .v2
  ) throws -> SMPFrame {
    try SMPFrame(SMPHeader(version: version, operation: operation, group: group, sequence: sequence, command: command), payload: [0xA0])
  }

  @Test("Numbers count up and wrap from 255 to 0")
  func wraps() throws {
    var table = RequestTable(first: 254)
    var sequences: [UInt8] = []
    for _ in 0..<4 {
      let (id, sequence) = try table.begin(ImageUploadRequest.self)
      sequences.append(sequence)
      let frame = try answer(sequence)
      expect(table.receive(frame), .answer(id, frame))
    }
    #expect(sequences == [254, 255, 0, 1])
  }

  @Test("Answers may come in any order, over the wrap too")
  func anyOrder() throws {
    var table = RequestTable(first: 253)
    let begun = try (0..<6).map { _ in try table.begin(ImageUploadRequest.self) }
    for (id, sequence) in begun.reversed() {
      let frame = try answer(sequence)
      expect(table.receive(frame), .answer(id, frame))
    }
    #expect(table.outstanding == 0)
  }

  @Test("An answer must agree in group, command and operation; the version may be any")
  func mustAgree() throws {
    var table = RequestTable()
    let (id, sequence) = try table.begin(ImageUploadRequest.self)
    for frame in [
      try answer(sequence, operation: .readResponse), try answer(sequence, group: .os), try answer(sequence, command: 0), try answer(sequence &+ 1),
      // The stray answer of a server without reassembly: garbage group, the right sequence by chance (smp.md §2.1).
      try answer(sequence, group: SMPGroup(rawValue: 0x7878), command: 0x78),
    ] {
      expect(table.receive(frame), .stray(frame))
      #expect(table.outstanding == 1)
    }
    let old = try answer(sequence, version: .v1)
    expect(table.receive(old), .answer(id, old))
  }

  @Test("A second answer is a duplicate, an answer after the time-out is late, and then a duplicate")
  func duplicateAndLate() throws {
    var table = RequestTable()
    let (first, one) = try table.begin(ImageUploadRequest.self)
    let (second, two) = try table.begin(ImageUploadRequest.self)
    _ = table.receive(try answer(one))
    try expect(table.receive(answer(one)), .duplicate(first))
    expect(table.timedOut(second), true)
    expect(table.timedOut(second), false)
    expect(table.timedOut(first), false)
    let late = try answer(two)
    expect(table.receive(late), .late(second, late))
    expect(table.receive(late), .duplicate(second))
  }

  @Test("256 outstanding requests are an error with a name, and the next number is free after one answer")
  func exhausted() throws {
    var table = RequestTable()
    let begun = try (0..<256).map { _ in try table.begin(ImageUploadRequest.self) }
    #expect(Set(begun.map(\.sequence)).count == 256)
    #expect(throws: SequencesExhausted()) { try table.begin(ImageUploadRequest.self) }
    _ = table.receive(try answer(77))
    try expect(table.begin(ImageUploadRequest.self).sequence, 77)
  }

  @Test("The number of a request that timed out is not used again while its answer may come")
  func setAside() throws {
    var table = RequestTable()
    let (lost, sequence) = try table.begin(ImageUploadRequest.self)
    expect(table.timedOut(lost), true)
    for _ in 0..<600 {
      let (_, used) = try table.begin(ImageUploadRequest.self)
      #expect(used != sequence)
      _ = table.receive(try answer(used))
    }
    _ = table.receive(try answer(sequence))
    let used = try (0..<256).map { _ in try table.begin(ImageUploadRequest.self).sequence }
    #expect(used.contains(sequence))
  }

  @Test("So many time-outs that no number is left free the oldest one instead of an error")
  func allTimedOut() throws {
    var table = RequestTable(setAside: 255)
    for _ in 0..<1000 {
      let (id, _) = try table.begin(ImageUploadRequest.self)
      expect(table.timedOut(id), true)
    }
    #expect(table.outstanding == 0)
    var few = RequestTable(setAside: 2)
    for _ in 0..<3 { _ = few.timedOut(try few.begin(ImageUploadRequest.self).id) }
    let stale = try answer(0)
    expect(few.receive(stale), .stray(stale))
  }

  @Test("Abandoning forgets everything in the order of sending")
  func abandon() throws {
    var table = RequestTable(first: 255)
    let begun = try (0..<3).map { _ in try table.begin(ImageUploadRequest.self) }
    expect(table.abandonAll(), begun.map(\.id))
    let stale = try answer(255)
    expect(table.receive(stale), .stray(stale))
    #expect(table.outstanding == 0)
  }
}
