/// The version of the program: `--version`, the column `tool_version` and `station.started` all read it here.
enum ToolVersion {
  static let text = "0.1.0"
}
