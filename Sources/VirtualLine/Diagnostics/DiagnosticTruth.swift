extension LineTruth {
  /// What only boards with the Memfault Diagnostic Service have.
  public struct Diagnostics: Hashable, Sendable, Codable {
    /// What became of the chunks over one link.
    public struct Link: Hashable, Sendable, Codable {
      /// The number of its first chunk, from 0 over the board's whole life.
      public var first: Int
      public var sent = 0
      public var delivered = 0

      public init(first: Int) {
        self.first = first
      }
    }

    /// Chunks that have left the board; those lost with a link are among them.
    public var sent = 0
    /// Chunks that reached a client's socket, or the bus. What a client did with them is its own affair.
    public var delivered = 0
    public var waiting = 0
    public var subscribed = false
    public var streaming = false
    /// Over the delivered chunks in their order: SHA-256 of (the digest before ‖ chunk), 32 zero bytes at first.
    public var digest = ""
    /// Of each link over which chunks were asked for, the last 32.
    public var links: [Link] = []
    /// How often requests were refused, by ATT error in hexadecimal.
    public var refusals: [String: Int] = [:]

    public init() {}
  }
}
