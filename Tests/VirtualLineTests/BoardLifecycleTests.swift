import Firmware
import Testing

@testable import VirtualLine

/// Slots through tests, confirmations and resets. Source: smp.md §4.4 (each line of it), §3.2 "State write", §5.
struct BoardLifecycleTests {
  private static let next = VirtualFirmware.make(version: ImageVersion(major: 2, minor: 0, revision: 0), size: 300)
  private static var nextHash: [UInt8] { StoredImage(next)?.hash ?? [] }
  private static var firstHash: [UInt8] {
    VirtualFirmware.image(version: ImageVersion(major: 1, minor: 0, revision: 0), size: 256)?.hash ?? []
  }

  private func bench(_ mode: BootMode = .swapMove, faults: [BoardFault] = [], upload: Bool = true) -> BoardBench {
    var settings = BoardSettings()
    settings.bootMode = mode
    var bench = BoardBench(settings, faults: faults)
    _ = bench.connect()
    if upload { bench.upload(Self.next) }
    return bench
  }

  @Test("A board is updated when other firmware runs and stays, not before and not after a revert")
  func isUpdatedOnlyWithOtherFirmware() {
    var bench = bench()
    #expect(!bench.board.isUpdated, "it has uploaded only")
    _ = bench.setState(Self.nextHash, confirm: false)
    bench.reset()
    #expect(!bench.board.isUpdated, "on trial")
    bench.reset()
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 b"])
    #expect(!bench.board.isUpdated, "back on the old one")
    _ = bench.setState(Self.nextHash, confirm: false)
    bench.reset()
    _ = bench.setState(nil, confirm: true)
    #expect(bench.board.isUpdated)
  }

  @Test("A board that came back with firmware that nobody sent is not updated")
  func isNotUpdatedByOtherFirmware() {
    var fault = BoardFault(.otherFirmware)
    fault.version = "9.9.9"
    var bench = bench(faults: [fault])
    _ = bench.setState(Self.nextHash, confirm: false)
    bench.reset()
    #expect(bench.slots.first == "9.9.9 bca")
    #expect(!bench.board.isUpdated)
  }

  @Test(arguments: [BootMode.swapScratch, .swapMove, .swapOffset])
  func testThenRevertThenConfirm(_ mode: BootMode) {
    var bench = bench(mode, upload: false)
    #expect(bench.slots == ["1.0.0 bca", "-"])
    bench.upload(Self.next)
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 b"])
    _ = bench.setState(Self.nextHash, confirm: false)
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 bp"])
    bench.reset()
    #expect(bench.slots == ["2.0.0 ba", "1.0.0 bc"])
    bench.reset()
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 b"])
    _ = bench.setState(Self.nextHash, confirm: false)
    bench.reset()
    _ = bench.setState(nil, confirm: true)
    #expect(bench.slots == ["2.0.0 bca", "1.0.0 b"])
    bench.reset()
    #expect(bench.slots == ["2.0.0 bca", "1.0.0 b"])
    #expect(bench.board.boots == [.testSwap, .reverted, .testSwap, .none])
  }

  @Test func permanent() {
    var bench = bench()
    _ = bench.setState(Self.nextHash, confirm: true)
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 bpP"])
    bench.reset()
    #expect(bench.slots == ["2.0.0 bca", "1.0.0 b"])
  }

  @Test func overwriteHasNoWayBack() {
    var bench = bench(.overwrite)
    _ = bench.setState(Self.nextHash, confirm: false)
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 bpP"])
    bench.reset()
    #expect(bench.slots == ["2.0.0 bca", "-"])
    bench.reset()
    #expect(bench.slots == ["2.0.0 bca", "-"])
  }

  @Test func aSingleSlotTakesNoUpload() {
    var bench = bench(.single, upload: false)
    #expect(bench.upload(Self.next).first == error(9, command: 1))
  }

