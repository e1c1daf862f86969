import Bluetooth
import NordicDFU

extension DFUBoard: HostedBoard {
  var face: BoardFace {
    switch (mode, kind) {
    case (.bootloader, .secure): BoardFace(address: address, name: bootloaderName, services: [.secureDFU])
    case (.bootloader, _): BoardFace(address: address, name: bootloaderName, services: [.legacyDFU])
    case (_, .metawear): BoardFace(address: address, name: identity.name, services: [.metaWear])
    case (_, .secure): BoardFace(address: address, name: identity.name, services: [.secureDFU])
    default: BoardFace(address: address, name: identity.name, services: [.legacyDFU])
    }
  }

  private var bootloaderName: String { givenName ?? dfu.bootloaderName ?? "DfuTarg" }

  var addresses: [BluetoothAddress] { [identity.address, identity.address.plusOne, identity.address.plusOne.plusOne] }

  /// nordic-dfu.md §5.4.
  var address: BluetoothAddress {
    let own = isShifted ? identity.address.plusOne : identity.address
    guard mode == .bootloader else { return own }
    return switch dfu.address {
    case .plusOne: own.plusOne
    case .plusOneUnlessAsked: wasAsked ? own : own.plusOne
    case .same, nil: own
    }
  }

  var services: [BoardAttributes.Service] {
    let bootloaderInformation = dfu.information == true ? [BoardAttributes.information] : []
    switch (mode, kind) {
    case (.bootloader, .secure):
      return bootloaderInformation + [
        BoardAttributes.main(.secureDFU, [(.secureDFUControlPoint, ["write", "notify"]), (.secureDFUPacket, ["write-without-response"])])
      ]
    case (.bootloader, _): return bootloaderInformation + [Self.legacy(version: dfu.versionBytes != nil)]
    case (_, .metawear):
      let commands = BoardAttributes.main(
        .metaWear, [(.metaWearCommand, ["write-without-response", "write"]), (.metaWearNotification, ["notify"])])
      return [BoardAttributes.information, commands]
    case (_, .secure):
      return [
        BoardAttributes.information, BoardAttributes.main(.secureDFU, [(dfu.sharesBond ? .buttonlessDFUBonded : .buttonlessDFU, ["write", "indicate"])]),
      ]
    default: return [BoardAttributes.information, Self.legacy(version: true)]
    }
  }

  /// The characteristic that notifies or indicates in the mode that the board is in.
  var notifier: BluetoothUUID {
    services.lazy.flatMap(\.characteristics).first(where: \.notifies)?.uuid ?? .legacyDFUControlPoint
  }

  private static func legacy(version: Bool) -> BoardAttributes.Service {
    BoardAttributes.main(
      .legacyDFU,
      [(.legacyDFUControlPoint, ["write", "notify"]), (.legacyDFUPacket, ["write-without-response"])] + (version ? [(.legacyDFUVersion, ["read"])] : []))
  }

  var advertises: Bool { (mode == .application || mode == .bootloader) && link == nil }
  var isUpdated: Bool { mode == .application && updates.contains { $0.part == DFUPart.application.word } }

  var bytesReceived: Int {
    switch target {
    case .legacy(let machine): machine.bytesReceived
    case .secure(let machine): machine.bytesReceived
    }
  }

  func read(_ characteristic: BluetoothUUID) -> [UInt8]? {
    let isBootloader = mode == .bootloader
    let text: String? =
      switch characteristic {
      case .modelNumber: identity.model
      case .serialNumber: identity.serial
      // In the bootloader this is the bootloader's own version (metaboot.md §1.2).
      case .firmwareRevision: isBootloader ? bootloader : application?.version
      case .hardwareRevision: identity.hardware
      case .manufacturerName: identity.manufacturer
      default: nil
      }
    if let text { return Array(text.utf8) }
    guard characteristic == .legacyDFUVersion else { return nil }
    return isBootloader ? dfu.versionBytes : DFUVersion.buttonlessApplication.bytes
  }

  // MARK: Power and link

  mutating func powerOn() -> [BoardAction] {
    guard mode == .off else { return [] }
    return arrive(dfu.start == .application ? .application : .bootloader)
  }

  mutating func approached() {
    if advertises, !faults.at(.approach).isEmpty { mode = .gone }
  }

  mutating func linked() -> (mtu: Int, actions: [BoardAction])? {
    guard advertises else { return nil }
    var mtu = dfu.mtu ?? 23
    for fault in faults.at(.connect) {
      if fault.do == .refuseConnect { return nil }
      mtu = fault.mtu ?? 23
    }
    linkCount += 1
    connections += 1
    link = Link(mtu: max(23, mtu))
    let changes = faults.at(.linked).map { wake($0.duration, .serviceChanged) }
    return (max(23, mtu), startTicking() + changes)
  }

  mutating func linkEnded() -> [BoardAction] {
    guard link != nil else { return [] }
    link = nil
    linkCount += 1
    return watchReturn()
  }

  mutating func subscribe(_ on: Bool) { link?.notifying = on }

  /// One characteristic at a time notifies or indicates.
  mutating func subscribe(_ on: Bool, to characteristic: BluetoothUUID) -> UInt8? {
    subscribe(on)
    return nil
  }

  mutating func delivered(from characteristic: BluetoothUUID, kept: Bool) -> [BoardAction] { delivered() }

  mutating func delivered() -> [BoardAction] {
    guard link?.jumpsWhenConfirmed == true else { return [] }
    link?.jumpsWhenConfirmed = false
    return [wake(.milliseconds(settings.resetMilliseconds), .jump)]
  }

