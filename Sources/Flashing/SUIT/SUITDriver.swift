import Bluetooth
import Firmware
import SMP

/// Installs a SUIT package on one board: does what `SUITInstall` decides, one link at a time.
struct SUITDriver: SessionDriver {
  let session: BoardSession
  let order: SUITOrder
  let links: LinkHolder
  private var visits: BoardVisits
  private var install: SUITInstall?
  private var route: SUITInstall.Route?
  /// Bytes of parts that are in the board, and the resources among them: for the progress.
  private var done = 0
  private var served = 0

  init(session: BoardSession, order: SUITOrder, links: LinkHolder) {
    self.session = session
    self.order = order
    self.links = links
    visits = BoardVisits(session: session, rule: order.identity, links: links)
  }

  /// While it installs a board waits for nobody.
  var mayPause: Bool { install?.mayRestart != true }

  mutating func advance() async throws -> SessionResult? {
    let found = try await visits.connect()
    let isFirst = visits.isFirst
    try await visits.identify(found)
    try await enter(isFirst ? .prepare : .verify)
    let (_, smp) = try await visits.open(found, time: session.boardTime)
    return try await smp.whileListening {
      do {
        let access = try await SUITAccess.attach(smp, session: session, order: order, links: links, route: route)
        route = access.route
        return try await drive(access)
      } catch {
        guard SessionError.of(error, in: links.phase).isLinkLoss, install?.mayRestart == true else { throw error }
      }
      try Task.checkCancellation()
      // The board went to install: it is waited for, and what it has then decides.
      install?.linkEnded()
      visits.expectRestart()
      forgetWhatRuns()
      await links.close()
      return nil
    }
  }

  private var target: SUITInstall.Target {
    SUITInstall.Target(
      digest: order.digest, sequenceNumber: order.sequenceNumber, caches: order.caches.count, allowsDowngrade: order.allowsDowngrade,
      wasWrittenBefore: session.wasWrittenBefore)
  }

  // MARK: drive

  private mutating func drive(_ access: SUITAccess) async throws -> SessionResult? {
    var install = self.install ?? SUITInstall(target, route: access.route, limits: SUITInstall.Limits(install: session.limits.swap))
    // Kept after each step: a lost link needs to know how far it was.
    self.install = install
    if !install.mayRestart { (done, served) = (0, 0) }
    var action = install.attached()
    while true {
      try Task.checkCancellation()
      self.install = install
      if !install.mayRestart { try await session.control.passage() }
      switch action {
      case .finished(let outcome): return .suit(outcome)
      case .failed(let code, let words):
        let failure = failure(code, words)
        if install.didWrite { await cleanUpAfter(access) }
        throw failure
      default: break
      }
      do {
        action = try await perform(action, access, &install)
      } catch {
        if install.didWrite, !(error is CancellationError), !SessionError.of(error, in: links.phase).isLinkLoss { await cleanUpAfter(access) }
        throw error
      }
    }
  }

  private mutating func perform(_ action: SUITInstall.Action, _ access: SUITAccess, _ install: inout SUITInstall) async throws -> SUITInstall.Action {
    switch action {
    case .read: return try await read(access, &install)
    case .cleanUp:
      session.journal.touch(leaving: .application)
      try await access.cleanUp()
      return install.cleanedUp()
    case .upload(let part): return try await upload(part, access, &install)
    case .begin:
      try await enter(.confirm)
      if let refusal = try await access.begin() { return install.beginRefused(refusal) }
      return install.begun()
    case .poll:
      switch try await access.poll() {
      case .wants(let question): return install.polled(question)
      case .refused: return install.pollFailed()
      case .unanswered: return install.pollUnanswered()
      }
    case .wait(let pause):
      try await session.boardTime.sleep(pause)
      return install.waited()
    case .finished, .failed: return action
    }
  }

  private func read(_ access: SUITAccess, _ install: inout SUITInstall) async throws -> SUITInstall.Action {
    do {
      let state = try await access.read()
      note(state, didWrite: install.didWrite)
      return install.read(state)
    } catch let failure as BoardFailure where failure.code != .linkLost && install.isInstalling {
      // While it installs a board may well be unable to say what it has.
      session.journal.update { $0.retries += 1 }
      return install.read(nil)
    }
  }

  private mutating func upload(_ part: SUITInstall.Part, _ access: SUITAccess, _ install: inout SUITInstall) async throws -> SUITInstall.Action {
    let (kind, bytes): (SUITUpload.Kind, [UInt8])
    switch part {
    case .envelope(let deferred):
      (kind, bytes) = (access.route == .suitGroup ? .envelope(deferred: deferred) : .image(0, sha: Self.sha(order.envelope)), order.envelope)
    case .cache(let place):
      let cache = order.caches[place]
      (kind, bytes) = (access.route == .suitGroup ? .cache(partition: cache.partition) : .image(cache.partition + 1, sha: Self.sha(cache.bytes)), cache.bytes)
    case .resource(let question):
      guard let content = try await content(of: question.resource) else { return install.resourceMissing(question.resource) }
      (kind, bytes) = (.resource(session: question.session), content)
      served += content.count
    }
    try await enter(.upload)
    try await SUITUpload(access: access, kind: kind, bytes: bytes, done: done, total: order.size + served).run()
    done += bytes.count
    if case .resource = part { try await enter(.confirm) }
    return install.uploaded()
  }

  /// What the provider has; an empty or enormous resource is none.
  private func content(of resource: SUITResourceID) async throws -> [UInt8]? {
    let content: [UInt8]?
    do {
      content = try await order.resources.content(of: resource)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw SessionError.station(.stationPackage, links.phase, "\(resource) cannot be read: \(error)")
    }
    guard let content, (1...SUITOrder.resourceLimit).contains(content.count) else { return nil }
    return content
  }

  /// SHA-256 of a file, by which a board recognises an upload; empty, and then it does not, when it cannot be computed.
  private static func sha(_ bytes: [UInt8]) -> [UInt8] { (try? Digest(.sha256, of: bytes))?.bytes ?? [] }

  /// Leaves nothing half done in the board's partitions, as far as it lets us.
  private func cleanUpAfter(_ access: SUITAccess) async {
    guard access.route == .suitGroup else { return }
    try? await access.cleanUp()
  }

  private func enter(_ phase: Phase) async throws {
    if links.phase != phase { try await session.enter(phase, links) }
  }

  private func failure(_ code: FailureCode, _ words: String) -> any Error {
    code == .stationInternal ? SessionError.station(code, links.phase, words) : BoardFailure(code, in: links.phase, words)
  }

  // MARK: record

  /// Keeps in the record what was read, so that it is right whatever happens next.
  private func note(_ state: SUITBoardState, didWrite: Bool) {
    session.journal.update { record in
      if record.firmwareBefore == nil, record.imageHashBefore == nil, !didWrite {
        record.imageHashBefore = state.digest?.hex
        record.firmwareBefore = state.text
      }
      record.imageHashAfter = state.digest?.hex
      record.firmwareAfter = state.text
      record.imageState = state.digests.contains(order.digest) ? .confirmed : .unknown
      if didWrite { record.leftAs = .application }
    }
  }

  /// What was read until now says nothing about what runs afterwards.
  private func forgetWhatRuns() {
    session.journal.update {
      $0.leftAs = .unknown
      $0.firmwareAfter = nil
      $0.imageHashAfter = nil
      $0.imageState = .unknown
    }
  }
}

extension SUITOrder {
  /// Bytes of the envelope and the caches.
  fileprivate var size: Int { caches.reduce(envelope.count) { $0 + $1.bytes.count } }
}
