import Bluetooth
import DBus
import Locks
import Reactor
import Synchronization
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(1)))
struct RadioTests {
  static let wishes = RadioParameters(phy: .twoM, connectionInterval: .milliseconds(15), supervisionTimeout: .seconds(4))

  @Test("prepare sets the PHY, connect loads the board's parameters before Connect; every socket is closed again")
  func all() async throws {
    let kernel = FakeKernel()
    let station = try await Station(management: kernel.opener)
    try await station.remember(FakeBlueZ.board)
    let standing = try await station.central.prepare(Station.first, radio: Self.wishes)
    #expect(standing == RadioStanding(inForce: Self.wishes))
    #expect(kernel.state.withLock { $0.selected } == 0x1FFF)

    try await station.remember(FakeBlueZ.board)
    _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    let loads = kernel.state.withLock { $0.loads }
    #expect(loads == [[1, 0, 0x01, 0, 0, 0, 0xDE, 0xC0, 2, 12, 0, 12, 0, 0, 0, 0x90, 1]])
    #expect(kernel.state.withLock { $0.opened == $0.closed })
  }

  @Test("the list replaces the last one, so it holds the boards that have links on this adapter as well")
  func wholeList() async throws {
    let kernel = FakeKernel()
    let station = try await Station(management: kernel.opener)
    try await station.central.prepare(Station.first, radio: Self.wishes)
    try await station.remember(FakeBlueZ.board, ["AddressType": .string("public")])
    try await station.remember(FakeBlueZ.second)
    let first = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    _ = try await station.central.connect(Station.second, on: Station.first, limit: Station.limit)
    let tail: [UInt8] = [12, 0, 12, 0, 0, 0, 0x90, 1]
    #expect(
      kernel.state.withLock { $0.loads.last } == [2, 0, 0x02, 0, 0, 0, 0xDE, 0xC0, 2] + tail + [0x01, 0, 0, 0, 0xDE, 0xC0, 1] + tail)
    await first.disconnect()
    _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(kernel.state.withLock { $0.loads.count } == 3)
  }

  @Test("nothing wished, nothing asked of the kernel")
  func nothing() async throws {
    let kernel = FakeKernel()
    let station = try await Station(management: kernel.opener)
    try await station.remember(FakeBlueZ.board)
    #expect(try await station.central.prepare(Station.first, radio: .kernel) == RadioStanding())
    try await station.remember(FakeBlueZ.board)
    _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
    #expect(kernel.state.withLock { $0.opened } == 0)
  }

  @Test("without the capability, and without the socket: the defaults, a note, a connection all the same, and no further try")
  func denied() async throws {
    for isUnavailable in [false, true] {
      let kernel = FakeKernel()
      kernel.state.withLock {
        $0.isUnavailable = isUnavailable
        $0.failures = [0x44: .notPermitted, 0x45: .notPermitted, 0x35: .notPermitted]
      }
      let station = try await Station(management: kernel.opener)
      let standing = try await station.central.prepare(Station.first, radio: Self.wishes)
      #expect(standing.inForce == .kernel)
      #expect(standing.notes.count == 1)
      #expect(standing.notes.first?.contains(isUnavailable ? "cannot be used" : "CAP_NET_ADMIN") == true)
      #expect(await station.central.standing(of: Station.first, wishing: Self.wishes) == standing)
      try await station.remember(FakeBlueZ.board)
      try await station.remember(FakeBlueZ.second)
      _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
      let opened = kernel.state.withLock { $0.opened }
      _ = try await station.central.connect(Station.second, on: Station.first, limit: Station.limit)
      #expect(kernel.state.withLock { $0.opened } == opened)
    }
  }

  @Test("an adapter without 2M, and a kernel that refuses the mask, are noted; the interval holds")
  func partly() async throws {
    let old = FakeKernel()
    old.state.withLock {
      $0.supported = 0x07FF
      $0.configurable = 0x01FE
    }
    let refusing = FakeKernel()
    refusing.state.withLock { $0.failures[0x45] = .refused(0x0B) }
    for (kernel, words) in [(old, "the adapter cannot do 2M"), (refusing, "the PHY stays at 1M: the kernel refused it: rejected")] {
      let station = try await Station(management: kernel.opener)
      let standing = try await station.central.prepare(Station.first, radio: Self.wishes)
      var inForce = Self.wishes
      inForce.phy = .oneM
      #expect(standing == RadioStanding(inForce: inForce, notes: [words]))
      try await station.remember(FakeBlueZ.board)
      _ = try await station.central.connect(Station.board, on: Station.first, limit: Station.limit)
      #expect(kernel.state.withLock { $0.loads.count } == 1)
    }
  }

  @Test("a look changes nothing")
  func look() async throws {
    let kernel = FakeKernel()
    let station = try await Station(management: kernel.opener)
    #expect(await station.central.standing(of: Station.first, wishing: Self.wishes) == RadioStanding(inForce: Self.wishes))
    #expect(kernel.state.withLock { $0.selected } == 0x07FF)
  }

  @Test("the real socket: an answer or a reason within its limit, on every machine")
  func realSocket() async throws {
    let reactor = try Reactor()
    do throws(ManagementFailure) {
      let socket = try ManagementSocket(on: reactor)
      defer { Task { await socket.close() } }
      _ = try await socket.send(PHYConfiguration.read(0xFFFE), limit: .seconds(5))
      Issue.record("there is an adapter 65534")
    } catch {
      switch error {
      case .unavailable, .notPermitted, .refused: break
      case .malformed, .noAnswer: Issue.record("\(error)")
      }
    }
  }
}
