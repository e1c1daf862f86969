import Bluetooth
import Firmware

/// What really is in the boards of a line, for `truth.json`: read by tests and by whoever does not trust the records.
public struct LineTruth: Hashable, Sendable, Codable {
  public struct Board: Hashable, Sendable, Codable {
    public var number: Int
    public var address: String
    public var name: String
    public var serial: String
    public var model: String
    public var hardware: String
    /// The running image; nil when nothing bootable is in flash.
    public var version: String?
    /// Its hash TLV, lower-case hexadecimal.
    public var hash: String?
    /// False while the next reset would bring the old image back.
    public var confirmed: Bool
    public var advertises: Bool
    public var connected: Bool
    public var slots: [Slot]
    public var connections: Int
    public var uploads: Int
    /// Image bytes stored, in the board's whole life.
    public var bytesReceived: Int
    /// Requests that found no buffer.
    public var droppedPackets: Int
    /// What MCUboot did at each reset.
    public var boots: [BootStep]
    /// How often each fault has fired.
    public var faultsFired: [String: Int]
    public var kind = BoardKind.smp
    /// application, bootloader, loader (a firmware loader), booting, gone.
    public var mode = "application"
    /// The bootloader's version; only of boards with one of Nordic's bootloaders, as everything in `dfu`. For them `version` is the application in
    /// flash, whether it can start or not, and `confirmed` says that it runs.
    public var bootloader: String?
    public var dfu: DFU?
    /// Of SUIT boards; `version` is then the sequence number and `hash` the digest of the installed root manifest.
    public var suit: SUIT?
    /// All images of an SMP board, image 0 first, which is what `version`, `hash`, `confirmed`, `slots` and `boots` tell of. `truth.json` has them only
    /// for boards with several.
    public var images: [Image]?
    /// MCUboot's mode (smp.md §3.1).
    public var bootMode: Int?
    public var storage: Storage?
    /// Where it is heard, and as what, while its firmware loader runs.
    public var loader: Loader?
    /// Of boards with the Memfault Diagnostic Service.
    public var mds: Diagnostics?
  }

  /// One image number of an SMP board.
  public struct Image: Hashable, Sendable, Codable {
    public var image: Int
    /// The slot that runs.
    public var active: Int
    public var version: String?
    public var hash: String?
    /// False while the next reset would bring the old image back.
    public var confirmed: Bool
    /// The image list names the running image and its hash.
    public var readable: Bool
    public var slots: [Slot]
    /// What MCUboot did with it at each reset.
    public var boots: [BootStep]

    public init(
      image: Int, active: Int, version: String?, hash: String?, confirmed: Bool, readable: Bool, slots: [Slot], boots: [BootStep]
    ) {
      self.image = image
      self.active = active
      self.version = version
      self.hash = hash
      self.confirmed = confirmed
      self.readable = readable
      self.slots = slots
      self.boots = boots
    }
  }

  public struct Storage: Hashable, Sendable, Codable {
    /// How often the whole of it was erased.
    public var erased: Int
    /// What is saved, as hexadecimal by name.
    public var values: [String: String]
  }

  public struct Loader: Hashable, Sendable, Codable {
    public var address: String
    public var name: String

    public init(address: String, name: String) {
      self.address = address
      self.name = name
    }
  }

  /// What only boards with one of Nordic's bootloaders have.
  public struct DFU: Hashable, Sendable, Codable {
    /// By the mode that the board is in.
    public var addressNow: String
    public var softDevice: Int
    /// The application in flash could start over this bootloader.
    public var runnable: Bool
    /// Control and data writes to the bootloader, in the board's whole life.
    public var writes: Int
    /// How often the application was asked for its bootloader, and went.
    public var jumps: Int
    public var resets: Int
    public var receipts: Int
    /// Answers that were no success, in hexadecimal, the first 64.
    public var errors: [String]
    public var updates: [Update]
  }

  /// An image that was validated and put to use.
  public struct Update: Hashable, Sendable, Codable {
    /// As in a manifest: application, bootloader, softdevice, softdevice_bootloader.
    public var part: String
    public var bytes: Int
    public var version: String?
    public var sha256: String
  }

