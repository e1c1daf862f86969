import SMP

/// A board that takes SUIT packages: by which commands, how long its requests may be, and the commands in the session's words.
struct SUITAccess: Sendable {
  /// What the bootloader of such a board is called (facts/smp.md §3.1).
  static let bootloader = "SUIT"
  /// For the answers to the two requests after which a board may be waiting for a resource: it gives up after 5 s (facts/smp.md §7).
  static let beginLimit = Duration.seconds(4)
  static let pollLimit = Duration.seconds(2)

  let smp: SMPSession
  let limits: TransportLimits
  let route: SUITInstall.Route
  let session: BoardSession
  let order: SUITOrder
  let links: LinkHolder

  /// Asks the board for its buffers, and how it takes SUIT where that is not known yet.
  static func attach(
    _ smp: SMPSession, session: BoardSession, order: SUITOrder, links: LinkHolder, route known: SUITInstall.Route?
  ) async throws -> SUITAccess {
    let asking = Asking(smp: smp, session: session, links: links)
    let limits = try await asking.transportLimits(pipelineDepth: order.pipelineDepth, reassemblyBufferSize: order.reassemblyBufferSize)
    let route: SUITInstall.Route = if let known { known } else { try await asking.route() }
    return SUITAccess(smp: smp, limits: limits, route: route, session: session, order: order, links: links)
  }

  var asking: Asking { Asking(smp: smp, session: session, links: links) }

  /// What is installed. Throws when the board does not say.
  func read() async throws -> SUITBoardState {
    guard route == .suitGroup else { return SUITBoardState(try await asking.command(ImageStateReadRequest()).slots) }
    var manifests: [SUITRole: SUITManifestState] = [:]
    for role in Set(try await asking.command(SUITManifestListRequest())).sorted(by: { $0.rawValue < $1.rawValue }) {
      // A role without a manifest is refused by some firmware (rc 6).
      manifests[role] = try await asking.optional(SUITManifestStateRequest(role: role))
    }
    return SUITBoardState(manifests, wanted: order.digest)
  }

  /// Erases the partitions; a board that cannot, or does not answer, is left as it is.
  func cleanUp() async throws {
    do {
      try await smp.send(SUITCleanUpRequest(), limit: session.limits.erase)
    } catch SMPSession.Failure.refused, SMPSession.Failure.timedOut, SMPSession.Failure.malformed {
      session.journal.update { $0.retries += 1 }
    } catch {
      throw asking.failure(error, "erasing the partitions")
    }
  }

  /// Tells the board to begin: nil when it does, or may do so; else its refusal.
  func begin() async throws -> SMPResponseError? {
    do {
      // Soon after it the board may ask for something, and wait no longer than it waits for a resource.
      if route == .suitGroup { try await smp.send(SUITInstallRequest(), limit: Self.beginLimit) } else { try await smp.send(SUITConfirmRequest()) }
      return nil
    } catch SMPSession.Failure.refused(let error) {
      return error
    } catch SMPSession.Failure.timedOut, SMPSession.Failure.malformed {
      session.journal.update { $0.retries += 1 }
      return nil
    } catch {
      throw asking.failure(error, "beginning the installation")
    }
  }

  /// What became of the question what the board lacks.
  enum Poll: Hashable, Sendable {
    case wants(SUITResourceQuestion?)
    case refused
    case unanswered
  }

  /// Asks what the board lacks.
  func poll() async throws -> Poll {
    do {
      return .wants(try await smp.send(SUITMissingRequest(), limit: Self.pollLimit))
    } catch SMPSession.Failure.refused, SMPSession.Failure.malformed {
      return .refused
    } catch SMPSession.Failure.timedOut {
      session.journal.update { $0.retries += 1 }
      return .unanswered
    } catch {
      throw asking.failure(error, "asking what the board lacks")
    }
  }
}

extension Asking {
  /// By which commands the board takes SUIT. Group 66 is only asked where it must be there: some firmware locks up on a group that it does not know
  /// (facts/device-manager.md §6, Zephyr #43858).
  fileprivate func route() async throws -> SUITInstall.Route {
    let name = try await optional(BootloaderNameRequest())
    if name == SUITAccess.bootloader, try await optional(SUITManifestListRequest()) != nil { return .suitGroup }
    let root = try await optional(ImageStateReadRequest())?.slots.first { $0.image == 0 && $0.slot == 0 }
    // The sequence number where MCUboot's boards have a version like 1.2.3.
    if let root, UInt64(root.version) != nil { return .imageGroup }
    if name == nil, root == nil, try await optional(SUITManifestListRequest()) != nil { return .suitGroup }
    let words = [name.map { "its bootloader is \($0)" }, root.map { "it runs \($0.version)" }].compactMap { $0 }.joined(separator: ", ")
    throw BoardFailure(.policyWrongPackage, in: links.phase, "the board takes no SUIT package" + (words.isEmpty ? "" : " (\(words))"))
  }
}