  /// "Invalid secondary at swap: primary image_ok := 1, no swap" (smp.md §5).
  @Test func aSpoiltImageIsNotSwapped() {
    var bench = bench(faults: [BoardFault(.spoilImage)])
    #expect(bench.slots == ["1.0.0 bca", "2.0.0 b"])
    _ = bench.setState(Self.nextHash, confirm: false)
    bench.reset()
    #expect(bench.slots == ["1.0.0 bca", "-"])
    #expect(bench.board.boots == [.refused])
  }

  struct Call: Sendable, CustomTestStringConvertible {
    enum State: Sendable {
      case uploaded
      case testPending
      case permanentPending
      case unconfirmed
    }

    enum Target: Sendable {
      case none
      case active
      case other
      case unknown
      case short
    }

    var state: State
    var target: Target
    var confirm: Bool?
    /// The image group's error, nil for success.
    var error: Int?
    var slots: [String]?

    var testDescription: String { "\(state) \(target) confirm \(confirm.map(String.init) ?? "-")" }
  }

  static let calls = [
    Call(state: .uploaded, target: .none, confirm: nil, error: 24),
    Call(state: .uploaded, target: .none, confirm: false, error: 24),
    Call(state: .uploaded, target: .short, confirm: nil, error: 24),
    Call(state: .uploaded, target: .unknown, confirm: nil, error: 8),
    Call(state: .uploaded, target: .other, confirm: nil, slots: ["1.0.0 bca", "2.0.0 bp"]),
    Call(state: .testPending, target: .other, confirm: nil, slots: ["1.0.0 bca", "2.0.0 bp"]),
    Call(state: .uploaded, target: .active, confirm: nil, error: 33),
    Call(state: .uploaded, target: .other, confirm: true, slots: ["1.0.0 bca", "2.0.0 bpP"]),
    Call(state: .testPending, target: .other, confirm: true, error: 28),
    Call(state: .permanentPending, target: .other, confirm: nil, error: 28),
    Call(state: .permanentPending, target: .active, confirm: true, error: 28),
    Call(state: .uploaded, target: .none, confirm: true, slots: ["1.0.0 bca", "2.0.0 b"]),
    Call(state: .uploaded, target: .active, confirm: true, slots: ["1.0.0 bca", "2.0.0 b"]),
    Call(state: .unconfirmed, target: .active, confirm: nil, error: 28),
    Call(state: .unconfirmed, target: .other, confirm: nil, error: 28),
    Call(state: .unconfirmed, target: .none, confirm: true, slots: ["2.0.0 bca", "1.0.0 b"]),
  ]

  @Test(arguments: calls)
  func stateWrite(_ call: Call) {
    var bench = bench()
    switch call.state {
    case .uploaded: break
    case .testPending, .unconfirmed: _ = bench.setState(Self.nextHash, confirm: false)
    case .permanentPending: _ = bench.setState(Self.nextHash, confirm: true)
    }
    if call.state == .unconfirmed { bench.reset() }
    let isSwapped = call.state == .unconfirmed
    let hash: [UInt8]? =
      switch call.target {
      case .none: nil
      case .active: isSwapped ? Self.nextHash : Self.firstHash
      case .other: isSwapped ? Self.firstHash : Self.nextHash
      case .unknown: [UInt8](repeating: 1, count: 32)
      case .short: [1, 2, 3]
      }
    let answer = bench.setState(hash, confirm: call.confirm)
    if let code = call.error { #expect(answer == error(code, command: 0)) } else { #expect(answer.dropFirst(16).hasPrefix("bf66696d61676573")) }
    if let slots = call.slots { #expect(bench.slots == slots) }
  }

  private func error(_ code: UInt8, command: UInt8) -> String {
    let rc = code < 24 ? [code] : [0x18, code]
    let map = bytes("bf63657272bf6567726f75700162 7263") + rc + [0xFF, 0xFF]
    return hex([0x0B, 0, 0, UInt8(map.count), 0, 1, 0, command] + map)
  }

  private func error(_ code: Int, command: UInt8) -> String { error(UInt8(code), command: command) }
}