  /// What only SUIT boards have.
  public struct SUIT: Hashable, Sendable, Codable {
    public var sequence: Int
    /// Lower-case hexadecimal, as all digests here.
    public var digest: String
    /// Sequence numbers, in the order in which they were installed.
    public var installs: [Int]
    /// Why envelopes were not installed.
    public var failures: [String]
    /// Bytes of the resources that it got, by URI.
    public var resources: [String: Int]
    /// SHA-256 of the caches that it got, by partition.
    public var caches: [String: String]
    public var cleanUps: Int
  }

  public struct Slot: Hashable, Sendable, Codable {
    public var slot: Int
    public var bytes: Int
    public var version: String?
    public var hash: String?
    /// The hash TLV fits the bytes.
    public var valid: Bool
    public var pending: Bool
    public var confirmed: Bool
    public var active: Bool
    public var permanent: Bool
  }

  /// What the client did that a real adapter would punish now and then.
  public struct Conduct: Hashable, Sendable, Codable {
    public var overlappingConnects = 0
    public var connectsWhileDiscovering = 0
    public var oversizedWrites = 0
    public var lineFaults: [String] = []
    /// Notifications that a client's socket had no room for, when there were any.
    public var lostNotifications: Int?
  }

  public var conduct: Conduct
  public var boards: [Board]
}

extension VirtualBoard {
  public func truth(number: Int) -> LineTruth.Board {
    let images = flash.images.map(Self.truth)
    var truth = LineTruth.Board(
      number: number, address: identity.address.description, name: identity.name, serial: identity.serial, model: identity.model,
      hardware: identity.hardware, version: flash.running?.version.smpText, hash: flash.running.map { Self.hex($0.hash) },
      confirmed: images[0].confirmed, advertises: advertises, connected: isConnected, slots: images[0].slots,
      connections: connections, uploads: self.images.uploads, bytesReceived: self.images.bytesReceived, droppedPackets: droppedPackets, boots: boots,
      faultsFired: faults.fired, mode: mode, images: images, bootMode: settings.bootMode.rawValue,
      storage: LineTruth.Storage(erased: store.erasures, values: store.saved.mapValues(Self.hex)),
      loader: flash.isInLoader ? LineTruth.Loader(address: addressNow.description, name: nameNow) : nil)
    truth.mds = diagnostics?.truth
    return suit.map { suitTruth($0.record, truth) } ?? truth
  }

  private func suitTruth(_ suit: SUITRecord, _ truth: LineTruth.Board) -> LineTruth.Board {
    var truth = truth
    truth.kind = .suit
    truth.version = String(suit.sequence)
    truth.hash = Self.hex(suit.digest)
    truth.confirmed = true
    truth.slots = []
    // Of MCUboot's boards.
    (truth.images, truth.bootMode, truth.loader) = (nil, nil, nil)
    truth.uploads = suit.uploads
    truth.bytesReceived = suit.bytesReceived
    truth.suit = LineTruth.SUIT(
      sequence: suit.sequence, digest: Self.hex(suit.digest), installs: suit.installs, failures: suit.failures, resources: suit.resources,
      caches: Dictionary(uniqueKeysWithValues: suit.caches.map { (String($0.key), Self.hex($0.value)) }), cleanUps: suit.cleanUps)
    return truth
  }

  private static func truth(_ image: ImageSlots) -> LineTruth.Image {
    let slots = image.slots.enumerated().map { index, slot in
      let flags = image.flags(of: index)
      return LineTruth.Slot(
        slot: index, bytes: slot.count, version: slot.image?.version.smpText, hash: slot.image.map { hex($0.hash) },
        valid: slot.image?.valid ?? false, pending: flags.pending, confirmed: flags.confirmed, active: flags.active, permanent: flags.permanent)
    }
    return LineTruth.Image(
      image: image.number, active: image.active, version: image.running?.version.smpText, hash: image.running.map { hex($0.hash) },
      confirmed: !image.isUnconfirmed && image.running != nil, readable: image.listing == .full, slots: slots, boots: image.boots)
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension LineHost {
  /// What really is in the boards now.
  func truth() -> LineTruth {
    LineTruth(
      conduct: conduct,
      boards: boards.enumerated().map { number, board in
        var truth = board.truth(number: number)
        // Thousands of boards are written every second; of one image everything stands there already.
        if truth.images?.count == 1 { truth.images = nil }
        return truth
      })
  }

  /// The same when something has changed since the last call.
  func changedTruth() -> LineTruth? {
    guard isChanged else { return nil }
    isChanged = false
    return truth()
  }
}
