import Testing

@testable import SMP

/// The download of a file, step by step.
struct FileDownloadTests {
  private func id(_ actions: [FileDownload.Action]) -> Int? {
    for case .read(let id, _, _) in actions { return id }
    return nil
  }

  @Test("One piece after the other, as long as the board makes them; the last byte ends it")
  func straight() {
    var download = FileDownload()
    expect(download.start(), [.read(id: 0, offset: 0, timeout: .seconds(40))])
    expect(download.answered(0, offset: 0, count: 100, length: 250), [.keep(100), .read(id: 1, offset: 100, timeout: .seconds(10))])
    expect(download.answered(1, offset: 100, count: 100, length: nil), [.keep(100), .read(id: 2, offset: 200, timeout: .seconds(10))])
    // A late answer to an earlier request changes nothing.
    expect(download.answered(1, offset: 100, count: 100, length: nil), [])
    expect(download.answered(2, offset: 200, count: 50, length: nil), [.keep(50), .finished])
    var empty = FileDownload()
    _ = empty.start()
    expect(empty.answered(0, offset: 0, count: 0, length: 0), [.keep(0), .finished])
  }

  @Test("A board that lies about lengths is not believed, and nothing is kept beyond the limit")
  func lies() {
    var settings = FileDownload.Settings()
    settings.longestFile = 1000
    settings.attempts = 2
    func begun() -> FileDownload {
      var download = FileDownload(settings: settings)
      _ = download.start()
      return download
    }
    var download = begun()
    expect(download.answered(0, offset: 0, count: 10, length: nil), [.failed(.lengthMissing)])
    download = begun()
    expect(download.answered(0, offset: 0, count: 10, length: 1001), [.failed(.fileTooLong(length: 1001, limit: 1000))])
    download = begun()
    expect(download.answered(0, offset: 0, count: 11, length: 10), [.failed(.offsetUnexpected(11))])
    download = begun()
    expect(download.answered(0, offset: 5, count: 10, length: 10), [.read(id: 1, offset: 0, timeout: .seconds(40))])
    expect(download.answered(1, offset: 5, count: 10, length: 10), [.failed(.offsetUnexpected(5))])
    download = begun()
    expect(download.answered(0, offset: 0, count: 0, length: 10), [.read(id: 1, offset: 0, timeout: .seconds(40))])
    expect(download.answered(1, offset: 0, count: 0, length: 10), [.failed(.noProgress(offset: 0))])
    // The length counts as it was told first.
    download = begun()
    _ = download.answered(0, offset: 0, count: 5, length: 10)
    expect(download.answered(1, offset: 5, count: 5, length: 900), [.keep(5), .finished])
  }

  @Test("Silence and damage are asked again, refusals are final, patience has a limit")
  func trouble() throws {
    var settings = FileDownload.Settings()
    settings.attempts = 2
    settings.waitLimit = 1
    var download = FileDownload(settings: settings)
    _ = download.start()
    expect(download.timedOut(0), [.read(id: 1, offset: 0, timeout: .seconds(40))])
    expect(download.refused(1, .status(.corrupt)), [.failed(.refused(.status(.corrupt), offset: 0))])
    download = FileDownload(settings: settings)
    _ = download.start()
    expect(download.refused(0, .status(.busy)), [.wait(.milliseconds(100))])
    let more = download.waited()
    let again = try #require(id(more))
    expect(download.refused(again, .status(.busy)), [.failed(.refused(.status(.busy), offset: 0))])
    download = FileDownload(settings: settings)
    _ = download.start()
    let missing = SMPResponseError.group(SMPGroupError(.notFound))
    expect(download.refused(0, missing), [.failed(.refused(missing, offset: 0))])
    expect(download.timedOut(0), [])
  }

  @Test("A download goes on behind what is here already")
  func resume() {
    var download = FileDownload(received: 100, length: 250)
    expect(download.start(), [.read(id: 0, offset: 100, timeout: .seconds(10))])
    expect(download.answered(0, offset: 100, count: 150, length: nil), [.keep(150), .finished])
    for (received, length) in [(100, nil), (250, 250), (0, 250), (-1, 250)] as [(Int, Int?)] {
      var fresh = FileDownload(received: received, length: length)
      expect(fresh.start(), [.read(id: 0, offset: 0, timeout: .seconds(40))])
    }
  }
}
