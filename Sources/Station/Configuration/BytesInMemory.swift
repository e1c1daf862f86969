// Configuration that is in memory already: nothing is asked of the disk but what the values themselves name.

extension StationConfiguration {
  /// Reads the bytes of a `station.conf` that is called `file` in messages.
  package init(bytes: [UInt8], file: String, hostName: String) throws(ConfigurationError) {
    try self.init(try IniFile(bytes: bytes, file: file), hostName: hostName, timezone: "UTC")
  }
}

extension BoardProfile {
  /// Reads the bytes of a profile that is called `file` in messages.
  package init(bytes: [UInt8], file: String) throws(ConfigurationError) {
    try self.init(try IniFile(bytes: bytes, file: file))
  }
}
