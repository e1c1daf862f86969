import Bluetooth
import Station

/// The options of one command as found, read as the types that they stand for. Every complaint names the option and shows what was written.
struct OptionValues {
  private let found: [ScannedOptions.Found]
  /// The longest lot, work order, unit or operator.
  static let textLimit = 128

  init(_ found: [ScannedOptions.Found]) throws(ProgramError) {
    self.found = found
    for (index, entry) in found.enumerated() where !entry.option.isRepeated && entry.option.value != nil {
      if found[..<index].contains(where: { $0.option.name == entry.option.name }) {
        throw .usage("--\(entry.option.name) is given twice", "give it once")
      }
    }
  }

  func has(_ name: String) -> Bool { found.contains { $0.option.name == name } }

  /// All values of an option; none is empty.
  func all(_ name: String) throws(ProgramError) -> [String] {
    var values: [String] = []
    for entry in found where entry.option.name == name {
      guard let value = entry.value, !value.isEmpty else { throw .usage("--\(name) is empty", "give it a value or leave it out") }
      values.append(value)
    }
    return values
  }

  func text(_ name: String) throws(ProgramError) -> String? { try all(name).first }

  /// A text that goes into every record: short, and on one line.
  func label(_ name: String) throws(ProgramError) -> String? {
    guard let text = try text(name) else { return nil }
    guard text.count <= Self.textLimit, text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw .usage("--\(name) \(text.shown) cannot be recorded", "use at most \(Self.textLimit) characters and no control characters")
    }
    return text
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(ProgramError) -> Int? {
    guard let text = try text(name) else { return nil }
    guard let number = Int(text), range.contains(number), text.first != "+" else {
      let bounds = range.upperBound == .max ? "from \(range.lowerBound) up" : "from \(range.lowerBound) to \(range.upperBound)"
      throw .usage("--\(name) \(text.shown) does not fit", "write a whole number \(bounds)")
    }
    return number
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(ProgramError) -> Double? {
    guard let text = try text(name) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .usage("--\(name) \(text.shown) does not fit", "write a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func duration(_ name: String) throws(ProgramError) -> Duration? {
    guard let text = try text(name) else { return nil }
    guard let duration = DurationText.read(text), duration > .zero else {
      throw .usage("--\(name) \(text.shown) is no duration", "write a number with ms, s, m or h, like 90s or 5m")
    }
    return duration
  }

  func timeOfDay(_ name: String) throws(ProgramError) -> UntilTime? {
    guard let text = try text(name) else { return nil }
    guard let time = UntilTime(text) else { throw .usage("--\(name) \(text.shown) is no time of day", "write hours and minutes, like 17:30") }
    return time
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, of: Choice.Type) throws(ProgramError) -> Choice? {
    guard let text = try text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw .usage("--\(name) \(text.shown) is unknown", "write " + Choice.allCases.map(\.rawValue).joined(separator: " or "))
    }
    return choice
  }
}
