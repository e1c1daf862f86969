import CCBOR

/// Walks through CBOR (RFC 8949) token by token, as libcbor reads it, without building anything.
///
/// What a head announces costs nothing: containers are only counted, strings are only named by their place. The depth is limited.
struct CBORCursor {
  enum Token: Hashable {
    case unsigned(UInt64)
    /// The value is −1 − n.
    case negative(UInt64)
    /// The place of a string's content.
    case bytes(Range<Int>)
    case text(Range<Int>)
    /// A string of indefinite length begins; its pieces follow, then `end`.
    case pieces
    /// A container; nil when its length is indefinite and `end` closes it.
    case array(Int?)
    case map(Int?)
    case tag(UInt64)
    case end
    /// A truth value, null, undefined or a floating-point number.
    case simple
  }

  /// Why the bytes are no CBOR that is taken here, in words that follow “it”.
  struct Fault: Error, Hashable {
    let reason: String

    static let truncated = Fault(reason: "breaks off")
    static func malformed(at offset: Int) -> Fault { Fault(reason: "is not well-formed CBOR at offset \(offset)") }
  }

  /// Heads of the tags 6 to 20 (RFC 8949 §3.4).
  private static let shortTags: ClosedRange<UInt8> = 0xc6...0xd4

  let bytes: [UInt8]
  /// Reading never passes this offset.
  let end: Int
  private(set) var offset: Int
  private let depth: Int

  init(_ bytes: [UInt8], in range: Range<Int>? = nil, depth: Int) {
    self.bytes = bytes
    end = min(range?.upperBound ?? bytes.count, bytes.count)
    offset = range?.lowerBound ?? 0
    self.depth = depth
  }

  /// The same bytes, only a part of them.
  func inside(_ range: Range<Int>) -> CBORCursor { CBORCursor(bytes, in: range, depth: depth) }

  /// The token here without going on.
  func peek() throws(Fault) -> Token {
    var copy = self
    return try copy.next()
  }

  /// The next token.
  mutating func next() throws(Fault) -> Token {
    guard offset < end else { throw .truncated }
    // libcbor refuses the short heads of tags that RFC 7049 left unassigned, among them 18 (COSE_Sign1).
    if Self.shortTags.contains(bytes[offset]) {
      defer { offset += 1 }
      return .tag(UInt64(bytes[offset] - 0xc0))
    }
    var seen = Seen()
    var calls = Self.callbacks
    let room = offset..<end
    let step = bytes.withUnsafeBufferPointer { all in
      let part = UnsafeBufferPointer(rebasing: all[room])
      return withUnsafeMutablePointer(to: &seen) { cbor_stream_decode(part.baseAddress, part.count, &calls, $0) }
    }
    switch step.status {
    case CBOR_DECODER_FINISHED: break
    case CBOR_DECODER_NEDATA: throw .truncated
    default: throw .malformed(at: offset)
    }
    guard step.read > 0, step.read <= room.count, let kind = seen.kind else { throw .malformed(at: offset) }
    let start = offset
    offset += step.read
    return try token(kind, seen.argument, start: start)
  }

  /// Passes over one whole item and returns its place.
  mutating func skip() throws(Fault) -> Range<Int> {
    let start = offset
    // How many items each open container still waits for; nil until its end is met.
    var open: [Int?] = [1]
    while let innermost = open.last {
      if let missing = innermost {
        guard missing > 0 else {
          open.removeLast()
          continue
        }
        open[open.count - 1] = missing - 1
      }
      let here = offset
      switch try next() {
      case .array(let count): open.append(count)
      case .map(let count): open.append(count.map { $0 * 2 })
      case .tag: open.append(1)
      case .pieces: open.append(nil)
      case .end:
        guard innermost == nil else { throw .malformed(at: here) }
        open.removeLast()
      case .unsigned, .negative, .bytes, .text, .simple: break
      }
      guard open.count <= depth else { throw Fault(reason: "is nested deeper than \(depth) levels") }
    }
    return start..<offset
  }

  private func token(_ kind: Seen.Kind, _ argument: UInt64, start: Int) throws(Fault) -> Token {
    switch kind {
    case .unsigned: return .unsigned(argument)
    case .negative: return .negative(argument)
    case .tag: return .tag(argument)
    case .end: return .end
    case .simple: return .simple
    case .pieces: return .pieces
    case .indefiniteArray: return .array(nil)
    case .indefiniteMap: return .map(nil)
    case .bytes, .text:
      // The content is the end of what was read.
      guard let length = Int(exactly: argument), length <= offset - start else { throw .malformed(at: start) }
      return kind == .bytes ? .bytes(offset - length..<offset) : .text(offset - length..<offset)
    case .array, .map:
      // Each item takes a byte at least, so that a larger count is a lie.
      guard let count = Int(exactly: argument), count <= (end - offset) / (kind == .map ? 2 : 1) else { throw .truncated }
      return kind == .array ? .array(count) : .map(count)
    }
  }

  /// What libcbor's callback was told.
  private struct Seen {
    enum Kind { case unsigned, negative, bytes, text, pieces, array, map, indefiniteArray, indefiniteMap, tag, end, simple }

    var kind: Kind?
    var argument: UInt64 = 0
  }

  private static func tell(_ context: UnsafeMutableRawPointer?, _ kind: Seen.Kind, _ argument: UInt64 = 0) {
    context?.assumingMemoryBound(to: Seen.self).pointee = Seen(kind: kind, argument: argument)
  }

  private static var callbacks: cbor_callbacks {
    var calls = cbor_empty_callbacks
    calls.uint8 = { CBORCursor.tell($0, .unsigned, UInt64($1)) }
    calls.uint16 = { CBORCursor.tell($0, .unsigned, UInt64($1)) }
    calls.uint32 = { CBORCursor.tell($0, .unsigned, UInt64($1)) }
    calls.uint64 = { CBORCursor.tell($0, .unsigned, $1) }
    calls.negint8 = { CBORCursor.tell($0, .negative, UInt64($1)) }
    calls.negint16 = { CBORCursor.tell($0, .negative, UInt64($1)) }
    calls.negint32 = { CBORCursor.tell($0, .negative, UInt64($1)) }
    calls.negint64 = { CBORCursor.tell($0, .negative, $1) }
    calls.byte_string_start = { CBORCursor.tell($0, .pieces) }
    calls.byte_string = { CBORCursor.tell($0, .bytes, UInt64(UInt(bitPattern: $2))) }
    calls.string_start = { CBORCursor.tell($0, .pieces) }
    calls.string = { CBORCursor.tell($0, .text, UInt64(UInt(bitPattern: $2))) }
    calls.indef_array_start = { CBORCursor.tell($0, .indefiniteArray) }
    calls.array_start = { CBORCursor.tell($0, .array, UInt64(UInt(bitPattern: $1))) }
    calls.indef_map_start = { CBORCursor.tell($0, .indefiniteMap) }
    calls.map_start = { CBORCursor.tell($0, .map, UInt64(UInt(bitPattern: $1))) }
    calls.tag = { CBORCursor.tell($0, .tag, $1) }
    calls.float2 = { context, _ in CBORCursor.tell(context, .simple) }
    calls.float4 = { context, _ in CBORCursor.tell(context, .simple) }
    calls.float8 = { context, _ in CBORCursor.tell(context, .simple) }
    calls.undefined = { CBORCursor.tell($0, .simple) }
    calls.null = { CBORCursor.tell($0, .simple) }
    calls.boolean = { context, _ in CBORCursor.tell(context, .simple) }
    calls.indef_break = { CBORCursor.tell($0, .end) }
    return calls
  }
}
