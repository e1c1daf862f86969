extension LineHost {
  /// Shows the adapters to libudev, now and as they come and go. Returns the folder for `UMOCKDEV_DIR`, which lies in `folder`.
  func openTestbed(in folder: String) throws(LineError) -> String {
    let testbed = try UdevTestbed(in: folder)
    for adapter in adapters {
      if let hci = adapter.hci { testbed.plug(adapter.number, usbPath: adapter.usbPath, hci: hci) }
    }
    self.testbed = testbed
    return testbed.folder
  }

  func closeTestbed() { testbed = nil }
}
