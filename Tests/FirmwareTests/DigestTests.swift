import Firmware
import Testing

@Suite("Digest")
struct DigestTests {
  /// FIPS 180-4 example messages ("abc" and the empty message), as published by NIST.
  @Test(
    "hashes are those of FIPS 180-4",
    arguments: [
      (Digest.Kind.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (.sha384, "abc", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
      (
        .sha512, "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ] as [(Digest.Kind, String, String)])
  func known(kind: Digest.Kind, message: String, hex: String) throws {
    #expect(try Digest(kind, of: Array(message.utf8)).hex == hex)
    #expect(try Digest(kind, of: message.utf8.lazy.map { $0 }).hex == hex, "also without contiguous storage")
  }

  @Test("a hash that was read must have its kind's length", arguments: Digest.Kind.allCases)
  func length(kind: Digest.Kind) {
    #expect(Digest(kind, bytes: [UInt8](repeating: 1, count: kind.byteCount)) != nil)
    #expect(Digest(kind, bytes: [UInt8](repeating: 1, count: kind.byteCount - 1)) == nil)
    #expect(Digest(kind, bytes: []) == nil)
  }

  @Test("hexadecimal is lower case with leading zeros")
  func hex() {
    #expect(([0x00, 0x0a, 0xff] as [UInt8]).hex == "000aff")
  }
}
