// How responses are read: what is absent is nil, what has another type than documented is an error with the key's name.

extension CBORValue {
  func optionalInteger(_ key: String) throws(SMPDecodeError) -> Int? {
    guard let value = self[key], value != .null else { return nil }
    guard let number = value.integer else { throw .wrongType(key) }
    return number
  }

  func integer(_ key: String) throws(SMPDecodeError) -> Int {
    guard let number = try optionalInteger(key) else { throw .missing(key) }
    return number
  }

  /// A count, a size or an offset: never negative.
  func size(_ key: String) throws(SMPDecodeError) -> Int {
    let number = try integer(key)
    guard number >= 0 else { throw .outOfRange(key) }
    return number
  }

  func optionalText(_ key: String) throws(SMPDecodeError) -> String? {
    guard let value = self[key], value != .null else { return nil }
    guard let text = value.text else { throw .wrongType(key) }
    return text
  }

  func requiredText(_ key: String) throws(SMPDecodeError) -> String {
    guard let text = try optionalText(key) else { throw .missing(key) }
    return text
  }

  func optionalBytes(_ key: String) throws(SMPDecodeError) -> [UInt8]? {
    guard let value = self[key], value != .null else { return nil }
    guard let bytes = value.bytes else { throw .wrongType(key) }
    return bytes
  }

  func optionalFlag(_ key: String) throws(SMPDecodeError) -> Bool? {
    guard let value = self[key], value != .null else { return nil }
    guard let flag = value.bool else { throw .wrongType(key) }
    return flag
  }

  /// A flag; frugal servers leave out those that are false (smp.md §1.2).
  func flag(_ key: String) throws(SMPDecodeError) -> Bool {
    try optionalFlag(key) ?? false
  }

  /// The entries of a map whose keys are names, in the board's order; none is lost when two have the same name.
  func members() throws(SMPDecodeError) -> [(name: String, value: CBORValue)] {
    guard case .map(let entries) = self else { throw .notAMap }
    var members: [(name: String, value: CBORValue)] = []
    for entry in entries {
      // A task without a name may come under its priority as a number.
      guard let name = entry.key.text ?? entry.key.integer.map(String.init) else { throw .notAMap }
      members.append((name, entry.value))
    }
    return members
  }

  /// The entries of the map under a key.
  func members(_ key: String) throws(SMPDecodeError) -> [(name: String, value: CBORValue)] {
    guard let value = self[key] else { throw .missing(key) }
    guard value.isMap else { throw .wrongType(key) }
    do throws(SMPDecodeError) { return try value.members() } catch { throw .wrongType(key) }
  }

  func texts(_ key: String) throws(SMPDecodeError) -> [String] {
    var texts: [String] = []
    for item in try list(key) {
      guard let text = item.text else { throw .wrongType(key) }
      texts.append(text)
    }
    return texts
  }

  func list(_ key: String) throws(SMPDecodeError) -> [CBORValue] {
    guard let value = self[key] else { throw .missing(key) }
    guard let items = value.array else { throw .wrongType(key) }
    return items
  }
}