  mutating func alarm(_ alarm: BoardAlarm) -> [BoardAction] { alarm.epoch == epoch(of: alarm.kind) ? rang(alarm.kind) : [] }

  /// MetaWear images are not MCUboot's.
  mutating func share(_ image: StoredImage) {}

  // MARK: Writes

  mutating func receive(_ value: [UInt8], at characteristic: BluetoothUUID, wantsResponse: Bool) -> [BoardAction] {
    guard let link, !link.silent, value.count <= link.mtu - 3 else { return [] }
    guard mode == .bootloader else { return ask(value, characteristic, link, wantsResponse ? [.respond(nil)] : []) }
    noteWrite()
    let isControl = characteristic == .legacyDFUControlPoint || characteristic == .secureDFUControlPoint
    if isControl {
      // Write commands to a control point do nothing (nordic-dfu.md §2.1).
      guard wantsResponse else { return [] }
      guard link.notifying else { return [.respond(LegacyTarget.unsubscribed)] }
    }
    switch target {
    case .legacy(var machine):
      // The machine leaves the enum while it works, so that its image is not copied at each packet.
      target = .legacy(LegacyTarget(dfu, deviceType: 0, deviceRevision: 0))
      let actions = isControl ? machine.control(value, &faults) : machine.packet(value, &faults)
      target = .legacy(machine)
      return act(actions)
    case .secure(var machine):
      target = .secure(SecureTarget(dfu))
      let actions = isControl ? machine.control(value, &faults) : machine.packet(value, &faults)
      target = .secure(machine)
      return act(actions)
    }
  }

  /// What the application is asked; `response` goes ahead of what it does about it (metaboot.md §1.4, §2; nordic-dfu.md §2.8, §3.2).
  private mutating func ask(_ value: [UInt8], _ characteristic: BluetoothUUID, _ link: Link, _ response: [BoardAction]) -> [BoardAction] {
    switch characteristic {
    case .metaWearCommand: return response + command(value)
    case .legacyDFUControlPoint:
      guard link.notifying else { return [.respond(LegacyTarget.unsubscribed)] }
      return response + (value == [LegacyOpCode.start.rawValue, DFUPart.application.rawValue] ? jump() : [])
    case .buttonlessDFU, .buttonlessDFUBonded:
      guard link.notifying else { return [.respond(LegacyTarget.unsubscribed)] }
      return response + buttonless(value)
    default: return []
    }
  }

  private mutating func jump() -> [BoardAction] {
    faults.at(.jump).isEmpty ? [wake(.milliseconds(settings.resetMilliseconds), .jump)] : []
  }

  private mutating func command(_ value: [UInt8]) -> [BoardAction] {
    switch value.prefix(2) {
    // The board drops the link itself and restarts.
    case [0xFE, 0x02]: return jump()
    case [0xFE, 0x01], [0xFE, 0x05]: return restart(.application, .lost)
    case [0xFE, 0x06]: return dropLink(.closed)
    case [0x11, 0x8B]: return link?.notifying == true ? [.notify([0x11, 0x8B, 0x01] + identity.address.octets.reversed(), from: notifier)] : []
    default: return []
    }
  }

  private mutating func buttonless(_ value: [UInt8]) -> [BoardAction] {
    guard let operation = value.first else { return [] }
    var status = ButtonlessStatus.success
    switch ButtonlessOpCode(rawValue: operation) {
    case .enterBootloader:
      // The reset comes only after the indication was confirmed.
      link?.jumpsWhenConfirmed = faults.at(.jump).isEmpty
    case .setName where dfu.sharesBond: status = .notSupported
    case .setName:
      let name = value.dropFirst(2)
      if value.count >= 3, name.count <= 20, Int(value[1]) == name.count {
        givenName = String(decoding: name, as: UTF8.self)
      } else {
        status = .invalidName
      }
    default: status = .notSupported
    }
    return [.notify([ButtonlessOpCode.response.rawValue, operation, status.rawValue], from: notifier)]
  }

  // MARK: Truth

  func truth(number: Int) -> LineTruth.Board {
    var errors: [String] = []
    var receipts = 0
    switch target {
    case .legacy(let machine): (errors, receipts) = (machine.errors, machine.receipts)
    case .secure(let machine): errors = machine.errors
    }
    return LineTruth.Board(
      number: number, address: identity.address.description, name: face.name, serial: identity.serial, model: identity.model, hardware: identity.hardware,
      version: application?.version, hash: nil, confirmed: mode == .application, advertises: advertises, connected: link != nil, slots: [],
      connections: connections, uploads: updates.count, bytesReceived: bytesReceived, droppedPackets: 0, boots: [], faultsFired: faults.fired, kind: kind,
      mode: mode.rawValue, bootloader: bootloader,
      dfu: LineTruth.DFU(
        addressNow: address.description, softDevice: Int(softDevice), runnable: isApplicationValid, writes: writes, jumps: jumps, resets: bootCount,
        receipts: receipts, errors: errors, updates: updates))
  }

  private var softDevice: UInt16 {
    switch target {
    case .legacy(let machine): machine.softDevice
    case .secure(let machine): machine.softDevice
    }
  }
}

extension BluetoothAddress {
  /// Nordic's rule: the last octet as printed, without carry (nordic-dfu.md §5.4).
  var plusOne: BluetoothAddress { BluetoothAddress(bits: bits & ~0xFF | (bits + 1) & 0xFF) }
}
