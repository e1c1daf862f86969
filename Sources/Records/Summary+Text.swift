public import Flashing

extension Summary {
  /// One JSON document with its keys in a fixed order; the README lists them.
  public var json: JSONText {
    .object([.init("jobs", .list(sections.map(\.json))), .init("audit_head", .text(auditHead))])
  }

  /// Lines for people.
  public var lines: [String] {
    guard !sections.isEmpty else { return ["No results match.", "audit head \(auditHead)"] }
    return sections.flatMap(\.lines) + ["audit head \(auditHead)"]
  }
}

extension Summary.Section {
  fileprivate var json: JSONText {
    .object([
      .init("job", .text(job.rawValue)), .init("attempts", .of(attempts)), .init("boards", .of(boards)), .init("good_boards", .of(goodBoards)),
      .init("outcomes", outcomes.json), .init("judged_boards", .of(firstPass.judged)), .init("first_pass", firstPass.json), .init("final", final.json),
      .init("adapters", .list(adapters.map(\.json))), .init("failures", .list(failures.map(\.json))), .init("duration_s", duration?.json ?? .null),
      .init("upload_kB_per_s", speed?.json ?? .null), .init("upload_bytes", .integer(uploadBytes)),
    ])
  }

  fileprivate var lines: [String] {
    var lines = [
      "\(job.rawValue): \(boards) boards, \(attempts) attempts, \(goodBoards) boards good",
      "  first-pass yield \(firstPass.words), final yield \(final.words)",
      "  attempts: " + outcomes.words,
    ]
    if let duration { lines.append("  duration: median \(digits(duration.median)) s, 95 % within \(digits(duration.p95)) s") }
    if let speed { lines.append("  upload: median \(digits(speed.median)) kB/s, 95 % at most \(digits(speed.p95)) kB/s, \(uploadBytes) bytes in all") }
    for adapter in adapters { lines.append("  adapter " + adapter.words) }
    for failure in failures {
      lines.append("  \(failure.outcome) \(failure.code): \(failure.attempts) attempts, \(failure.boards) boards")
    }
    return lines
  }
}

extension Summary.Yield {
  fileprivate var json: JSONText {
    .object([.init("passed", .of(passed)), .init("judged", .of(judged)), .init("yield", ratio.map(JSONText.real) ?? .null)])
  }

  fileprivate var words: String {
    ratio.map { "\(digits($0 * 100)) % (\(passed) of \(judged))" } ?? "none (no board was judged)"
  }
}

extension Summary.Spread {
  fileprivate var json: JSONText {
    .object([.init("count", .of(count)), .init("median", .real(median)), .init("p95", .real(p95))])
  }
}

extension Summary.AdapterLine {
  fileprivate var json: JSONText {
    .object([.init("adapter_path", .of(path)), .init("adapter_label", .of(label)), .init("outcomes", outcomes.json)])
  }

  fileprivate var words: String {
    let name = [label, path].compactMap(\.self).joined(separator: " at ")
    return "\(name.isEmpty ? "(none yet)" : name): \(outcomes.words)"
  }
}

extension Summary.CodeLine {
  fileprivate var json: JSONText {
    .object([
      .init("failure_code", .text(code)), .init("outcome", .text(outcome)), .init("attempts", .of(attempts)), .init("boards", .of(boards)),
    ])
  }
}

extension Summary.Outcomes {
  /// Every outcome, also those that did not occur: a reader need not ask whether a key is there.
  fileprivate var json: JSONText {
    .object(Outcome.allCases.map { .init($0.rawValue, .of(self[$0] ?? 0)) })
  }

  fileprivate var words: String {
    Outcome.allCases.compactMap { outcome in self[outcome].map { "\($0) \(outcome.rawValue)" } }.joined(separator: ", ")
  }
}

/// One decimal.
private func digits(_ value: Double) -> String { ((value * 10).rounded() / 10).description }
