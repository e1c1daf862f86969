import Bluetooth
import LineFixture
import SMP
import Testing
import VirtualLine

@testable import Flashing

/// A client on one link: requests, refusals, limits, and that the link always ends.
@Suite struct ClientTests {
  @Test func aRequestIsAnsweredAndTheLinkClosed() async throws {
    let bench = ClientBench()
    let text = try await bench.run { try await $0.send(EchoRequest(text: "hello")) }
    #expect(text == "hello")
    #expect(!bench.board.isConnected && bench.board.links == 1)
    #expect(bench.board.requests.count == 1, "a short request asks for nothing else first")
    #expect(bench.central.violations.isEmpty, "the board was heard first, and listening stopped before the connection")
  }

  @Test func aLongRequestIsSentOnlyWhereTheBoardTakesIt() async throws {
    let text = String(repeating: "x", count: 2000)
    let joining = ClientBench()
    #expect(try await joining.run { try await $0.send(EchoRequest(text: text)) } == text)
    let plain = ClientBench { $0.reassembly = false }
    let error = try await plain.failure { try await $0.send(EchoRequest(text: text)) }
    guard case .requestTooLong(let size, let limit)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(size > 2000 && limit == 495)
    #expect(plain.board.requests.count { $0.bytes.count > 495 } == 0)
  }

  @Test func limitsAreAskedOnce() async throws {
    let bench = ClientBench()
    let limits = try await bench.run { client in
      _ = try await client.limits()
      return try await client.limits()
    }
    #expect(limits.requestSize == 2475 && limits.depth == 3 && limits.mayFragment)
    #expect(bench.board.requests.count { $0.group == 0 && $0.command == 6 } == 1)
    let old = ClientBench { $0.params = false }
    #expect(try await old.run { try await $0.limits() } == TransportLimits(packetSize: 495, requestSize: 495, depth: 1))
  }

  @Test("refusals come with the group's name", arguments: [1, 2])
  func refusals(version: Int) async throws {
    let bench = ClientBench { $0.smpVersion = version }
    let error = try await bench.failure { try await $0.send(FileStatusRequest(name: "/lfs/none")) }
    #expect(error?.refusal == (version == 2 ? .group(SMPGroupError(.notFound)) : .status(.noEntry)))
    #expect(error?.refusal?.name == (version == 2 ? "notFound" : "noEntry"))
  }

  @Test func whatTheFirmwareLacksIsSaidSo() async throws {
    let bench = ClientBench { $0.groups.built = [10] }
    let error = try await bench.failure { try await $0.send(ShellRequest(words: ["help"])) }
    #expect(error?.refusal?.isUnsupported == true)
    #expect(try await bench.run { try await $0.sendIfSupported(LogListRequest()) } == nil)
    #expect(try await bench.run { try await $0.groups() }?.contains(.enumeration) == true)
    let silent = ClientBench { $0.groups.built = [] }
    #expect(try await silent.run { try await $0.groups() } == nil)
  }

  @Test("field report 11: a link that is lost in the middle of a request fails it at once, and silence within its limit; the next request works")
  func lostAndSilent() async throws {
    let lost = ClientBench([BoardFault(.loseAnswer, group: 0, command: 0)])
    let work = lost.begin { try await $0.send(EchoRequest(text: "a")) }
    try await lost.pump.turn(within: .seconds(30)) { lost.board.requests.count == 1 }
    let began = lost.clock.now.sinceStart
    lost.central.unplug(0)
    guard case .failure(let error) = try await lost.pump.finish(work, within: .seconds(1)) else {
      Issue.record("an answer without a link")
      return
    }
    #expect(error as? SMPClientError == .linkLost)
    #expect(lost.clock.now.sinceStart - began < .seconds(1))

    let silent = ClientBench([BoardFault(.loseAnswer, group: 0, command: 0)])
    let answers = try await silent.run { client in
      var answers: [String] = []
      do {
        answers.append(try await client.send(EchoRequest(text: "a"), limit: .seconds(3)))
      } catch SMPClientError.silent(let limit) {
        answers.append("silent after \(limit)")
      }
      answers.append(try await client.send(EchoRequest(text: "b")))
      return answers
    }
    #expect(answers == ["silent after \(Duration.seconds(3))", "b"])
  }

  @Test("field report 11: a board that asks for pairing in the middle is a named error, and paired it answers")
  func pairing() async throws {
    var quirks = LineBoard.Quirks()
    quirks.demandsEncryption = true
    quirks.acceptsPairing = .passkey(123_456)
    let open = ClientBench(quirks: quirks)
    guard case .link(.notPermitted)? = try await open.failure({ try await $0.send(EchoRequest(text: "a")) }) else {
      Issue.record("answered without pairing")
      return
    }
    #expect(!open.board.isConnected)
    let paired = ClientBench(quirks: quirks)
    paired.pairing = .passkey(123_456)
    #expect(try await paired.run { try await $0.send(EchoRequest(text: "a")) } == "a")
    #expect(paired.central.bonds(0).isEmpty, "the bond does not outlive the link")
  }

  @Test func aBoardThatIsNotHeardIsNotConnected() async throws {
    var quirks = LineBoard.Quirks()
    quirks.vanishesAfterLinks = 0
    let bench = ClientBench(quirks: quirks)
    #expect(try await bench.failure { try await $0.send(EchoRequest(text: "a")) } == .notHeard(.seconds(10)))
    #expect(bench.board.links == 0)
  }

  @Test func aBoardWithoutTheServiceIsNamed() async throws {
    var quirks = LineBoard.Quirks()
    quirks.lacksSMP = true
    let bench = ClientBench(quirks: quirks)
    guard case .link(.attributeMissing)? = try await bench.failure({ try await $0.send(EchoRequest(text: "a")) }) else {
      Issue.record("answered without a service")
      return
    }
    #expect(!bench.board.isConnected)
  }

  @Test func connectionsThatFailAreTriedAgain() async throws {
    let bench = ClientBench([BoardFault(.refuseConnect, times: 2)])
    #expect(try await bench.run { try await $0.send(EchoRequest(text: "a")) } == "a")
  }

  @Test func stoppingClosesTheLink() async throws {
    let bench = ClientBench([BoardFault(.silent)])
    let work = bench.begin { try await $0.send(EchoRequest(text: "a")) }
    try await bench.pump.turn(within: .seconds(30)) { bench.board.requests.count == 1 }
    work.cancel()
    guard case .failure(let error) = try await bench.pump.finish(work, within: .seconds(5)) else {
      Issue.record("answered by a silent board")
      return
    }
    #expect(error is CancellationError)
    #expect(!bench.board.isConnected)
  }
}
