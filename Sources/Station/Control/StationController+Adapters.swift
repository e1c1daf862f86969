import Bluetooth
import Flashing

/// Adapters that come and go.
extension StationController {
  func adaptersChanged(_ list: [LineAdapter], stackIsEmpty: Bool) {
    self.stackIsEmpty = stackIsEmpty
    let now = ports.time.now()
    let paths = Set(list.map(\.path))
    for (path, adapter) in adapters where !paths.contains(path) {
      // One that the stack lost first was told of then.
      let isNews = adapter.isUsable || toldExcluded[path] != nil
      adapters[path] = nil
      prepared[path] = nil
      spoilt[path] = nil
      toldExcluded[path] = nil
      unusableSince[path] = nil
      sightings.forget(adapter: adapter.name)
      if isNews { ports.emit(.adapterRemoved(adapter)) }
    }
    for adapter in list {
      let before = adapters[adapter.path]
      adapters[adapter.path] = adapter
      if adapter.isUsable {
        unusableSince[adapter.path] = nil
        if before?.isUsable != true { ports.emit(.adapterAdded(adapter)) }
      } else {
        if unusableSince[adapter.path] == nil { unusableSince[adapter.path] = now }
        prepared[adapter.path] = nil
        if let before, before.isUsable { ports.emit(.adapterRemoved(before)) }
      }
    }
    startWorkers()
  }

  /// A worker for each usable adapter that has none.
  func startWorkers() {
    let usable = adapters.values.filter { $0.isUsable && spoilt[$0.path] == nil }
    if usable.isEmpty {
      if idleSince == nil { idleSince = ports.time.now() }
    } else {
      idleSince = nil
      hadAdapter = true
    }
    guard reason == nil, ledger.closing == nil else { return }
    for adapter in usable.sorted(by: { $0.path < $1.path }) where workers.insert(adapter.path).inserted {
      signal.yield(.startWorker(adapter))
    }
  }

  /// The worker of an adapter has ended; the adapter may be back already, under another number.
  func workerEnded(_ adapter: LineAdapter) {
    workers.remove(adapter.path)
    startWorkers()
  }

  /// An adapter that fails again and again is left alone until it is plugged in again.
  func spoil(_ adapter: LineAdapter, because words: String) {
    spoilt[adapter.path] = words
    ports.emit(.stationFault(code: .adapterFailed, message: words, adapter: adapter))
    ports.emit(.adapterExcluded(adapter, reason: words))
  }

  /// Tells once of each adapter that stays unusable, after the stack had its time to take it.
  func tellExcluded(_ now: Duration) {
    for (path, since) in unusableSince where now - since >= Self.adapterSettleTime {
      guard let adapter = adapters[path], case .unusable(let reason) = adapter.usability, toldExcluded[path] != reason else { continue }
      toldExcluded[path] = reason
      ports.emit(.adapterExcluded(adapter, reason: reason))
    }
  }
}

extension LineAdapter {
  /// How the sighting book speaks of it.
  var name: AdapterName { AdapterName(usbPath: path, label: label) }
}
