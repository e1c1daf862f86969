import FoundationEssentials
import Testing

@testable import Catalogue

/// Which addresses are spoken to at all: catalogues, releases, chunks and every redirection pass this one rule.
@Suite struct NetworkAddressTests {
  @Test(
    "Spoken to",
    arguments: [
      ("https://host", "host"), ("HTTPS://Host.Example:8443/a?b#c", "host.example"), ("https://[2001:DB8::1]/x", "2001:db8::1"),
      ("http://localhost/x", "localhost"),
      ("http://LOCALHOST", "localhost"), ("http://127.0.0.1:8000", "127.0.0.1"), ("http://[::1]:8000/x", "::1"),
    ])
  func good(text: String, host: String) throws {
    let url = try #require(URL(string: text))
    let address = try #require(NetworkAddress(url))
    #expect(address.host == host)
  }

  @Test(
    "Refused: no TLS to another computer, a name that only begins like this one, user and password, another scheme, no host",
    arguments: [
      "http://host/x", "http://127.0.0.2/x", "http://127.0.0.1.evil.example/x", "http://localhost.evil.example", "https://user:word@host/x",
      "https://user@host/x",
      "https://:word@host/x", "http://localhost@evil.example/x", "ftp://host/x", "file:///x", "https:///x", "host/x", "//host/x",
    ])
  func refused(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(NetworkAddress(url) == nil)
  }
}
