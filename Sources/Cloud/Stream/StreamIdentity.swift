import Bluetooth

/// What a board says of itself before it hands anything out.
///
/// The authorization holds a project key: no text of this value shows it.
public struct StreamIdentity: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// 54220002: under which name the cloud keeps the board's data.
  public var deviceID: String
  /// 54220003: where its chunks belong; bytes from outside, unchecked.
  public var uri: [UInt8]
  /// 54220004: header name and key, unchecked.
  public var authorization: [UInt8]

  /// The largest value of any attribute (Bluetooth Core 5.4, Vol 3, Part F, 3.2.9).
  static let longestValue = 512
  /// Bytes of a device id; the nRF Connect SDK's own limit is far below.
  static let longestDeviceID = 128

  public init(deviceID: String, uri: [UInt8], authorization: [UInt8]) {
    self.deviceID = deviceID
    self.uri = uri
    self.authorization = authorization
  }

  /// Checks the four values of the service as they were read.
  ///
  /// - Parameter features: the service may be used only when they are 0 (facts/device-manager.md §7.3).
  public init(features: [UInt8], deviceID: [UInt8], uri: [UInt8], authorization: [UInt8]) throws(DiagnosticFailure) {
    guard !features.isEmpty, features.count <= Self.longestValue else { throw .malformed(.features) }
    guard features.allSatisfy({ $0 == 0 }) else { throw .unknownFeatures(Array(features.prefix(8))) }
    guard (1...Self.longestDeviceID).contains(deviceID.count), let text = String(validating: deviceID, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw .malformed(.deviceID) }
    guard (1...Self.longestValue).contains(uri.count) else { throw .malformed(.dataURI) }
    guard (1...Self.longestValue).contains(authorization.count) else { throw .malformed(.authorization) }
    self.init(deviceID: text, uri: uri, authorization: authorization)
  }

  public var description: String { "(a stream identity)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The values that are read from the service, by their names in messages.
public enum DiagnosticValue: String, Hashable, Sendable, CaseIterable {
  case features = "supported features"
  case deviceID = "device id"
  case dataURI = "data URI"
  case authorization

  var characteristic: BluetoothUUID {
    switch self {
    case .features: .diagnosticFeatures
    case .deviceID: .diagnosticDeviceID
    case .dataURI: .diagnosticDataURI
    case .authorization: .diagnosticAuthorization
    }
  }
}
