import Cloud

extension FuzzTarget {
  /// What a board says of its diagnostics' destination. Input: the first byte is the length of the URI, then the URI, the rest is the authorization.
  static let destination = FuzzTarget(name: "destination", about: "ChunkDestination", longest: 600) { bytes in
    var input = FuzzInput(bytes)
    let uri = input.take(Int(input.byte()))
    let hosts = AllowedHosts(["chunks.memfault.com", "127.0.0.1", "::1"])
    do throws(DestinationRefusal) {
      let destination = try ChunkDestination(uri: uri, authorization: input.takeRest(), hosts: hosts)
      precondition(hosts.permits(destination.url), "only hosts on the list")
    } catch {
      precondition(!error.description.isEmpty && error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a refusal of one harmless line")
    }
  }
}
