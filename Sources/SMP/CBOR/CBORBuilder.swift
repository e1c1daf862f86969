/// Puts the tokens of libcbor's streaming decoder together to one value, within limits.
///
/// libcbor's own tree builder (`cbor_load`) is not used: it allocates what a head announces before the contents are there.
/// Here a head only opens a container; the memory grows with the bytes that really came.
struct CBORBuilder {
  /// A container that waits for more.
  private struct Open {
    enum Kind { case array, map, tag(UInt64), byteString, textString }

    var kind: Kind
    /// How many more items belong to it; nil for an indefinite length, ended by a break.
    var missing: Int?
    var items: [CBORValue] = []
    var entries: [CBORValue.Entry] = []
    var key: CBORValue?
    var string: [UInt8] = []
  }

  /// What went wrong with the last token, without its offset (which only the caller knows).
  enum Failure { case malformed, tooDeep, tooManyItems }

  private let limits: CBORLimits
  private var stack: [Open] = []
  private var items = 0
  private(set) var failure: Failure?
  private(set) var result: CBORValue?

  init(limits: CBORLimits) {
    self.limits = limits
  }

  var isSettled: Bool { result != nil || failure != nil }

  /// A whole item that is no string.
  mutating func add(_ value: CBORValue) {
    guard count() else { return }
    close(with: value)
  }

  /// A string of definite length: an item, or a piece of an open string of indefinite length.
  mutating func addString(_ content: UnsafeBufferPointer<UInt8>, isText: Bool) {
    guard count() else { return }
    switch (stack.last?.kind, isText) {
    case (.byteString, false), (.textString, true):
      stack[stack.count - 1].string.append(contentsOf: content)
    default:
      close(with: isText ? .text(String(decoding: content, as: UTF8.self)) : .bytes([UInt8](content)))
    }
  }

  mutating func openArray(_ length: Int?) { open(.array, length, itemsPerLength: 1, empty: .array([])) }
  mutating func openMap(_ length: Int?) { open(.map, length, itemsPerLength: 2, empty: .map([])) }
  mutating func openTag(_ number: UInt64) { open(.tag(number), 1, itemsPerLength: 1, empty: .null) }
  mutating func openString(isText: Bool) { open(isText ? .textString : .byteString, nil, itemsPerLength: 1, empty: .null) }

  /// The end of the innermost container of indefinite length.
  mutating func endIndefinite() {
    guard let last = stack.last, last.missing == nil, last.key == nil else {
      failure = .malformed
      return
    }
    stack.removeLast()
    switch last.kind {
    case .array: close(with: .array(last.items))
    case .map: close(with: .map(last.entries))
    case .byteString: close(with: .bytes(last.string))
    case .textString: close(with: .text(String(decoding: last.string, as: UTF8.self)))
    case .tag: failure = .malformed
    }
  }

  private mutating func count() -> Bool {
    items += 1
    if items > limits.items { failure = .tooManyItems }
    return failure == nil
  }

  /// - Parameter length: as announced; a negative one is a count that did not fit a signed word.
  private mutating func open(_ kind: Open.Kind, _ length: Int?, itemsPerLength: Int, empty: CBORValue) {
    guard count() else { return }
    if let length {
      guard length >= 0, length <= (limits.items - items) / itemsPerLength else {
        failure = .tooManyItems
        return
      }
      guard length > 0 else {
        close(with: empty)
        return
      }
    }
    guard stack.count < limits.depth else {
      failure = .tooDeep
      return
    }
    stack.append(Open(kind: kind, missing: length.map { $0 * itemsPerLength }))
  }

  /// Gives a finished item to the container around it, and that one to the next if it is finished too.
  private mutating func close(with value: CBORValue) {
    var value = value
    while let index = stack.indices.last {
      switch stack[index].kind {
      case .byteString, .textString:
        failure = .malformed
        return
      case .array:
        stack[index].items.append(value)
      case .tag(let number):
        stack[index].items = [.tagged(number, value)]
      case .map:
        if let key = stack[index].key {
          stack[index].entries.append(CBORValue.Entry(key, value))
          stack[index].key = nil
        } else {
          stack[index].key = value
        }
      }
      guard let missing = stack[index].missing else { return }
      stack[index].missing = missing - 1
      guard missing == 1 else { return }
      let done = stack.removeLast()
      switch done.kind {
      case .map: value = .map(done.entries)
      case .tag: value = done.items.first ?? .null
      default: value = .array(done.items)
      }
    }
    result = value
  }
}
