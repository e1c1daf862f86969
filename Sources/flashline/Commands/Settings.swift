import Glibc
import Station

/// The station's configuration as this invocation has it.
enum Settings {
  /// Reads `--config`, else the first usual file, else takes the defaults.
  static func read(_ asked: String?) throws(ProgramError) -> StationConfiguration {
    do throws(ConfigurationError) {
      return try StationConfiguration(path: StationConfiguration.search(asked: asked), hostName: hostName)
    } catch {
      throw ProgramError(error)
    }
  }

  /// The computer's name, up to the first dot.
  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "station" }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).prefix { $0 != "." }
    return text.isEmpty ? "station" : String(text)
  }
}

extension ProgramError {
  init(_ error: ConfigurationError) {
    self.init(exit: ExitStatus.usage, text: error.description)
  }
}
