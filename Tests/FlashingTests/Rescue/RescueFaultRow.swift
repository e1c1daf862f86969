import Bluetooth
import Firmware
import NordicDFU
import Testing

@testable import Flashing
@testable import VirtualLine

/// One thing that goes wrong with a board on the way out of its bootloader, and what must become of it.
struct RescueFaultRow: Sendable, CustomStringConvertible {
  /// What a shelf holds for boards of a kind.
  enum Firmware: Sendable {
    /// MetaWear: a chain of bootloaders; the others one application of 2000 bytes, Legacy or Secure.
    case usual
    /// Secure, three objects.
    case threeObjects
    /// Secure, with a number that the board takes for too old.
    case older
  }

  var what: String
  var faults: [BoardFault]
  var outcome: Outcome
  var code: FailureCode?
  /// Attempts of a job that allows three.
  var attempts = 1
  /// Recoveries inside the first attempt.
  var retries = 0
  var leftAs = LeftAs.application
  var kind = BoardKind.metawear
  var firmware = Firmware.usual
  /// The board runs an application at first.
  var enters = false
  /// What an interrupted upload went on from, in bytes; nil: from the first byte.
  var resumed: ClosedRange<Int>?
  var others: [DFUBoard] = []
  var change: @Sendable (inout DFUSettings) -> Void = { _ in }
  var prepare: @Sendable (RescueBench) -> Void = { _ in }

  var description: String { what }

  init(
    _ what: String, _ faults: [BoardFault], _ outcome: Outcome, _ code: FailureCode? = nil, attempts: Int = 1, retries: Int = 0,
    leftAs: LeftAs = .application, kind: BoardKind = .metawear, firmware: Firmware = .usual, enters: Bool = false, resumed: ClosedRange<Int>? = nil,
    others: [DFUBoard] = [], change: @escaping @Sendable (inout DFUSettings) -> Void = { _ in },
    prepare: @escaping @Sendable (RescueBench) -> Void = { _ in }
  ) {
    self.what = what
    self.faults = faults
    self.outcome = outcome
    self.code = code
    self.attempts = attempts
    self.retries = retries
    self.leftAs = leftAs
    self.kind = kind
    self.firmware = firmware
    self.enters = enters
    self.resumed = resumed
    self.others = others
    self.change = change
    self.prepare = prepare
  }

  private func shelf() throws -> any FirmwareShelf {
    switch (kind, firmware) {
    case (.metawear, _): return try TestShelf()
    case (.secure, .usual): return try SecureFirmware.shelf(2000)
    case (.secure, .threeObjects): return try SecureFirmware.shelf()
    case (.secure, .older): return try SecureFirmware.shelf(2000, fwVersion: 0)
    case (.legacy, _), (.smp, _):
      let image = try RescueFirmware.image(2000, ImageMetadata(version: "2.0.0"))
      return PackageShelf(
        try NordicPackage(fileName: "legacy.zip", bytes: RescueFirmware.package(.application, image)), version: TestShelf.version("2.0.0"))
    }
  }

  /// Runs the job of the row and holds every record against it.
  func check() async throws {
    let bench = try RescueBench(faults, kind: kind, shelf: shelf(), others: others, enters: enters) { settings in
      if enters { (settings.start, settings.application) = (.application, "1.0.0") }
      change(&settings)
    }
    bench.limits.swap = .seconds(90)
    prepare(bench)
    let records = try await bench.attempts()
    let last = try #require(records.last)
    for fault in faults { #expect(bench.board.board.faults.fired[fault.do.rawValue] != nil, "\(fault.do) never happened") }
    #expect(last.outcome == outcome, "\(last.failureMessage ?? "")")
    #expect(last.failureCode == code, "\(last.failureMessage ?? "")")
    #expect(code.map { FailureRule.of($0).outcome == outcome } ?? outcome.isGoodEnd)
    #expect(records.count == attempts)
    #expect(records.first?.retries == retries)
    #expect(last.leftAs == leftAs)
    #expect(last.resumedFrom.map { resumed?.contains($0) == true } ?? (resumed == nil), "resumed from \(last.resumedFrom ?? -1)")
    // A pass is what was read back: the board itself runs what was wanted.
    #expect(last.good == bench.board.board.isUpdated, "the record and the board differ")
    for record in records where record.outcome == .passed {
      #expect(record.verifiedBy == .version)
      #expect(record.firmwareAfter == bench.board.board.application?.version)
    }
    #expect(!bench.board.isConnected, "a link is left open")
    for other in bench.central.boards.dropFirst() { #expect(other.board.writes == 0, "another board was written to") }
  }
}

extension Outcome {
  fileprivate var isGoodEnd: Bool { self == .passed || self == .skipped }
}

extension BoardFault {
  /// `milliseconds` of a delay.
  static func slow(_ action: Action, _ milliseconds: Int, count: Int? = nil, times: Int? = nil) -> BoardFault {
    BoardFault(action, count: count, times: times).with { $0.milliseconds = milliseconds }
  }

  static func coded(_ action: Action, _ code: Int, command: UInt8? = nil, times: Int? = nil) -> BoardFault {
    BoardFault(action, times: times, command: command).with { $0.code = code }
  }
}
