import Bluetooth
import SMP

/// A board that answers SMP: what it said of its buffers and bootloader, and the commands of an update in the session's words.
struct SMPAttachment: Sendable {
  /// GATT name of the SMP service's only characteristic (facts/smp.md §2.1).
  static let characteristic = BluetoothUUID("da2e7828-fbce-4e01-ae9e-261174997c48")

  let smp: SMPSession
  let limits: TransportLimits
  let bootloader: Bootloader
  /// Which of the board's programs answers.
  let place: BoardReading.Place
  let session: BoardSession
  let order: UpdateOrder
  let links: LinkHolder

  /// Asks the board for its buffers, tries whether it reassembles requests, and asks for the bootloader's mode where that is not known.
  static func attach(
    _ smp: SMPSession, session: BoardSession, order: UpdateOrder, links: LinkHolder, bootloader known: Bootloader?, place: BoardReading.Place
  ) async throws -> SMPAttachment {
    let asking = Asking(smp: smp, session: session, links: links)
    let limits = try await asking.transportLimits(pipelineDepth: order.pipelineDepth, reassemblyBufferSize: order.reassemblyBufferSize)
    let bootloader: Bootloader = if let known { known } else { try await asking.bootloader(assumed: order.assumedBootloaderMode) }
    return SMPAttachment(smp: smp, limits: limits, bootloader: bootloader, place: place, session: session, order: order, links: links)
  }

  /// The image list; nil when a board with a firmware loader does not have the command (facts/device-manager.md §1.7).
  func readImages() async throws -> [ImageSlot]? {
    guard bootloader == .firmwareLoader else { return try await asking.command(ImageStateReadRequest()).slots }
    do {
      return try await asking.repeated(ImageStateReadRequest()).slots
    } catch SMPSession.Failure.refused(let error) where error.isUnsupported {
      return nil
    } catch {
      throw asking.failure(error, "reading the image list")
    }
  }

  /// The board's slots; nil when it does not tell.
  func readLayout() async throws -> [ImageLayout]? { try await asking.optional(SlotLayoutRequest()) }

  /// What came of marking an image.
  enum Marking: Hashable {
    case done
    /// No answer came: it is not sent again blindly, the image list has to tell what became of it.
    case unanswered
    /// The board does not let this image be confirmed now (image error 32).
    case denied
  }

  /// Marks the image with this hash for the next start, on trial or for good; also confirms the running image, which has the same hash.
  func mark(_ hash: [UInt8], permanent: Bool) async throws -> Marking {
    do {
      _ = try await smp.send(permanent ? ImageStateWriteRequest.confirm(hash) : ImageStateWriteRequest.test(hash))
      return .done
    } catch SMPSession.Failure.timedOut {
      session.journal.update { $0.retries += 1 }
      return .unanswered
    } catch SMPSession.Failure.refused(.group(let error)) where error.image == .confirmationDenied {
      return .denied
    } catch {
      throw asking.failure(error, permanent ? "confirming the image" : "marking the image for its trial")
    }
  }

  /// Erases a slot that does not run; false when the board refuses.
  func erase(image: Int, slot: Int) async throws -> Bool {
    do {
      try await smp.send(ImageEraseRequest(image: image, slot: slot), limit: session.limits.erase)
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

  /// Gives the board's firmware loader the name under which it will advertise, and keeps it over the restart (facts/device-manager.md §§1.7 and 9); false
  /// when the board does not let us.
  func name(loader name: String) async throws -> Bool {
    do {
      try await smp.send(SettingWriteRequest(name: "fw_loader/adv_name", bytes: Array(name.utf8)), limit: session.limits.command)
      try await smp.send(SettingsSaveRequest(), limit: session.limits.command)
      return true
    } catch SMPSession.Failure.refused {
      return false
    } catch {
      throw asking.failure(error, "naming the firmware loader")
    }
  }

  /// Resets the board and waits until its link is down. A lost answer is no failure: the board may be gone before it arrives.
  ///
  /// The wait has a limit, whatever the stack tells of the link meanwhile.
  func reset(_ link: any GATTLink, into mode: ResetRequest.BootMode? = nil) async throws {
    for attempt in 1...session.limits.resetTries {
      do {
        let isLast = attempt == session.limits.resetTries
        try await smp.send(ResetRequest(force: isLast, bootMode: mode), limit: session.limits.command)
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
      return try await repeated(request)
    } catch {
      throw failure(error, "\(Request.group) command \(Request.command)")
    }
  }

  /// As `command`, with the exchange's own failure.
  func repeated<Request: SMPRequest>(_ request: Request) async throws -> Request.Response {
    do {
      return try await smp.send(request)
    } catch SMPSession.Failure.timedOut where Request.isRepeatable {
      session.journal.update { $0.retries += 1 }
      return try await smp.send(request)
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
    return Bootloader(mode)
  }

  /// What went wrong, as the board's failure in the present phase.
  func failure(_ error: any Error, _ what: String) -> any Error {
    guard let error = error as? SMPSession.Failure else { return error }
    return BoardFailure(smp: error, in: links.phase, during: what)
  }
}
