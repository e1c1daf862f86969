/// An adapter as the operating system sees it: where it is plugged in and what it says of itself.
public struct AdapterHardware: Hashable, Sendable {
  /// The number in `hciN`: a hint that changes when the adapter is plugged in again, never an identity.
  public var hciIndex: Int
  /// The kernel's name of the USB device (`1-2.3`): the identity of an adapter. Nil for an adapter that is not on USB.
  public var usbPath: String?
  public var vendorID: UInt16?
  public var productID: UInt16?
  public var serial: String?
  public var product: String?

  public init(hciIndex: Int, usbPath: String?, vendorID: UInt16? = nil, productID: UInt16? = nil, serial: String? = nil, product: String? = nil) {
    self.hciIndex = hciIndex
    self.usbPath = usbPath
    self.vendorID = vendorID
    self.productID = productID
    self.serial = serial
    self.product = product
  }
}

/// Port: who knows which Bluetooth adapters are plugged in (udev, or a test).
public protocol AdapterSource: Sendable {
  /// Every host adapter now, and the whole list again after each change; the newest list wins when the reader is slow.
  func adapters() -> AsyncStream<[AdapterHardware]>

  /// Takes the USB device at this path from its driver and gives it back (`AdapterRemedy.reauthorise`); it then goes and comes like one that is plugged in
  /// again. Throws where that is not permitted or there is no such device.
  func reauthorise(usbPath: String) async throws(AdapterSourceError)
}
