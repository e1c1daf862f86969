import FoundationEssentials

/// The names in a folder.
enum FolderList {
  /// Most files that are looked at.
  static let limit = 1000

  /// Paths of the files with a suffix, sorted; empty when the folder cannot be read.
  static func files(in folder: String, suffix: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.sorted().prefix(limit).map { folder + "/" + $0 }
  }
}
