import DBus
import Reactor

extension LineHost {
  private static let stackAway = 3000
  private static let authorisationPoll: Duration = .milliseconds(50)
  /// From the driver's end until the adapter has its firmware and is there again.
  private static let enumeration: Duration = .seconds(2)

  /// Looks whether a board has got so far that something goes wrong with the line.
  func checkFaults(_ board: Int) {
    let progress = LineFaultScript.Progress(
      bytes: boards[board].bytesReceived, connections: boards[board].connections, boots: boards[board].bootCount, chunks: boards[board].chunksSent)
    for fault in script.due(board: board, progress) {
      conduct.lineFaults.append(fault.do.rawValue)
      // After this turn: the caller still walks through packets of a link that may go now.
      later(.zero) { $0.strike(fault) }
    }
  }

  private func strike(_ fault: LineFault) {
    isChanged = true
    let back = fault.milliseconds.map { Duration.milliseconds(max(0, $0)) }
    switch fault.do {
    case .stackAway:
      stackGoes()
      later(back ?? .milliseconds(Self.stackAway)) { $0.stackReturns() }
    case .unplug, .plug, .loseLinks, .fallIll:
      guard let adapter = fault.adapter, adapters.indices.contains(adapter) else { return }
      if fault.do == .loseLinks { loseLinks(of: adapter) }
      if fault.do == .fallIll { fallIll(adapter, until: fault.healedBy) }
      if fault.do == .plug { plug(adapter) }
      if fault.do == .unplug {
        unplug(adapter)
        if let back { later(back) { $0.plug(adapter) } }
      }
    }
  }

  /// The adapter finishes what it does, but starts no discovery any more.
  private func fallIll(_ adapter: Int, until remedy: LineFault.Remedy?) {
    adapters[adapter].illness = .lasting(until: remedy)
    watchAuthorisation(of: adapter, wasTaken: false)
  }

  /// Whoever takes the USB device from its driver and gives it back makes the adapter go and come; looked at as long as the adapter is ill.
  private func watchAuthorisation(of adapter: Int, wasTaken: Bool) {
    guard adapters[adapter].isIll, adapters[adapter].hci != nil, let isAuthorised = testbed?.isAuthorised(adapter) else { return }
    guard wasTaken, isAuthorised else {
      later(Self.authorisationPoll) { $0.watchAuthorisation(of: adapter, wasTaken: !isAuthorised) }
      return
    }
    adapters[adapter].tried(.reauthorise)
    unplug(adapter)
    later(Self.enumeration) { host in
      host.plug(adapter)
      host.watchAuthorisation(of: adapter, wasTaken: false)
    }
  }

  private func loseLinks(of adapter: Int) {
    for (board, link) in links where link.adapter == adapter { linkDown(board) }
  }

  /// The adapter is pulled out: udev says so, its objects go, its links end in silence.
  func unplug(_ adapter: Int) {
    guard let hci = adapters[adapter].hci else { return }
    testbed?.unplug(adapter)
    for (board, link) in links where link.adapter == adapter { linkDown(board) }
    discoveryTimers.removeValue(forKey: adapter)?.cancel()
    for board in adapters[adapter].boards.keys.sorted() { forget(board, on: adapter) }
    vanished(.adapter(hci: hci), StackFaces.adapter)
    adapters[adapter].forgetAll()
    adapters[adapter].hci = nil
  }

  /// It comes back with the lowest free number, as the kernel gives it.
  func plug(_ adapter: Int) {
    guard adapters[adapter].hci == nil else { return }
    let taken = Set(adapters.compactMap(\.hci))
    guard let hci = (0..<LineOptions.adapterLimit).first(where: { !taken.contains($0) }) else { return }
    adapters[adapter].hci = hci
    adapters[adapter].powered = true
    testbed?.plug(adapter, usbPath: adapters[adapter].usbPath, hci: hci)
    appeared(.adapter(hci: hci), StackFaces.adapter, StackFaces.properties(of: adapters[adapter], hci: hci))
  }

  /// bluetoothd ends: links go with it, and it remembers nothing.
  private func stackGoes() {
    guard let leaving = bus else { return }
    for board in Array(links.keys) { linkDown(board, tell: false) }
    for adapter in adapters.indices {
      discoveryTimers.removeValue(forKey: adapter)?.cancel()
      adapters[adapter].forgetAll()
    }
    agents = []
    bus = nil
    leaving.assumeIsolated { $0.close() }
  }

  private func stackReturns() {
    guard bus == nil, !isStopped else { return }
    Task(executorPreference: reactor) { [weak self] in
      // The private bus is there as long as the line is: what fails now fails for good, and the station waits out its limit.
      try? await self?.takeName()
    }
  }
}
