import Bluetooth
import Locks
import Synchronization

/// A board's stay in its firmware loader: under which name it is looked for, and where it was met (facts/device-manager.md §1.7).
///
/// A loader advertises under another address in general. It is known by the name that it was just given, never as the first one that is heard.
struct LoaderVisit: Sendable {
  /// What was heard of a board whose link ended in the loader.
  enum Heard: Sendable {
    case loader(BluetoothAddress)
    case application
  }

  let session: BoardSession
  let links: LinkHolder
  let name: String
  /// Where the loader was met; nil before the first time.
  var address: BluetoothAddress?

  init(session: BoardSession, links: LinkHolder) {
    self.session = session
    self.links = links
    name = session.board.loaderName
  }

  /// Waits for the loader after the reset into it.
  func awaitLoader() async throws -> BluetoothAddress {
    switch try await hear(within: session.limits.loader, orApplication: false) {
    case .loader(let address)?: return address
    case .application?:
      session.journal.update { $0.leftAs = .application }
      throw BoardFailure(.dfuNotEntered, in: links.phase, "the board came back in its application instead of its firmware loader")
    case nil:
      session.journal.update { $0.leftAs = .unknown }
      throw BoardFailure(
        .verifyNeverReturned, in: links.phase, "no firmware loader called \(name) was heard for \(session.limits.loader.words) after the restart")
    }
  }

  /// Looks for a board whose link was lost in the loader: it may be either of its programs by now.
  func lookAgain() async throws -> Heard {
    guard let heard = try await hear(within: session.limits.loader, orApplication: true) else {
      throw BoardFailure(.boardAbsent, in: links.phase, "neither the board nor its firmware loader was heard for \(session.limits.loader.words)")
    }
    return heard
  }

  /// Waits for the application after the reset out of the loader.
  func awaitApplication() async throws {
    let (board, name, limit) = (session.board, name, session.limits.swap)
    let inLoader = Sighting()
    let heard = try await connector.hear(within: limit) { heard in
      if heard.name == name { inLoader.note() }
      return heard.address == board && heard.name != name
    }
    guard heard == nil else { return }
    guard inLoader.wasNoted else {
      session.journal.update { $0.leftAs = .unknown }
      throw BoardFailure(.verifyNeverReturned, in: links.phase, "the board was not heard for \(limit.words) after the restart")
    }
    session.journal.update { $0.leftAs = .bootloader }
    throw BoardFailure(.verifyStillBootloader, in: links.phase, "the image was written, and the board came back in its firmware loader")
  }

  /// Has the stack forget both programs: each has its own services, and one of the two names may be an old one.
  func forget() async {
    for address in Set([session.board, address ?? session.board]) { await session.central.forget(address, on: session.adapter) }
  }

  private var connector: BoardConnector { BoardConnector(session: session, links: links) }

  /// - Parameter orApplication: the application ends the wait too; else it is only told when the loader was not heard.
  private func hear(within limit: Duration, orApplication: Bool) async throws -> Heard? {
    let (board, name) = (session.board, name)
    let inApplication = Sighting()
    let heard = try await connector.hear(within: limit) { heard in
      if heard.name == name { return true }
      guard heard.address == board else { return false }
      inApplication.note()
      return orApplication
    }
    if let heard, heard.name == name { return .loader(heard.address) }
    return inApplication.wasNoted ? .application : nil
  }
}

/// That something was heard on the way.
private final class Sighting: Sendable {
  private let state = Locked(false)

  var wasNoted: Bool { state.withLock { $0 } }
  func note() { state.withLock { $0 = true } }
}
