/// Bytes as lower-case hexadecimal, the form of every hash column.
public enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  public static func text(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    for byte in bytes {
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: out, as: UTF8.self)
  }
}
