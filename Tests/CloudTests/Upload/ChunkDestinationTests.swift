import Bluetooth
import FoundationEssentials
import Testing

@testable import Cloud

/// What a board says in two characteristics: any bytes, of which few are taken.
@Suite struct ChunkDestinationTests {
  static let hosts = AllowedHosts(["chunks.memfault.com", "127.0.0.1", "plain.example.com", "::1"])
  static let uri = "https://chunks.memfault.com/api/v0/chunks/C0DE01"
  static let key = "0123456789abcdef0123456789ABCDEF"
  static let authorization = "Memfault-Project-Key:\(key)"

  static func make(_ uri: String = uri, _ authorization: String = authorization) throws(DestinationRefusal) -> ChunkDestination {
    try ChunkDestination(uri: Array(uri.utf8), authorization: Array(authorization.utf8), hosts: hosts)
  }

  @Test func taken() throws {
    let destination = try Self.make()
    #expect(destination.url.absoluteString == Self.uri)
    #expect(destination.headerName == "Memfault-Project-Key")
    #expect(destination.key == ProjectKey(Self.key))
  }

  @Test(
    "Addresses that are spoken to",
    arguments: [
      "https://chunks.memfault.com", "https://CHUNKS.memfault.com/x", "HTTPS://chunks.memfault.com:8443/a?b=c%20d", "http://127.0.0.1:80/x",
      "https://[::1]:4000/x", "https://chunks.memfault.com/a:b@c",
    ])
  func addresses(uri: String) throws {
    #expect(try Self.make(uri).url.absoluteString.lowercased() == uri.lowercased())
  }

  @Test(
    "Addresses that are refused",
    arguments: [
      ("", .uriMissing), (String(repeating: "a", count: 513), .uriTooLong(limit: 512)), ("https://chunks.memfault.com/a b", .uriUnreadable),
      ("https://chunks.memfault.com/\u{0}", .uriUnreadable), ("https://chunks.memfault.com/\r\nX: y", .uriUnreadable),
      ("https://chunks.memfault.com/ä", .uriUnreadable), ("https://chunks.memfault.com\\@evil.example/", .uriUnreadable),
      ("https://chunks.memfault.com/#x", .uriUnreadable), ("chunks.memfault.com", .uriMalformed), ("://chunks.memfault.com", .uriMalformed),
      ("ftp://chunks.memfault.com/x", .uriMalformed), ("file:///etc/passwd", .uriMalformed), ("https://", .uriMalformed), ("https:///x", .uriMalformed),
      ("https://chunks.memfault.com:0/x", .uriMalformed), ("https://chunks.memfault.com:65536/x", .uriMalformed),
      ("https://chunks.memfault.com:99999999999999999999/x", .uriMalformed), ("https://chunks.memfault.com:x/x", .uriMalformed),
      ("https://chunks%2ememfault.com/x", .uriMalformed), ("https://[::1/x", .uriMalformed), ("https://chunks.memfault.com:/x", .uriMalformed),
      ("https://user:password@chunks.memfault.com/x", .uriHasUser), ("https://chunks.memfault.com@evil.example/x", .uriHasUser),
      ("https://evil.example/x", .hostNotAllowed("evil.example")),
      ("https://chunks.memfault.com.evil.example/", .hostNotAllowed("chunks.memfault.com.evil.example")),
      ("http://evil.example/x", .hostNotAllowed("evil.example")), ("http://plain.example.com/x", .notEncrypted(host: "plain.example.com")),
      ("http://localhost/x", .hostNotAllowed("localhost")), ("https://chunks.memfault.com/\(key)", .uriHasKey), ("https://\(key)/", .uriHasKey),
    ] as [(String, DestinationRefusal)])
  func refusedAddresses(uri: String, refusal: DestinationRefusal) {
    #expect(throws: refusal) { try Self.make(uri) }
  }

