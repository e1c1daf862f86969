import BusFixture
import DBus
import Reactor
import Testing

private let limit = Duration.seconds(20)
private let interface = "flashline.Test1"

@Suite(.timeLimit(.minutes(1)))
struct SignalTests {
  let bus: PrivateBus
  let reactor: Reactor

  init() throws {
    bus = try PrivateBus()
    reactor = try Reactor()
  }

  func open() async throws -> DBusConnection {
    try await DBusConnection.open(DBusAddress(bus.address), on: reactor)
  }

  @Test("a stream gets the signals that fit, in order, and no others")
  func stream() async throws {
    let sender = try await open()
    let receiver = try await open()
    let stream = try await receiver.signals(DBusMatch(pathNamespace: "/a", interface: interface, member: "Tick"), limit: limit)
    for number in 0..<100 {
      try await sender.emit(path: "/a/b", interface: interface, member: "Tick", arguments: [.int32(Int32(number))])
      try await sender.emit(path: "/ab", interface: interface, member: "Tick", arguments: [.int32(-1)])
      try await sender.emit(path: "/a", interface: interface, member: "Tock", arguments: [.int32(-2)])
    }
    var received: [Int] = []
    for await signal in stream {
      received.append(signal.arguments.first?.integer ?? -3)
      if received.count == 100 { break }
    }
    #expect(received == Array(0..<100))
  }

  @Test("a well-known sender stands for its owner: another program's signal does not fit")
  func forgery() async throws {
    let owner = try await open()
    let forger = try await open()
    let receiver = try await open()
    try await owner.requestName("flashline.Owner", limit: limit)
    let stream = try await receiver.signals(DBusMatch(sender: "flashline.Owner", interface: interface), limit: limit)
    // Directly to the receiver: the bus delivers it without any rule.
    try await forger.emit(path: "/", interface: interface, member: "Forged", to: receiver.uniqueName)
    _ = try await forger.owner(of: "flashline.Owner", limit: limit)
    try await owner.emit(path: "/", interface: interface, member: "Real")
    for await signal in stream {
      #expect(signal.member == "Real")
      break
    }
  }

  @Test("owners come and go, and are told")
  func owners() async throws {
    let owner = try await open()
    let watcher = try await open()
    let (stream, continuation) = AsyncStream.makeStream(of: String?.self)
    try await watcher.observeOwner(of: "flashline.Owner", limit: limit) { continuation.yield($0) }
    var changes = stream.makeAsyncIterator()
    #expect(await changes.next() == .some(nil))
    try await owner.requestName("flashline.Owner", limit: limit)
    #expect(await changes.next() == .some(owner.uniqueName))
    await owner.close()
    #expect(await changes.next() == .some(nil))
  }

  @Test("streams end when the bus dies")
  func busDies() async throws {
    let receiver = try await open()
    let stream = try await receiver.signals(DBusMatch(interface: interface), limit: limit)
    bus.stop()
    for await _ in stream { Issue.record("nothing was sent") }
    await receiver.ended()
  }

  @Test("a reader that stops reading gets an end, not a gap")
  func slowReader() async throws {
    let sender = try await open()
    let receiver = try await open()
    let stream = try await receiver.signals(DBusMatch(interface: interface), limit: limit)
    let count = DBusConnection.signalsKept + 10
    for number in 0..<count { try await sender.emit(path: "/", interface: interface, member: "Tick", arguments: [.int32(Int32(number))]) }
    // The receiver's own call is answered after the signals have been delivered to it.
    _ = try await sender.owner(of: "flashline.Nobody", limit: limit)
    _ = try await receiver.owner(of: "flashline.Nobody", limit: limit)
    var received: [Int] = []
    for await signal in stream { received.append(signal.arguments.first?.integer ?? -1) }
    #expect(received == Array(0..<DBusConnection.signalsKept))
  }
}
