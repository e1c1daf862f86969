import Firmware
import Testing

@testable import VirtualLine

/// Uploads into a board. Source: smp.md §4.2 and §4.3.
struct BoardUploadTests {
  private static let file = VirtualFirmware.make(version: ImageVersion(major: 2, minor: 0, revision: 0), size: 700)
  private static let sha = ImageDigest.sha256.digest(file[...])

  private func bench(_ settings: BoardSettings = BoardSettings(), faults: [BoardFault] = []) -> BoardBench {
    var bench = BoardBench(settings, faults: faults)
    _ = bench.connect()
    return bench
  }

  /// `{off: n}` as the answer's map.
  private func off(_ value: Int, more: String = "") -> String { "bf636f6666" + hex(Hand.number(value)) + more + "ff" }

  private func map(_ answer: [[UInt8]]) -> String { hex(Array(answer.flatMap { $0 }.dropFirst(8))) }

  @Test func aWholeUploadIsAnImage() {
    var bench = bench()
    let answers = bench.upload(Self.file, chunk: 300, sha: Self.sha)
    #expect(answers.map { String($0.dropFirst(16)) } == [off(300), off(600), off(900), off(1200), off(Self.file.count, more: "656d61746368f5")])
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 b"])
    #expect(bench.board.images.uploads == 1)
    #expect(bench.board.images.bytesReceived == Self.file.count)
  }

  @Test func aWrongOffsetIsAnsweredWithTheRightOne() {
    var bench = bench()
    _ = bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count, sha: Self.sha))
    // A gap, a duplicate, then the right one.
    #expect(map(bench.ask(Hand.upload(600, Array(Self.file[600..<900])))) == off(300))
    #expect(map(bench.ask(Hand.upload(300, Array(Self.file[300..<600])))) == off(600))
    #expect(map(bench.ask(Hand.upload(300, Array(Self.file[300..<600])))) == off(600))
  }

  @Test func theSameShaResumesAfterALostLink() {
    var bench = bench()
    _ = bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count, sha: Self.sha))
    bench.board.disconnected()
    _ = bench.connect()
    #expect(map(bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count, sha: Self.sha))) == off(300))
    // Another sha begins again.
    #expect(map(bench.ask(Hand.upload(0, Array(Self.file[0..<100]), length: Self.file.count, sha: [1, 2]))) == off(100))
  }

  @Test func withoutASessionTheBoardWantsTheBeginning() {
    var bench = bench()
    #expect(map(bench.ask(Hand.upload(300, Array(Self.file[300..<600])))) == off(0))
    bench.upload(Self.file, chunk: 300, sha: Self.sha)
    // The last chunk's answer was lost and the chunk is sent again.
    #expect(map(bench.ask(Hand.upload(1200, Array(Self.file[1200...])))) == off(0))
    // What lies there already is told at once.
    #expect(map(bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count, sha: Self.sha))) == off(Self.file.count, more: "656d61746368f5"))
  }

  @Test func aResetForgetsTheSession() {
    var bench = bench()
    _ = bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count, sha: Self.sha))
    bench.reset()
    #expect(map(bench.ask(Hand.upload(300, Array(Self.file[300..<600])))) == off(0))
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    var name: String
    var data: [UInt8]
    var length: Int?
    var sha: [UInt8]?
    var code: Int

    var testDescription: String { name }
  }

  static let refused = [
    Refused(name: "shorter than a header", data: Array(file[0..<31]), length: 1000, code: 22),
    Refused(name: "no length", data: Array(file[0..<64]), length: nil, code: 21),
    Refused(name: "no image", data: [UInt8](repeating: 0, count: 64), length: 1000, code: 23),
    Refused(name: "sha too long", data: Array(file[0..<64]), length: 1000, sha: [UInt8](repeating: 0, count: 33), code: 24),
    Refused(name: "larger than the slot", data: Array(file[0..<64]), length: 0x69001, code: 30),
    Refused(name: "more data than announced", data: Array(file[0..<64]), length: 63, code: 31),
  ]

  @Test(arguments: refused)
  func firstChunk(_ refused: Refused) {
    var bench = bench()
    let answer = map(bench.ask(Hand.upload(0, refused.data, length: refused.length, sha: refused.sha)))
    #expect(answer == "bf63657272bf6567726f757001627263" + hex(Hand.number(refused.code)) + "ffff")
  }

  @Test func anUnconfirmedImageBlocksTheUpload() {
    var bench = bench()
    bench.upload(Self.file, chunk: 300)
    _ = bench.setState(StoredImage(Self.file)?.hash, confirm: false)
    bench.reset()
    #expect(bench.upload(Self.file).first?.hasSuffix("62726309ffff") == true)
    #expect(hex(bench.ask(request(2, group: 1, command: 5, [0xA0])).flatMap { $0 }).hasSuffix("62726309ffff"))
  }

  @Test func aSlotThatIsNotBlankIsErasedBeforeTheAnswer() {
    var settings = BoardSettings()
    settings.eraseMilliseconds = 5000
    var bench = bench(settings)
    bench.upload(Self.file, chunk: 300, sha: Self.sha)
    #expect(bench.ask(Hand.upload(0, Array(Self.file[0..<300]), length: Self.file.count), within: .milliseconds(4900)).isEmpty)
    bench.run(for: .milliseconds(200))
    #expect(bench.notified.count == 1)
  }

  @Test func sharedBytesAreNotCopied() {
    var bench = bench()
    bench.upload(Self.file)
    var shelf = ImageShelf()
    guard let image = StoredImage(Self.file) else {
      Issue.record("the file is no image")
      return
    }
    let kept = shelf.shared(image)
    bench.board.share(kept)
    let own = bench.board.flash.slots[1].image
    #expect(own?.bytes.withUnsafeBufferPointer { $0.baseAddress } == kept.bytes.withUnsafeBufferPointer { $0.baseAddress })
  }
}