  @Test(
    "Authorizations that are taken: the name in any case, split at the first colon, spaces around the key cut off",
    arguments: [
      ("memfault-project-key:\(key)", key), ("MEMFAULT-PROJECT-KEY:a", "a"), ("Memfault-Project-Key:a:b:c", "a:b:c"), ("Memfault-Project-Key:  a  ", "a"),
      ("Memfault-Project-Key:" + String(repeating: "k", count: 128), String(repeating: "k", count: 128)),
    ])
  func authorizations(text: String, key: String) throws {
    let destination = try Self.make(Self.uri, text)
    #expect(destination.key == ProjectKey(key))
    #expect(destination.headerName == "Memfault-Project-Key")
  }

  @Test(
    "Authorizations that are refused",
    arguments: [
      ("", .authorizationMissing), (String(repeating: "a", count: 513), .authorizationTooLong(limit: 512)), (key, .authorizationMalformed),
      ("Memfault-Project-Key:\u{0}", .authorizationUnreadable), ("Memfault-Project-Key:a\r\nX: y", .authorizationUnreadable),
      ("Memfault-Project-Key:ä", .authorizationUnreadable), ("Host:evil", .headerNotAllowed), ("Authorization:Bearer x", .headerNotAllowed),
      ("Memfault-Project-Key :a", .headerNotAllowed), (":a", .headerNotAllowed), ("\(key):Memfault-Project-Key", .headerNotAllowed),
      ("Memfault-Project-Key:", .keyUnusable), ("Memfault-Project-Key:   ", .keyUnusable), ("Memfault-Project-Key:a b", .keyUnusable),
      ("Memfault-Project-Key:" + String(repeating: "k", count: 129), .keyUnusable),
    ] as [(String, DestinationRefusal)])
  func refusedAuthorizations(text: String, refusal: DestinationRefusal) {
    #expect(throws: refusal) { try Self.make(Self.uri, text) }
  }

  @Test("No refusal shows the key, wherever the board put it")
  func secret() {
    for uri in [Self.uri, Self.key, "https://\(Self.key)/", "https://u:\(Self.key)@chunks.memfault.com/", "http://\(Self.key).example.com"] {
      for authorization in [Self.authorization, Self.key, "\(Self.key):x", "X:\(Self.key)", "Memfault-Project-Key:\(Self.key) \(Self.key)"] {
        do throws(DestinationRefusal) {
          _ = try Self.make(uri, authorization)
        } catch {
          #expect(!"\(error)".contains(Self.key) && !String(reflecting: error).contains(Self.key), "\(uri) \(authorization)")
        }
      }
    }
  }

  @Test("Nothing of a destination shows the key")
  func dumped() throws {
    let destination = try Self.make()
    var text = "\(destination)" + String(reflecting: destination)
    dump(destination, to: &text)
    dump(DiagnosticSource(board: BluetoothAddress(bits: 1), deviceID: "x", destination: destination), to: &text)
    for child in Mirror(reflecting: destination).children {
      text += "\(child)" + String(reflecting: child.value) + "\(Array(Mirror(reflecting: child.value).children))"
    }
    #expect(!text.contains(Self.key))
  }

  @Test("Any bytes give a destination or a refusal")
  func anyBytes() {
    var generator = Xorshift(state: 1)
    let shapes = [Array(Self.uri.utf8), Array(Self.authorization.utf8), Array("http://[::1]:80/?@#%zz".utf8), []]
    for _ in 0..<4000 {
      var (uri, authorization) = (shapes.randomElement(using: &generator) ?? [], shapes.randomElement(using: &generator) ?? [])
      for _ in 0..<Int.random(in: 0...3, using: &generator) { Self.change(&uri, &generator) }
      for _ in 0..<Int.random(in: 0...3, using: &generator) { Self.change(&authorization, &generator) }
      guard let destination = try? ChunkDestination(uri: uri, authorization: authorization, hosts: Self.hosts) else { continue }
      #expect(Self.hosts.permits(destination.url))
    }
  }

  private static func change(_ bytes: inout [UInt8], _ generator: inout Xorshift) {
    let place = Int.random(in: 0...bytes.count, using: &generator)
    switch Int.random(in: 0...2, using: &generator) {
    case 0: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: place)
    case 1: if place < bytes.count { bytes[place] = UInt8.random(in: .min ... .max, using: &generator) }
    default: bytes.removeSubrange(place..<min(bytes.count, place + 4))
    }
  }
}

/// Numbers that are the same in every run.
struct Xorshift: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
