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

  func list(_ key: String) throws(SMPDecodeError) -> [CBORValue] {
    guard let value = self[key] else { throw .missing(key) }
    guard let items = value.array else { throw .wrongType(key) }
    return items
  }
}
