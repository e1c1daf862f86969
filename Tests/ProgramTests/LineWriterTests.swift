import Glibc
import Testing

@testable import flashline

/// The writer against real pipes: a reader that reads, blocks, or goes away.
@Suite struct LineWriterTests {
  private struct Pipe: ~Copyable {
    let reader: Int32
    let writer: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      (reader, writer) = (ends[0], ends[1])
    }

    deinit {
      close(writer)
      close(reader)
    }

    /// What lies in the pipe now.
    func read(_ limit: Int) -> String {
      var bytes = [UInt8](repeating: 0, count: limit)
      let count = Glibc.read(reader, &bytes, limit)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test func linesArriveInOrder() throws {
    let pipe = try Pipe()
    let writer = LineWriter(descriptor: pipe.writer)
    for number in 0..<100 { writer.write("line \(number)") }
    #expect(writer.finish(within: .seconds(5)) == .init(lost: 0, failure: nil))
    #expect(pipe.read(65_536) == (0..<100).map { "line \($0)\n" }.joined())
  }

  @Test func aBlockedReaderHoldsNobodyUpAndSeesOnlyWholeLines() throws {
    let pipe = try Pipe()
    let writer = LineWriter(descriptor: pipe.writer, limit: 50)
    let line = String(repeating: "x", count: 999)
    let start = ContinuousClock.now
    for _ in 0..<1000 { writer.write(line) }
    let account = writer.finish(within: .milliseconds(200))
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(account.lost > 0)
    #expect(account.failure == nil)
    let text = pipe.read(1 << 20)
    #expect(text.hasSuffix("\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count == 999 })
  }

  @Test func aReaderThatWentAwayIsNoticedAndForgotten() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let writer = LineWriter(descriptor: ends[1])
    writer.write("nobody reads this")
    #expect(writer.finish(within: .seconds(5)).failure == EPIPE)
    writer.write("nor this")
    #expect(writer.isIdle)
  }
}
