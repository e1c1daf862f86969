public import Firmware

extension NordicTarget {
  /// What a profile says of its boards before one of them has been asked.
  public init(_ profile: BoardProfile) {
    self.init()
    let (identity, rescue) = (profile.identity, profile.rescue)
    if profile.family == .metawear, let model = identity.modelNumber, let revision = identity.hardwareRevision {
      self = NordicTarget(metaWearModel: model, hardwareRevision: revision) ?? self
    }
    switch rescue.protocol {
    case .auto: break
    case .legacy: dfuProtocol = .legacy
    case .secure: dfuProtocol = .secure
    }
    hardwareVersion = rescue.hwVersion
    applicationVersion = rescue.fwVersion
    checksSignatures = rescue.signed
  }
}
