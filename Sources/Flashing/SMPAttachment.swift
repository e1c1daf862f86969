import Bluetooth
import SMP

/// A board that answers SMP: what it said of its buffers and bootloader, and the commands of an update in the session's words.
struct SMPAttachment: Sendable {
  /// GATT name of the SMP service's only characteristic (facts/smp.md §2.1).
  static let characteristic = BluetoothUUID("da2e7828-fbce-4e01-ae9e-261174997c48")

  let smp: SMPSession
  let limits: TransportLimits
  let bootloader: Bootloader
  let session: BoardSession
  let order: UpdateOrder
  let links: LinkHolder

  /// Asks the board for its buffers, tries whether it reassembles requests, and asks for the bootloader's mode where that is not known.
  static func attach(
    _ smp: SMPSession, session: BoardSession, order: UpdateOrder, links: LinkHolder, bootloader known: Bootloader?
  ) async throws -> SMPAttachment {
    let asking = Asking(smp: smp, session: session, links: links)
    let limits = try await asking.transportLimits(pipelineDepth: order.pipelineDepth, reassemblyBufferSize: order.reassemblyBufferSize)
    let bootloader: Bootloader = if let known { known } else { try await asking.bootloader(assumed: order.assumedBootloaderMode) }
    return SMPAttachment(smp: smp, limits: limits, bootloader: bootloader, session: session, order: order, links: links)
  }

  /// The image list.
  func readImages() async throws -> [ImageSlot] {
    try await asking.command(ImageStateReadRequest()).slots
  }

  /// Marks the image with this hash for the next start, on trial or for good; also confirms the running image, which has the same hash.
  ///
  /// False when no answer came: it is not sent again blindly, the image list has to tell what became of it.
  func mark(_ hash: [UInt8], permanent: Bool) async throws -> Bool {
    do {
      _ = try await smp.send(permanent ? ImageStateWriteRequest.confirm(hash) : ImageStateWriteRequest.test(hash))
      return true
    } catch SMPSession.Failure.timedOut {
      session.journal.update { $0.retries += 1 }
      return false
    } catch {
      throw asking.failure(error, permanent ? "confirming the image" : "marking the image for its trial")
    }
  }

  /// Erases the slot that does not run; false when the board refuses.
  func eraseOther(_ slots: [ImageSlot]) async throws -> Bool {
    let mine = slots.filter { $0.image == order.imageNumber }
    let slot = mine.first { !$0.active }.map { 2 * $0.image + $0.slot }
    do {
      try await smp.send(ImageEraseRequest(slot: slot), limit: session.limits.erase)
      return true
    } catch SMPSession.Failure.refused {
      return false
    } catch {
      throw asking.failure(error, "erasing the other slot")
    }
  }

  /// Erases the storage partition (settings and bonds); false when the board does not let us (facts/device-manager.md §1.5).
  func eraseSettings() async throws -> Bool {
    do {
      try await smp.send(EraseStorageRequest(), limit: session.limits.erase)
      return true
    } catch SMPSession.Failure.refused {
      return false
    } catch {
      throw asking.failure(error, "erasing the settings")
    }
  }

  /// Resets the board and waits until its link is down. A lost answer is no failure: the board may be gone before it arrives.
  func reset(_ link: any GATTLink) async throws {
    for attempt in 1...session.limits.resetTries {
      do {
        let isLast = attempt == session.limits.resetTries
        try await smp.send(ResetRequest(force: isLast), limit: session.limits.command)
        break
      } catch SMPSession.Failure.linkLost, SMPSession.Failure.timedOut {
        break
      } catch SMPSession.Failure.refused(let error) where attempt < session.limits.resetTries {
        _ = error
        session.journal.update { $0.retries += 1 }
        try await session.time.sleep(session.limits.resetPause)
      } catch {
        throw asking.failure(error, "resetting the board")
      }
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await link.ended() }
      group.addTask { try? await session.time.sleep(session.limits.resetEnd) }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  private var asking: Asking { Asking(smp: smp, session: session, links: links) }
}

/// Single commands with the session's limits and words for what goes wrong.
struct Asking: Sendable {
  let smp: SMPSession
  let session: BoardSession
  let links: LinkHolder

  /// A command that must work. Reads are repeated once after a time-out; others never, their effect is read instead.
  func command<Request: SMPRequest>(_ request: Request) async throws -> Request.Response {
    do {
      do {
        return try await smp.send(request)
      } catch SMPSession.Failure.timedOut where Request.isRepeatable {
        session.journal.update { $0.retries += 1 }
        return try await smp.send(request)
      }
    } catch {
      throw failure(error, "\(Request.group) command \(Request.command)")
    }
  }

  /// A read that older firmware may not know: nil when it is refused. Repeated once after a time-out.
  func optional<Request: SMPRequest>(_ request: Request) async throws -> Request.Response? {
    do {
      do {
        return try await smp.send(request, limit: session.limits.command)
      } catch SMPSession.Failure.timedOut {
        session.journal.update { $0.retries += 1 }
        return try await smp.send(request, limit: session.limits.command)
      }
    } catch SMPSession.Failure.refused, SMPSession.Failure.malformed {
      return nil
    } catch {
      throw failure(error, "\(Request.group) command \(Request.command)")
    }
  }

  /// Asks the board for its buffers, and tries whether it reassembles requests.
  func transportLimits(pipelineDepth: Int?, reassemblyBufferSize: Int?) async throws -> TransportLimits {
    let parameters = try await optional(ParametersRequest())
    switch TransportLimits.plan(mtu: smp.mtu, parameters: parameters, pipelineDepth: pipelineDepth, reassemblyBufferSize: reassemblyBufferSize) {
    case .settled(let limits): return limits
    case .probe(let probe): return probe.limits(after: try await outcome(of: probe.request))
    }
  }

  /// What became of the probing echo: nil when no answer came.
  func outcome(of echo: EchoRequest) async throws -> Result<String, SMPAnswerError>? {
    do {
      return .success(try await smp.send(echo, limit: ReassemblyProbe.answerLimit))
    } catch SMPSession.Failure.refused(let error) {
      return .failure(.refused(error))
    } catch SMPSession.Failure.timedOut, SMPSession.Failure.malformed {
      return nil
    } catch {
      throw failure(error, "the echo")
    }
  }

  func bootloader(assumed: Int?) async throws -> Bootloader {
    var mode = assumed.map(BootloaderMode.init(rawValue:))
    if let name = try await optional(BootloaderNameRequest()) {
      guard name == "MCUboot" else {
        throw BoardFailure(.policyBootloader, in: links.phase, "the board's bootloader is \(name), not MCUboot")
      }
      if let told = try await optional(BootloaderModeRequest())?.mode, told != .unknown { mode = told }
    }
    let bootloader = Bootloader(mode)
    if case .other(let mode) = bootloader {
      throw BoardFailure(.policyBootloader, in: links.phase, "the board's bootloader works as \(mode), which this job cannot update")
    }
    return bootloader
  }

  /// What went wrong, as the board's failure in the present phase.
  func failure(_ error: any Error, _ what: String) -> any Error {
    guard let error = error as? SMPSession.Failure else { return error }
    return BoardFailure(smp: error, in: links.phase, during: what)
  }
}
