/// Packets of an object on their way.
struct SecureRun: Hashable, Sendable {
  var object: SecureObject
  /// The offset behind the last packet handed over.
  var sent: Int
  /// The board's offset, so far as it is known.
  var counted: Int
  var isReceiptHere = false
}

/// How an image is cut into objects.
struct SecureCut: Hashable, Sendable {
  let length: Int
  /// Bytes of all objects but the last.
  private(set) var size = SecureSettings.objectSizes.lowerBound

  init(length: Int) {
    self.length = length
  }

  /// Takes the largest object that the board allows; false when that is of no use.
  mutating func use(_ largest: Int) -> Bool {
    size = min(max(largest, SecureSettings.objectSizes.lowerBound), SecureSettings.objectSizes.upperBound)
    return largest >= SecureSettings.objectSizes.lowerBound
  }

  /// The object in which the byte at this offset lies.
  func object(at offset: Int) -> SecureObject {
    let start = offset / size * size
    return SecureObject(type: .data, start: start, end: min(start + size, length))
  }

  /// The object that a board which has so many bytes (at least one) received last, whole or in part.
  func object(before offset: Int) -> SecureObject {
    object(at: max(0, offset - 1))
  }
}

/// How often a transfer may begin something again (`SecureSettings`).
struct SecurePatience: Hashable, Sendable {
  private var tries = 0
  private var repeats = 0
  private var freshStarts = 0

  /// One loss is bad luck; after a second one each packet is counted to the end.
  var isStrained: Bool { repeats > 1 }
  var allowsFreshStart: Bool { freshStarts < SecureSettings.freshLimit }

  /// Counts an object that arrived wrong; false when that was once too often.
  mutating func repeatObject() -> Bool {
    tries += 1
    repeats += 1
    return tries < SecureSettings.objectTries && repeats <= SecureSettings.repeatLimit
  }

  mutating func objectIsDone() {
    tries = 0
  }

  /// Counts a new init packet; false when that was once too often.
  mutating func startFresh() -> Bool {
    guard allowsFreshStart else { return false }
    freshStarts += 1
    tries = 0
    return true
  }
}
