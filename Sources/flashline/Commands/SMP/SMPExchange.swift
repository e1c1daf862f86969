import Flashing
import SMP

/// One command of `smp` on an open client: asks the board and puts its answer into words.
struct SMPExchange: Sendable {
  let client: SMPClient
  /// For each answer; nil is the request's own limit.
  let limit: Duration?

  func run(_ action: SMPAction) async throws -> SMPReport {
    switch action {
    case .echo, .consoleEcho, .tasks, .memory, .clock, .setClock, .reset, .parameters, .application, .bootloader: try await system(action)
    case .images, .testImage, .confirmImage, .eraseImage, .slots: try await image(action)
    case .upload, .download, .fileStatus, .fileHash, .fileHashKinds, .closeFile: try await file(action)
    case .statisticsList, .statistics, .setting, .setSetting, .deleteSetting, .commitSettings, .loadSettings, .saveSettings: try await store(action)
    case .log, .clearLogs, .appendLog, .logModules, .logLevels, .logs, .crash, .runTest, .tests: try await log(action)
    case .shell, .groupCount, .groups, .groupAt, .groupDetails, .eraseStorage, .diagnosticIdentity, .projectKey: try await other(action)
    }
  }

  func send<Request: SMPRequest>(_ request: Request) async throws -> Request.Response {
    try await client.send(request, limit: limit)
  }

  /// Sends something after which the board may be gone before it can answer: false when the link was lost instead.
  func sendLast<Request: SMPRequest>(_ request: Request) async throws -> Bool where Request.Response == Void {
    do {
      try await send(request)
      return true
    } catch SMPClientError.linkLost {
      return false
    }
  }

  /// A whole number from a board, which may be larger than JSON's readers take.
  static func number(_ value: UInt64) -> JSONText { Int64(exactly: value).map(JSONText.integer) ?? .text(String(value)) }

  static func texts(_ texts: [String]) -> JSONText { .list(texts.map(JSONText.text)) }
}
