/// A Secure DFU init packet as the bootloader reads it: protobuf by hand (nordic-dfu.md §3.6).
struct SecureInit: Hashable, Sendable {
  static let sha256: UInt64 = 3

  var isSigned = false
  var signatureType: UInt64?
  var firmwareVersion: UInt32?
  var hardwareVersion: UInt32?
  var softDevices: [UInt64] = []
  /// 0 application, 1 SoftDevice, 2 bootloader, 3 both, 4 external application.
  var type: UInt64?
  var sizes: [UInt64] = [0, 0, 0]
  var hashType: UInt64?
  /// As stored: SHA-256 of the image, byte-reversed.
  var hash: [UInt8] = []
  var isDebug = false

  var size: Int { Int(clamping: sizes.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }) }

  var part: DFUPart? {
    switch type {
    case 0, 4: .application
    case 1: .softDevice
    case 2: .bootloader
    case 3: .both
    default: nil
    }
  }

  /// Nil for bytes that are no init command.
  init?(_ bytes: [UInt8]) {
    guard let outer = Self.fields(bytes[...]) else { return nil }
    var command: ArraySlice<UInt8>?
    for field in outer {
      switch (field.number, field.value) {
      case (1, .bytes(let value)): command = value
      case (2, .bytes(let value)):
        guard let signed = Self.fields(value) else { return nil }
        isSigned = true
        for inner in signed {
          if inner.number == 1, case .bytes(let value) = inner.value { command = value }
          if inner.number == 2, case .number(let value) = inner.value { signatureType = value }
        }
      default: break
      }
    }
    guard let command, let fields = Self.fields(command), case .bytes(let content)? = fields.last(where: { $0.number == 2 })?.value,
      let initFields = Self.fields(content)
    else { return nil }
    for field in initFields where !take(field) { return nil }
  }

  private mutating func take(_ field: Field) -> Bool {
    switch (field.number, field.value) {
    case (1, .number(let value)): firmwareVersion = UInt32(truncatingIfNeeded: value)
    case (2, .number(let value)): hardwareVersion = UInt32(truncatingIfNeeded: value)
    case (3, .number(let value)): softDevices.append(value)
    case (3, .bytes(let packed)):
      var rest = packed
      while !rest.isEmpty {
        guard let value = Self.varint(&rest) else { return false }
        softDevices.append(value)
      }
    case (4, .number(let value)): type = value
    case (5...7, .number(let value)): sizes[field.number - 5] = value
    case (8, .bytes(let value)):
      guard let inner = Self.fields(value) else { return false }
      for entry in inner {
        if entry.number == 1, case .number(let type) = entry.value { hashType = type }
        if entry.number == 2, case .bytes(let bytes) = entry.value { hash = Array(bytes) }
      }
    case (9, .number(let value)): isDebug = value != 0
    default: break
    }
    return true
  }

  // MARK: Protobuf

  private enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private struct Field {
    var number: Int
    var value: Value
  }

  private static func fields(_ bytes: ArraySlice<UInt8>) -> [Field]? {
    var (rest, fields) = (bytes, [Field]())
    while !rest.isEmpty {
      guard let key = varint(&rest), key >> 3 <= 0x1FFF_FFFF else { return nil }
      switch key & 7 {
      case 0:
        guard let value = varint(&rest) else { return nil }
        fields.append(Field(number: Int(key >> 3), value: .number(value)))
      case 2:
        guard let length = varint(&rest), length <= UInt64(rest.count) else { return nil }
        fields.append(Field(number: Int(key >> 3), value: .bytes(rest.prefix(Int(length)))))
        rest = rest.dropFirst(Int(length))
      case 1, 5:
        let length = key & 7 == 1 ? 8 : 4
        guard rest.count >= length else { return nil }
        rest = rest.dropFirst(length)
      default: return nil
      }
    }
    return fields
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
