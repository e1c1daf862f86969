import Catalogue
import Cloud
import FoundationEssentials

extension FuzzTarget {
  /// What a board with diagnostics says (facts/smp.md §8): its values, and its notifications one after the other.
  ///
  /// Input: device id, data URI and authorization, each up to a zero; then notifications, each behind its length.
  static let diagnostics = FuzzTarget(name: "diagnostics", about: "StreamIdentity, ChunkDestination, ChunkCounter", longest: 2048) { bytes in
    var input = FuzzInput(bytes)
    let (features, deviceID, uri, authorization) = (input.take(1), input.takeText(), input.takeText(), input.takeText())
    if let identity = try? StreamIdentity(features: features, deviceID: deviceID, uri: uri, authorization: authorization) {
      precondition(features == [0] && Array(identity.deviceID.utf8) == deviceID, "an identity that the board has not told")
      precondition(authorization.count < 24 || !Array("\(identity)\(String(reflecting: identity))".utf8).containsRun(authorization), "a secret is shown")
    }
    destination(uri, authorization)
    count(&input)
  }

  /// Taken only where it may go, whatever it looks like; and no text shows the key.
  private static func destination(_ uri: [UInt8], _ authorization: [UInt8]) {
    let names = ["chunks.memfault.com", "localhost", "::1"]
    let hosts = AllowedHosts(names)
    let text: String
    do throws(DestinationRefusal) {
      let destination = try ChunkDestination(uri: uri, authorization: authorization, hosts: hosts)
      precondition(hosts.permits(destination.url), "a destination that is not allowed")
      precondition(NetworkAddress(destination.url).map { names.contains($0.host) } == true, "another host")
      precondition(destination.headerName == "Memfault-Project-Key", "another header field")
      text = "\(destination)"
    } catch {
      text = error.description
      precondition(!text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a refusal that is no harmless line")
    }
    // The longest word of the key, so that no punctuation of the text completes it; too long to stand there by chance; and not in the address itself.
    let words = authorization.split(separator: UInt8(ascii: ":"), maxSplits: 1).last?.split { !$0.isLetterOrDigit } ?? []
    guard let word = words.max(by: { $0.count < $1.count }).map(lowercased), word.count >= 24, !lowercased(uri[...]).containsRun(word) else { return }
    precondition(!lowercased(Array(text.utf8)[...]).containsRun(word), "a secret is shown")
  }

  /// Hosts are shown in lower case.
  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }

  /// The counter never loses count: what is missing and what came add up modulo 32.
  private static func count(_ input: inout FuzzInput) {
    var counter = ChunkCounter()
    var total = 0
    while !input.isEmpty {
      let notification = input.take(Int(input.byte()) % 24)
      let reading = counter.receive(notification)
      precondition((0..<32).contains(reading.missing), "more missing than can be counted")
      guard let head = notification.first else { continue }
      total += reading.missing + 1
      precondition(total % 32 == (Int(head) + 1) % 32, "the count is lost")
    }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}

extension [UInt8] {
  fileprivate func containsRun(_ other: [UInt8]) -> Bool {
    guard !other.isEmpty, count >= other.count else { return false }
    return (0...count - other.count).contains { self[$0] == other[0] && self[$0..<$0 + other.count].elementsEqual(other) }
  }
}
