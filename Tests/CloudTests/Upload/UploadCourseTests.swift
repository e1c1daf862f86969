import Testing

@testable import Cloud

/// What follows from answers, by table; no clock, no network.
@Suite struct UploadCourseTests {
  static let limits: UploadLimits = {
    var limits = UploadLimits()
    limits.batchChunks = 8
    limits.firstPause = .seconds(2)
    limits.longestPause = .seconds(20)
    limits.longestRetryAfter = .seconds(100)
    limits.rejectedInARow = 2
    return limits
  }()

  @Test("A pause doubles up to its limit, and starts anew after a success; the roll moves it between half and whole")
  func pauses() {
    var course = UploadCourse(Self.limits)
    func next(_ roll: UInt64 = .max) -> Double {
      guard case .wait(let pause, _) = course.answered(.lost(reason: "x"), chunks: 1, roll: roll) else { return -1 }
      return pause / .milliseconds(1)
    }
    for expected in [2000.0, 4000, 8000, 16_000, 20_000, 20_000] { #expect(abs(next() - expected) < 1) }
    #expect(abs(next(0) - 10_000) < 1)
    #expect(abs(next(1 << 63) - 15_000) < 1)
    for _ in 0..<100 { _ = next() }
    #expect(abs(next() - 20_000) < 1)
    #expect(course.answered(.taken, chunks: 1, roll: 0) == .remove)
    #expect(abs(next() - 2000) < 1)
  }

  @Test(
    "Retry-After is honoured between the first pause and its own limit",
    arguments: [(0, 2), (1, 2), (7, 7), (100, 100), (86_400, 100)])
  func retryAfter(seconds: Int, expected: Int) {
    var course = UploadCourse(Self.limits)
    let action = course.answered(.busy(status: 429, after: .seconds(seconds)), chunks: 3, roll: 5)
    #expect(action == .wait(.seconds(expected), reason: "the server asks for a pause (status 429)"))
  }

  @Test("Without Retry-After the own pause is made")
  func busy() {
    var course = UploadCourse(Self.limits)
    #expect(course.answered(.busy(status: 503, after: nil), chunks: 1, roll: 0) == .wait(.seconds(1), reason: "the server asks for a pause (status 503)"))
  }

  @Test("A refused key holds the key", arguments: [401, 403])
  func forbidden(status: Int) {
    var course = UploadCourse(Self.limits)
    guard case .holdKey(let reason) = course.answered(.forbidden(status: status), chunks: 8, roll: 0) else {
      Issue.record("the key is not held")
      return
    }
    #expect(reason.contains("status \(status)"))
  }

  @Test("Too large a batch is halved until it fits, and stays so")
  func halved() {
    var course = UploadCourse(Self.limits)
    #expect(course.mostChunks == 8)
    for (sent, next) in [(8, 4), (4, 2), (2, 1)] {
      #expect(course.answered(.refused(status: 413), chunks: sent, roll: 0) == .again)
      #expect(course.mostChunks == next)
    }
    #expect(course.answered(.refused(status: 413), chunks: 1, roll: 0) == .reject(status: 413))
    #expect(course.answered(.taken, chunks: 1, roll: 0) == .remove)
    #expect(course.mostChunks == 1)
  }

  @Test("A server that refuses a batch and takes its chunks alone gets no batch again", arguments: [400, 415])
  func single(status: Int) {
    var course = UploadCourse(Self.limits)
    #expect(course.answered(.refused(status: status), chunks: 3, roll: 0) == .again)
    for _ in 0..<5 {
      #expect(course.mostChunks == 1)
      #expect(course.answered(.taken, chunks: 1, roll: 0) == .remove)
    }
    #expect(course.mostChunks == 1)
  }

  @Test("A bad chunk in a batch is found alone, set aside, and batches go on")
  func badChunk() {
    var course = UploadCourse(Self.limits)
    #expect(course.answered(.refused(status: 400), chunks: 3, roll: 0) == .again)
    #expect(course.answered(.taken, chunks: 1, roll: 0) == .remove)
    #expect(course.answered(.refused(status: 400), chunks: 1, roll: 0) == .reject(status: 400))
    #expect(course.mostChunks == 1)
    #expect(course.answered(.taken, chunks: 1, roll: 0) == .remove)
    #expect(course.mostChunks == 8)
  }

  @Test("When everything is refused the lane is held, and the chunk on which it is found out is kept")
  func everything() {
    var course = UploadCourse(Self.limits)
    for _ in 0..<2 { #expect(course.answered(.refused(status: 400), chunks: 1, roll: 0) == .reject(status: 400)) }
    guard case .holdLane = course.answered(.refused(status: 400), chunks: 1, roll: 0) else {
      Issue.record("the lane is not held")
      return
    }
  }

  @Test(
    "Statuses",
    arguments: [200, 201, 202, 204, 299].map { ($0, UploadCourse.Answer.taken) } + [401, 403].map { ($0, .forbidden(status: $0)) }
      + [400, 413, 415].map { ($0, .refused(status: $0)) } + [429, 503].map { ($0, .busy(status: $0, after: nil)) })
  func statuses(status: Int, answer: UploadCourse.Answer) {
    #expect(ChunkPost.answer(HTTPAnswer(status: status, fields: [:]), now: 0) == answer)
  }

  @Test("All other statuses are tried again", arguments: [0, 301, 302, 307, 308, 404, 405, 408, 409, 410, 411, 418, 451, 500, 501, 502, 504, 599])
  func failing(status: Int) {
    guard case .failed(let reason) = ChunkPost.answer(HTTPAnswer(status: status, fields: [:]), now: 0) else {
      Issue.record("\(status) is no failure")
      return
    }
    #expect(reason.contains("\(status)"))
  }

  @Test("Retry-After as a date counts from now")
  func date() {
    // RFC 9110, 5.6.7: 784111777 seconds since 1970.
    let answer = HTTPAnswer(status: 429, fields: ["retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"])
    #expect(ChunkPost.answer(answer, now: 784_111_770) == .busy(status: 429, after: .seconds(7)))
    #expect(ChunkPost.answer(answer, now: 784_111_999) == .busy(status: 429, after: .seconds(0)))
  }
}

@Suite struct MultipartBodyTests {
  @Test("The form of RFC 2046 with a length a part")
  func form() {
    let body = MultipartBody([[0x00, 0x0D, 0x0A], [0xFF]]) { 0xAB }
    let boundary = "00000000000000ab00000000000000ab"
    #expect(body.contentType == "multipart/mixed; boundary=\(boundary)")
    let expected =
      Array("--\(boundary)\r\nContent-Type: application/octet-stream\r\nContent-Length: 3\r\n\r\n".utf8) + [0x00, 0x0D, 0x0A]
      + Array("\r\n--\(boundary)\r\nContent-Type: application/octet-stream\r\nContent-Length: 1\r\n\r\n".utf8) + [0xFF]
      + Array("\r\n--\(boundary)--\r\n".utf8)
    #expect(body.bytes == expected)
  }

  @Test("A boundary that occurs in a chunk is drawn again")
  func collision() {
    var rolls: [UInt64] = [1, 1, 1, 2]
    let taken = "0000000000000001"
    let body = MultipartBody([Array("x\(taken)\(taken)y".utf8), []]) { rolls.removeFirst() }
    #expect(body.boundary == "00000000000000010000000000000002")
  }
}
