import Bluetooth

/// An SMP board on a line: one GATT database and one address for its whole life.
extension VirtualBoard: HostedBoard {
  var face: BoardFace { BoardFace(address: addressNow, name: nameNow, services: [.simpleManagement] + advertisedDiagnostics) }
  private var advertisedDiagnostics: [BluetoothUUID] { hasDiagnostics && settings.mds?.isAdvertised == true ? [DiagnosticAttributes.service] : [] }

  var services: [BoardAttributes.Service] {
    let information = flash.isInLoader && !settings.loader.information ? [] : [BoardAttributes.information { read($0) != nil }]
    return information + BoardAttributes.smp + (hasDiagnostics ? [DiagnosticAttributes.attributes] : [])
  }

  var bootCount: Int { boots.count }
  var bytesReceived: Int { suit?.record.bytesReceived ?? images.bytesReceived }

  mutating func powerOn() -> [BoardAction] {
    start()
    return []
  }

  mutating func linked() -> (mtu: Int, actions: [BoardAction])? { connect().map { ($0, []) } }

  mutating func linkEnded() -> [BoardAction] {
    disconnected()
    return []
  }

  var chunksSent: Int { diagnostics?.record.sent ?? 0 }

  mutating func paired() -> Bool {
    guard isConnected, hasDiagnostics, diagnostics?.letsPair == true else { return false }
    encrypted()
    return true
  }

  mutating func encrypted() { diagnostics?.encrypted() }

  func refusal(ofReading characteristic: BluetoothUUID) -> UInt8? {
    diagnostics?.read(characteristic) == nil ? nil : diagnostics?.refusal(ofWrite: false)
  }

  mutating func subscribe(_ on: Bool, to characteristic: BluetoothUUID) -> UInt8? {
    if characteristic == DiagnosticAttributes.dataExport { return subscribeDiagnostics(on) }
    subscribe(on)
    return nil
  }

  /// The SMP characteristic has no write with a response, and data export no other; the host lets none through.
  mutating func receive(_ value: [UInt8], at characteristic: BluetoothUUID, wantsResponse: Bool) -> [BoardAction] {
    characteristic == DiagnosticAttributes.dataExport ? writeDiagnostics(value) : write(value)
  }

  mutating func delivered(from characteristic: BluetoothUUID, kept: Bool) -> [BoardAction] {
    if characteristic == DiagnosticAttributes.dataExport { return diagnosticsDelivered(kept: kept) }
    sent()
    return []
  }
}
