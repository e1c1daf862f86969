import BusFixture
import DBus
import Glibc
import Reactor
import Testing

private let limit = Duration.seconds(20)
private let name = "flashline.Test"
private let path = "/flashline/test"
private let interface = "flashline.Test1"

/// A private bus, a service on it that echoes, and a client, all real.
private struct Line {
  let bus: PrivateBus
  let reactor: Reactor
  let service: DBusConnection
  let client: DBusConnection
  /// Calls to `Hold` that the service has taken and does not answer until this opens.
  let held = Latch()

  init(limits: [String: Int] = [:]) async throws {
    bus = try PrivateBus(limits: limits)
    reactor = try Reactor()
    service = try await DBusConnection.open(DBusAddress(bus.address), on: reactor)
    client = try await DBusConnection.open(DBusAddress(bus.address), on: reactor)
    try await service.requestName(name, limit: limit)
    await service.serve { [held] call in
      switch call.member {
      case "Echo": return .values(call.arguments)
      case "Refuse": return .error(name: "flashline.Error.No", message: "not today")
      case "Hold":
        await held.wait()
        return .values(call.arguments)
      default: return .unknownMethod(call)
      }
    }
  }

  func call(_ member: String, _ arguments: [DBusValue] = [], limit: Duration = limit) async throws(DBusError) -> [DBusValue] {
    try await client.call(destination: name, path: path, interface: interface, member: member, arguments: arguments, limit: limit)
  }
}

extension Line {
  /// The error that a call ends with, nil when it is answered.
  func failure(_ member: String) async -> DBusError? {
    do throws(DBusError) {
      _ = try await call(member)
      return nil
    } catch {
      return error
    }
  }
}

@Suite(.timeLimit(.minutes(1)))
struct CallTests {
  static let values: [DBusValue] = [
    .byte(255), .bool(true), .bool(false), .int16(-32768), .uint16(65535), .int32(.min), .uint32(.max), .int64(.min), .uint64(.max), .double(-0.5),
    .string(""), .string("Zürich \u{1F50B}"), .objectPath("/"), .signature("a{sv}"), .bytes([]), .bytes([0, 1, 255]), .array([], of: "(ay)"),
    .array([.string("a"), .string("b")], of: "s"), .array([.bytes([1]), .bytes([])], of: "ay"), .array([.array([.int32(1)], of: "i")], of: "ai"),
    .dictionary([], key: "o", value: "a{sa{sv}}"), .properties(["RSSI": .int16(-61), "UUIDs": .strings(["180a"])]),
    .dictionary([.init(.uint16(0x59), .variant(.bytes([7])))], key: "q", value: "v"), .structure([.byte(1), .structure([.string("x")])]),
    .variant(.variant(.variant(.int32(7)))),
  ]

  @Test("every type comes back as it was sent", arguments: values)
  func echo(_ value: DBusValue) async throws {
    let line = try await Line()
    #expect(try await line.call("Echo", [value, .string("after")]) == [value, .string("after")])
  }

  @Test("a descriptor arrives as another number for the same file")
  func descriptor() async throws {
    let line = try await Line()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let reading = OwnedDescriptor(ends[0])
    let sent = OwnedDescriptor(ends[1])
    let back = try #require(try await line.call("Echo", [.descriptor(sent)]).first?.openDescriptor)
    #expect(back.number != sent.number)
    #expect(fcntl(back.number, F_GETFD) & FD_CLOEXEC != 0)
    sent.close()
    #expect(write(back.number, "x", 1) == 1)
    var byte: UInt8 = 0
    #expect(read(reading.number, &byte, 1) == 1 && byte == UInt8(ascii: "x"))
  }

  @Test("errors come with name and text, unknown methods are refused")
  func errors() async throws {
    let line = try await Line()
    await #expect(throws: DBusError.remote(name: "flashline.Error.No", message: "not today")) { try await line.call("Refuse") }
    let unknown = await #expect(throws: DBusError.self) { try await line.call("Nothing") }
    #expect(unknown?.remoteName == "org.freedesktop.DBus.Error.UnknownMethod")
  }

  @Test(
    "what libdbus would abort on is refused before",
    arguments: [
      [.string("a\0b")], [.objectPath("no")], [.signature("(")], [.structure([])], [.array([.byte(1)], of: "s")], [.array([], of: "ss")],
      [.dictionary([], key: "v", value: "s")], [.array([], of: "")],
      [(0..<40).reduce(DBusValue.byte(1)) { value, _ in .variant(value) }],
    ] as [[DBusValue]])
  func invalid(_ arguments: [DBusValue]) async throws {
    let line = try await Line()
    let error = await #expect(throws: DBusError.self) { try await line.call("Echo", arguments) }
    guard case .invalid = error else { Issue.record("\(String(describing: error))"); return }
    #expect(try await line.call("Echo", [.byte(1)]) == [.byte(1)], "the connection still works")
  }

  @Test("400 calls at once on a bus that allows 128: all are answered")
  func manyCalls() async throws {
    let line = try await Line(limits: ["max_replies_per_connection": 128])
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<400 { group.addTask { try await line.call("Echo", [.int32(Int32(number))]).first?.integer ?? -1 } }
      return try await group.reduce(0, +)
    }
    #expect(sum == 400 * 399 / 2)
  }

  @Test("the bus dies with 200 calls outstanding: every one fails, none hangs")
  func busDies() async throws {
    let line = try await Line()
    let failures = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 {
        group.addTask {
          let error = await line.failure("Hold")
          if case .closed = error { return true }
          return false
        }
      }
      _ = try? await line.call("Echo", limit: .milliseconds(300))
      line.bus.stop()
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 200)
    await line.client.ended()
    #expect(line.client.hasEnded)
    let later = await #expect(throws: DBusError.self) { try await line.call("Echo") }
    guard case .closed = later else { Issue.record("\(String(describing: later))"); return }
    line.held.open()
  }

  @Test("a call without an answer ends by its limit, and its late answer harms nobody")
  func limitPasses() async throws {
    let line = try await Line()
    await #expect(throws: DBusError.timedOut) { try await line.call("Hold", limit: .milliseconds(20)) }
    line.held.open()
    #expect(try await line.call("Echo", [.byte(2)]) == [.byte(2)])
  }

  @Test("a cancelled call returns at once and leaves its place to others")
  func cancellation() async throws {
    let line = try await Line()
    let tasks = (0..<DBusConnection.callsOutstanding).map { _ in Task { await line.failure("Hold") } }
    let waiting = Task { try await line.call("Echo", [.byte(3)]) }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value == .cancelled) }
    #expect(try await waiting.value == [.byte(3)])
    line.held.open()
  }

  @Test("a name has one owner")
  func nameTaken() async throws {
    let line = try await Line()
    let error = await #expect(throws: DBusError.self) { try await line.client.requestName(name, limit: limit) }
    #expect(error?.remoteName == "org.freedesktop.DBus.Error.AddressInUse")
  }

  @Test("a bus that is not there is an error")
  func noBus() async throws {
    let reactor = try Reactor()
    let error = await #expect(throws: DBusError.self) { _ = try await DBusConnection.open(DBusAddress("unix:path=/tmp/flashline-no-such-bus"), on: reactor) }
    guard case .closed = error else { Issue.record("\(String(describing: error))"); return }
  }
}
