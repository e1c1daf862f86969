/// What the owner of a `BootloaderEntry` has to do, in this order.
public enum EntryAction: Hashable, Sendable {
  /// Switch on the notifications (Legacy, experimental) or indications (Secure) of the characteristic, then call `subscribed` or `failed`.
  case subscribe
  /// Write the characteristic, then call `written` or `failed`.
  case write([UInt8], withResponse: Bool)
  /// Call `silent` when this time has passed. Replaces the expectation before.
  case expect(DFUWait, within: Duration)
  /// Close the link from this side, then call `linkLost`.
  case disconnect
  /// Call `paused` after this time. Ends the expectation before.
  case pause(Duration)
  /// The board is on its way into its bootloader. Whether it arrived, and which protocol it speaks there, says the next connection.
  case finished
  case failed(DFUFailure)
}
