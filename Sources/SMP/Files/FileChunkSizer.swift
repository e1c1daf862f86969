/// How many data bytes fit a file upload request, exactly (smp.md §3.5 and §4.1).
///
/// A request costs: header 8, map head 1, `off` 4 + integer, `data` 5 + head + the bytes themselves, `name` 5 + head + name; the first one also
/// `len` 4 + integer. One byte too many is silence on Bluetooth.
public struct FileChunkSizer: Hashable, Sendable {
  private let length: Int
  private let nameLength: Int
  private let requestSize: Int

  /// - Parameters:
  ///   - length: bytes of the file.
  ///   - name: its name on the board.
  ///   - requestSize: the longest request, header included, in bytes.
  public init(length: Int, name: String, requestSize: Int) {
    self.length = max(0, length)
    nameLength = name.utf8.count
    self.requestSize = min(requestSize, SMPFrame.largest)
  }

  /// Data bytes of the request at offset 0; 0 when nothing fits, or the file is empty.
  public var first: Int {
    fitted(at: 0, room: room(at: 0) - 4 - ChunkSizer.head(length))
  }

  /// Data bytes of a later request at this offset; 0 when nothing fits, or the file ends there.
  public func length(at offset: Int) -> Int {
    fitted(at: offset, room: room(at: offset))
  }

  /// True when every request of the file can hold something.
  public var fits: Bool {
    // The last offset has the longest head.
    let last = max(0, length - 1)
    return ChunkSizer.longestString(in: room(at: last)) > 0 && ChunkSizer.longestString(in: room(at: 0) - 4 - ChunkSizer.head(length)) > 0
  }

  private func room(at offset: Int) -> Int {
    requestSize - SMPHeader.size - 1 - (4 + ChunkSizer.head(offset)) - 5 - (5 + ChunkSizer.head(nameLength) + nameLength)
  }

  private func fitted(at offset: Int, room: Int) -> Int {
    min(ChunkSizer.longestString(in: room), max(0, length - offset))
  }
}
