public import Bluetooth
import Flashing

/// Which of its two programs a board runs.
public enum BoardMode: String, Hashable, Sendable, CaseIterable {
  case application, bootloader
}

/// What an advertisement says of a board, seen by one profile.
public enum AdvertisedFace: Hashable, Sendable {
  case shows(BoardMode)
  /// Services of both modes at once: no board sends that, but a stack that merges what it heard does (facts/metaboot.md §10.1).
  case contradictory
  /// Not a board of this profile.
  case nothing
}

extension BoardProfile {
  /// Whose board it is, and in which mode. The advertised services outrank company data, and both outrank the name: "MetaBoot" is a name that a user may
  /// give to a board (facts/metaboot.md §1.1).
  public func face(of advertisement: Advertisement) -> AdvertisedFace {
    let showsBootloader = !advertisement.services.isDisjoint(with: bootloaderServices)
    let showsApplication = !advertisement.services.isDisjoint(with: applicationServices)
    switch (showsApplication, showsBootloader) {
    case (true, true): return isMine(advertisement) ? .contradictory : .nothing
    case (false, true):
      if isButtonlessApplication(advertisement) { return .shows(.application) }
      return admitsBootloader(advertisement) ? .shows(.bootloader) : .nothing
    case (true, false): return match.admits(advertisement) ? .shows(.application) : .nothing
    case (false, false): break
    }
    // A bootloader advertises its service always, its application not in every packet: without any service the name is all there is to go by.
    if isBootloaderName(advertisement), advertisement.services.isEmpty, advertisement.manufacturerData.isEmpty {
      return admitsBootloader(advertisement) ? .shows(.bootloader) : .nothing
    }
    return match.admits(advertisement) ? .shows(.application) : .nothing
  }

  /// `[rescue] service`, else the family's (facts/nordic-dfu.md §2.1, §3.1). For a family that has no bootloader on the air: what is never its application.
  private var bootloaderServices: Set<BluetoothUUID> {
    if let service = rescue.service { return [service] }
    return switch (family, rescue.protocol) {
    case (.metawear, _): [.legacyDFU]
    case (.nordicDFU, .legacy): [.legacyDFU]
    case (.nordicDFU, .secure): [.secureDFU]
    case (.nordicDFU, .auto), (.mcuboot, _): BluetoothUUID.bootloaderServices
    }
  }

  /// What only an application of this family advertises.
  private var applicationServices: Set<BluetoothUUID> {
    var services: Set<BluetoothUUID> = family == .metawear ? [.metaWear] : [.simpleManagement]
    if let service = match.service, !bootloaderServices.contains(service) { services.insert(service) }
    return services
  }

  /// The bootloader's name where it is known: MetaBoot's, or the profile's.
  private var bootloaderName: String? { rescue.name ?? (family == .metawear ? "MetaBoot" : nil) }

  private func isBootloaderName(_ advertisement: Advertisement) -> Bool {
    bootloaderName.map { advertisement.name == $0 } ?? false
  }

  /// An application of Nordic's SDK has its buttonless service under the bootloader's own number and may advertise it (facts/nordic-dfu.md §3.2). There only
  /// names tell the two apart: the profile knows both, and the application's was heard.
  private func isButtonlessApplication(_ advertisement: Advertisement) -> Bool {
    guard family == .nordicDFU, let name = rescue.name, let heard = advertisement.name, heard != name else { return false }
    return (match.name != nil || match.namePrefix != nil) && match.admits(advertisement)
  }

  /// Boards of family mcuboot have no bootloader that this program can flash.
  private func admitsBootloader(_ advertisement: Advertisement) -> Bool {
    guard family != .mcuboot else { return false }
    if let name = rescue.name, let heard = advertisement.name, heard != name { return false }
    return match.addresses.isEmpty || match.addresses.contains { $0 == advertisement.address || $0.bootloaderNeighbour == advertisement.address }
  }

  private func isMine(_ advertisement: Advertisement) -> Bool {
    match.admits(advertisement) || admitsBootloader(advertisement)
  }
}
