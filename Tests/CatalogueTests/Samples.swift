import FoundationEssentials
import Testing

@testable import Catalogue

/// The public excerpts of facts/metaboot.md §3.4, as the server's JSON has them: hw 0.1/5, 0.2/6 and 0.4/5 of about 2019, and the self-reference of 0.1/8.
enum Samples {
  static let catalogue = """
    {
      "0.1": {
        "5": {
          "bootloader": {
            "0.2.2": {"filename": "bl.zip", "required-bootloader": "0.2.1", "min-ios-version": "3.0.0", "min-android-version": "3.0.0"},
            "0.3.1": {"filename": "sd_bl.zip", "required-bootloader": "0.2.2"}
          },
          "vanilla": {
            "1.2.5": {"filename": "firmware.bin", "required-bootloader": "0.2.1"},
            "1.3.7": {"filename": "firmware.zip", "required-bootloader": "0.2.1"},
            "1.4.0": {"filename": "firmware.zip", "required-bootloader": "0.3.1"},
            "1.5.0": {"filename": "firmware.zip", "required-bootloader": "0.3.1", "min-ios-version": "3.2.0"}
          },
          "128": {"1.5.0": {"filename": "firmware.zip", "required-bootloader": "0.3.1"}}
        },
        "8": {
          "bootloader": {"0.4.0": {"filename": "bl.zip", "required-bootloader": "0.4.0"}},
          "vanilla": {
            "1.7.2": {"filename": "firmware.zip", "required-bootloader": ""},
            "2.0.0-beta": {"filename": "firmware.zip", "required-bootloader": "0.4.0"},
            "1.10.0": {"filename": "firmware.zip"}
          }
        }
      },
      "0.2": {
        "6": {
          "bootloader": {
            "0.3.3": {"filename": "bl.zip", "required-bootloader": "0.3.2"},
            "0.2.2": {"filename": "bl.zip", "required-bootloader": "0.2.1"},
            "0.3.2": {"filename": "bl.zip", "required-bootloader": "0.3.1"},
            "0.3.1": {"filename": "sd_bl.zip", "required-bootloader": "0.2.2"}
          },
          "vanilla": {"1.4.5": {"filename": "firmware.zip", "required-bootloader": "0.3.3"}}
        }
      },
      "0.4": {
        "5": {
          "bootloader": {},
          "vanilla": {
            "1.4.4": {"filename": "firmware.zip", "required-bootloader": "0.3.3"},
            "1.4.5": {"filename": "firmware.zip", "required-bootloader": "0.3.3"}
          }
        }
      }
    }
    """

  static func read(_ json: String, limits: CatalogueLimits = CatalogueLimits()) throws(CatalogueError) -> Catalogue {
    try Catalogue(json: Array(json.utf8), limits: limits)
  }
}

/// A folder of one test, removed with it.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "flashline-catalogue-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path(percentEncoded: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let url = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func read(_ name: String) -> [UInt8]? { (try? Data(contentsOf: URL(filePath: path + "/" + name))).map { [UInt8]($0) } }
  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

  /// All files below the folder, sorted.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      var isFolder = false
      return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder) && !isFolder
    }.sorted()
  }
}
