import Testing

@testable import Station

/// The message of the configuration error that `body` throws; nil when it throws none.
func complaint(_ body: () throws(ConfigurationError) -> Void) -> String? {
  do throws(ConfigurationError) {
    try body()
    return nil
  } catch {
    return error.description
  }
}

func iniFile(_ text: String, file: String = "t.conf") throws(ConfigurationError) -> IniFile {
  try IniFile(bytes: Array(text.utf8), file: file)
}

/// The folder of the package: the shipped files are tested where they lie.
let packageFolder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
