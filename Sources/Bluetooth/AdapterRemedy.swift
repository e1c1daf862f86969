/// What may bring an adapter that fails back to work, from the mildest on (facts/bluez.md §1, "Speed of adapter recovery").
public enum AdapterRemedy: String, Hashable, Sendable, CaseIterable {
  /// Ends a discovery that the stack still counts although nobody listens.
  case stopDiscovery = "stop discovery"
  /// Off and on through the Bluetooth stack: the controller forgets its state.
  case powerCycle = "power off and on"
  /// The USB device is taken from its driver and given back, as if it were plugged in again. Needs permission to write to sysfs.
  case reauthorise = "USB re-authorisation"
}

/// Why the operating system did not do what was asked of an adapter.
public struct AdapterSourceError: Error, Hashable, Sendable {
  /// The system's words.
  public var words: String

  public init(_ words: String) {
    self.words = words
  }
}
