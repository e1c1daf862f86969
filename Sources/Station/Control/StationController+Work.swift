import Bluetooth
import Flashing

/// One worker per adapter: listen, take a board, flash it, again.
extension StationController {
  /// What listening came to.
  private enum Found: Sendable {
    case board(SightingBook.Sighting)
    /// Nothing more to do.
    case over
    /// The adapter, or the whole stack, is away.
    case gone
    case failed(String)
  }

  func work(_ adapter: LineAdapter) async {
    defer { workerEnded(adapter) }
    guard let handle = adapter.handle else { return }
    ladders[adapter.path, default: HealingLadder()].works()
    while !Task.isCancelled, ledger.closing == nil {
      let began = ports.time.now()
      let found = await listenPrepared(adapter, handle, afresh: ladders[adapter.path]?.isFailing == true)
      if ports.time.now() - began >= Self.adapterProof { ladders[adapter.path]?.works() }
      switch found {
      case .over: return
      case .gone:
        // The watch takes a moment to notice; without the pause the next worker would begin at once and fail again.
        try? await ports.time.sleep(Self.adapterPause)
        return
      case .board(let sighting):
        ladders[adapter.path]?.works()
        await flash(sighting, adapter, handle)
      case .failed(let words):
        guard let pause = await heal(adapter, handle, because: words) else { return }
        do { try await ports.time.sleep(pause) } catch { return }
      }
    }
  }

  /// One step of the ladder for an adapter that failed; how long to wait then, or nil when it is given up.
  private func heal(_ adapter: LineAdapter, _ handle: AdapterHandle, because words: String) async -> Duration? {
    switch ladders[adapter.path, default: HealingLadder()].failed(at: ports.time.now()) {
    case .wait(let pause): return pause
    case .giveUp:
      spoil(adapter, because: words)
      return nil
    case .remedy(let remedy):
      var obstacle: String?
      do {
        if remedy == .reauthorise {
          try await ports.source.reauthorise(usbPath: adapter.path)
        } else {
          try await ports.central.heal(handle, by: remedy)
        }
      } catch {
        obstacle = (error as? AdapterSourceError)?.words ?? "\(error)"
      }
      ports.emit(.adapterHealing(adapter, remedy, because: words, obstacle: obstacle))
      return Self.adapterPause
    }
  }

  /// An adapter is prepared when its worker begins and again after a failure, then listened to.
  private func listenPrepared(_ adapter: LineAdapter, _ handle: AdapterHandle, afresh: Bool) async -> Found {
    do throws(CentralError) {
      if afresh || prepared[adapter.path] != handle {
        try await ports.central.prepare(handle, radio: job.adapters.radio)
        prepared[adapter.path] = handle
      }
      return await listen(adapter, handle)
    } catch .adapterGone, .stackGone {
      prepared[adapter.path] = nil
      return .gone
    } catch {
      return .failed("it cannot be made ready (\(error))")
    }
  }

  /// Discovers until the controller hands this adapter a board.
  private func listen(_ adapter: LineAdapter, _ handle: AdapterHandle) async -> Found {
    await withTaskGroup(of: Found.self) { group in
      group.addTask {
        do {
          for try await heard in self.ports.central.discover(on: handle) { await self.heard(heard, on: adapter, handle) }
          return Task.isCancelled ? .over : .failed("listening ended by itself")
        } catch CentralError.adapterGone, CentralError.stackGone {
          return .gone
        } catch is CancellationError {
          return .over
        } catch {
          return .failed("it cannot listen (\(error))")
        }
      }
      group.addTask {
        guard let sighting = await self.opening(for: adapter) else { return .over }
        return .board(sighting)
      }
      let first = await group.next() ?? .over
      // A board may have been handed over in the moment in which listening failed: it is not lost.
      closeOpening(of: adapter)
      group.cancelAll()
      var found = first
      for await late in group { if case .board = late { found = late } }
      return found
    }
  }

  /// Waits until `assign` gives this adapter a board; nil when none will come.
  private func opening(for adapter: LineAdapter) async -> SightingBook.Sighting? {
    guard ledger.closing == nil, !Task.isCancelled else { return nil }
    return await withCheckedContinuation { continuation in
      openings.updateValue(continuation, forKey: adapter.path)?.resume(returning: nil)
    }
  }

  private func closeOpening(of adapter: LineAdapter) {
    openings.removeValue(forKey: adapter.path)?.resume(returning: nil)
  }

  func closeOpenings() {
    let all = openings
    openings = [:]
    for continuation in all.values { continuation.resume(returning: nil) }
  }

  // MARK: hearing and handing over

  private func heard(_ advertisement: Advertisement, on adapter: LineAdapter, _ handle: AdapterHandle) async {
    var advertisement = advertisement
    let heard = advertisement.address
    advertisement.address = otherAddresses[heard] ?? heard
    guard !ledger.isDone(advertisement.address) else { return }
    let verdict = (takesBack(advertisement.address) ? returning : admission).verdict(advertisement)
    if verdict == .contradictory { return await hearAfresh(heard, handle) }
    if job.job == .rescue { await followBootloader(advertisement.address, verdict) }
    let isNew = sightings.heard(
      advertisement, on: adapter.name, verdict: verdict, minRSSI: admission.minRSSI(verdict), at: ports.time.now())
    if isNew {
      ports.emit(
        .boardSeen(
          mac: advertisement.address, name: advertisement.name, profile: profileNames(verdict), rssi: advertisement.rssi, adapter: adapter))
    }
    // A hundred boards in the air are thousands of advertisements a second, and each look at the book goes through all its boards.
    if let assigned, ports.time.now() - assigned < Self.assignPause { return }
    assign()
  }

  /// Gives boards to free workers.
  func assign() {
    guard reason == nil, !openings.isEmpty else { return }
    let free = openings.keys.compactMap { adapters[$0]?.name }
    let now = ports.time.now()
    assigned = now
    let given = sightings.assign(free: free, now: now) { sighting in
      guard isStranded(sighting), let attempt = ledger.claim(sighting.board, refusal: sighting.isRefused, now: now) else { return false }
      claims[sighting.board] = attempt
      return true
    }
    for sighting in given { openings.removeValue(forKey: sighting.adapter.usbPath)?.resume(returning: sighting) }
  }

  private func profileNames(_ verdict: Admission.Verdict) -> String {
    verdict.profiles.map { admission.profiles[$0].name }.joined(separator: " ")
  }
}

extension SightingBook.Sighting {
  /// Whether the board is only taken in hand to record that it is refused.
  var isRefused: Bool {
    switch verdict {
    case .application, .bootloader: false
    case .ambiguous, .privateAddress, .contradictory, .neither: true
    }
  }
}

extension Admission.Verdict {
  /// Places of the profiles concerned.
  var profiles: [Int] {
    switch self {
    case .application(let profile), .bootloader(let profile), .privateAddress(let profile): [profile]
    case .ambiguous(let several): several
    case .contradictory, .neither: []
    }
  }
}
