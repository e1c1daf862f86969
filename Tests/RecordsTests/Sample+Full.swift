import Bluetooth
import Flashing

extension Sample {
  /// An attempt in which every column holds something, with text that reports must treat with care.
  static func full(_ batch: Int64) -> AttemptRecord {
    var attempt = attempt(batch, board: 1, count: 3)
    attempt.workOrder = "-7"
    attempt.lot = "007"
    attempt.operator = "Ada \"Countess\" L."
    attempt.unitID = "U,1"
    attempt.upgradeMode = .testAndConfirm
    attempt.dfuMAC = board(2)
    attempt.serialNumber = "=1+1"
    attempt.modelNumber = "'quoted"
    attempt.hardwareRevision = "1;2"
    attempt.firmwareBefore = "1.10"
    attempt.firmwareAfter = "1.20.0"
    attempt.bootloaderBefore = "@2"
    attempt.bootloaderAfter = "+2"
    attempt.package = "größe.zip"
    attempt.packageSHA256 = "00ff"
    attempt.imageHash = "0:aa 1:bb"
    attempt.imageHashBefore = "12e4"
    attempt.imageHashAfter = "aa"
    attempt.imageState = .pending
    attempt.verifiedBy = .imageHash
    attempt.settingsErased = .refused
    attempt.leftAs = .unconfirmed
    attempt.adapterLabel = "left, front"
    attempt.adapterPath = "1-2.3"
    attempt.adapterMAC = BluetoothAddress(bits: 0x00FF_0000_0001)
    attempt.failureCode = .linkLost
    attempt.failurePhase = .upload
    attempt.failureMessage = "lost at 1024\r\nof 2048"
    attempt.retries = 2
    attempt.uploadBytes = 1024
    attempt.uploadSeconds = 0.5
    attempt.uploadSpeed = 2.048
    attempt.resumedFrom = 512
    attempt.rssi = -61
    return attempt
  }
}
