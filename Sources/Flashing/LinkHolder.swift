import Bluetooth
import Locks
import Synchronization

/// The link that a session holds now, so that it is closed whatever ends the session; and the phase it is in.
final class LinkHolder: Sendable {
  private struct State {
    var link: (any GATTLink)?
    var channel: (any PacketChannel)?
    var phase = Phase.connect
    var acknowledged: [Int: Int] = [:]
  }

  private let state = Locked(State())

  var phase: Phase {
    get { state.withLock { $0.phase } }
    set { state.withLock { $0.phase = newValue } }
  }

  /// The offset at which the last upload of an image stood in this attempt when its link ended; 0 before the first.
  func acknowledged(of image: Int) -> Int { state.withLock { $0.acknowledged[image] ?? 0 } }

  func note(acknowledged offset: Int, of image: Int) { state.withLock { $0.acknowledged[image] = offset } }

  func hold(_ link: any GATTLink) { state.withLock { $0.link = link } }
  func hold(_ channel: any PacketChannel) { state.withLock { $0.channel = channel } }

  /// Closes what is held and returns when the link is down, also when the session is cancelled meanwhile.
  func close() async {
    let (channel, link) = state.withLock { state in
      defer {
        state.channel = nil
        state.link = nil
      }
      return (state.channel, state.link)
    }
    guard link != nil else { return }
    await shielded {
      await channel?.close()
      await link?.disconnect()
    }
  }
}
