import Testing

@testable import SMP

/// Requests of a file upload are as long as the link allows, and never a byte longer.
struct FileChunkSizerTests {
  @Test("No request is longer than the limit, and no shorter than it must be", arguments: [64, 98, 244, 279, 280, 384, 495, 2475])
  func exact(size: Int) throws {
    let file = [UInt8](repeating: 0x5A, count: 70_000)
    for name in ["a", "/lfs/a file of 24 bytes!", "/lfs/a-rather-long-name"] {
      let sizer = FileChunkSizer(length: file.count, name: name, requestSize: size)
      var offset = 0
      while offset < file.count {
        let count = offset == 0 ? sizer.first : sizer.length(at: offset)
        try #require(count > 0)
        let length = offset == 0 ? file.count : nil
        let frame = try FileUploadRequest(name: name, offset: offset, data: file[offset..<(offset + count)], length: length).frame(sequence: 0)
        #expect(frame.count <= size)
        if offset + count < file.count {
          let longer = try FileUploadRequest(name: name, offset: offset, data: file[offset..<(offset + count + 1)], length: length).frame(sequence: 0)
          #expect(longer.count > size)
        }
        offset += count
      }
    }
  }

  @Test("What cannot hold a byte is said so")
  func tooSmall() {
    #expect(!FileChunkSizer(length: 100, name: "/lfs/some/long/name", requestSize: 20).fits)
    #expect(FileChunkSizer(length: 0, name: "a", requestSize: 64).fits)
    #expect(FileChunkSizer(length: 0, name: "a", requestSize: 64).first == 0)
    #expect(!FileChunkSizer(length: 0, name: "a", requestSize: 0).fits)
  }
}
