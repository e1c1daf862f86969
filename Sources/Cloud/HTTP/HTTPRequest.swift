import FoundationEssentials

/// One request to a server.
struct HTTPRequest: Sendable {
  /// What an answer's body is for.
  enum Sink: Sendable {
    /// It is kept in memory.
    case memory
    /// It is written to an open file, from where the file stands.
    case file(Int32)
    /// Only status and header matter, whatever the status is and whatever becomes of the body. It is read, up to the limit, so that the connection can be
    /// used again.
    case nowhere
  }

  var method = "GET"
  var url: URL
  /// Header fields beside those that every request has.
  var fields: [String: String] = [:]
  var body: [UInt8]?
  /// Answers whose body is wanted; of others only status and header are taken.
  var wanted: Set<Int> = [200]
  var sink = Sink.memory
  /// Most bytes of a wanted body; more is an error, found out before memory or disk fill.
  var limit: Int
  /// Whether an address that the server sends on to is followed. Header fields go along, so a request with a secret stays with whom it was meant for.
  var follows: @Sendable (URL) -> Bool = { _ in false }
}
