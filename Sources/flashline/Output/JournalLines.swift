import Bluetooth
import CLinux
import Flashing
import Glibc
import Station

/// The events as entries of the systemd journal, with fields to search by (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
///
/// One datagram an entry, never waited for: a journal that is busy loses entries, it does not stop flashing.
final class JournalLines: EventSink {
  static let socketPath = "/run/systemd/journal/socket"

  private let descriptor: Int32
  private let least: EventText.Weight

  /// Nil when there is no journal.
  ///
  /// - Parameter least: what weighs less is left out.
  init?(least: EventText.Weight, path: String = socketPath) {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.least = least
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    guard descriptor >= 0, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard connected == 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func emit(_ event: StationEvent, at time: Int64) {
    guard let (text, weight) = Self.entry(event), weight >= least else { return }
    let bytes = Array(Self.datagram(event, text, weight).utf8)
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) }
  }

  /// The end of a batch, which people read in the last summary, stands in the journal with the audit head: a kept head shows a cut tail.
  private static func entry(_ event: StationEvent) -> (String, EventText.Weight)? {
    if case .batchFinished(let end) = event {
      let boards = end.counts.values.reduce(0, +)
      return ("batch \(end.batchID) ended (\(end.reason.rawValue)): \(end.good) of \(Figures.count(boards, "board")) good, audit head \(end.auditHead)", .news)
    }
    return EventText.line(event).map { ($0.text, $0.weight) }
  }

  /// `NAME=value` lines; no value holds a line end.
  static func datagram(_ event: StationEvent, _ text: String, _ weight: EventText.Weight) -> String {
    var fields = [("MESSAGE", text), ("PRIORITY", String(priority(weight))), ("SYSLOG_IDENTIFIER", "flashline"), ("FLASHLINE_EVENT", event.name)]
    switch event {
    case .boardFinished(let record), .boardDone(let record):
      fields.append(("FLASHLINE_BOARD", record.mac.description))
      if let outcome = record.outcome { fields.append(("FLASHLINE_OUTCOME", outcome.rawValue)) }
      if let code = record.failureCode { fields.append(("FLASHLINE_FAILURE_CODE", code.rawValue)) }
    case .batchFinished(let end):
      fields.append(("FLASHLINE_BATCH", String(end.batchID)))
      fields.append(("FLASHLINE_AUDIT_HEAD", end.auditHead))
    default: break
    }
    return fields.map { "\($0.0)=\($0.1.oneLine)\n" }.joined()
  }

  /// syslog's numbers.
  private static func priority(_ weight: EventText.Weight) -> Int {
    switch weight {
    case .fault: 3
    case .problem: 4
    case .news: 6
    case .detail: 7
    }
  }
}

extension LogRules.Level {
  /// What this level lets through at the least.
  var weight: EventText.Weight {
    switch self {
    case .error: .fault
    case .warning: .problem
    case .info: .news
    case .debug: .detail
    }
  }
}
