/// An error of one command group, as SMP v2 reports it: `err {group, rc}`.
public struct SMPGroupError: Error, Hashable, Sendable, CustomStringConvertible {
  public let group: SMPGroup
  /// The number on the wire; not 0.
  public let code: Int

  public init(group: SMPGroup, code: Int) {
    self.group = group
    self.code = code
  }

  public init(_ error: ImageError) {
    self.init(group: .image, code: error.rawValue)
  }

  public init(_ error: FileSystemError) {
    self.init(group: .fileSystem, code: error.rawValue)
  }

  /// The error of the image group; nil for another group or a number without a documented meaning.
  public var image: ImageError? {
    group == .image ? ImageError(rawValue: code) : nil
  }

  /// What the documentation calls this number in its group; nil when it has no entry.
  public var documented: (any SMPGroupCode)? {
    let type: (any SMPGroupCode.Type)? =
      switch group {
      case .os: OSError.self
      case .image: ImageError.self
      case .statistics: StatisticsError.self
      case .settings: SettingsError.self
      case .fileSystem: FileSystemError.self
      case .shell: ShellError.self
      case .enumeration: EnumerationError.self
      case .transport: TransportError.self
      case .zephyrBasic: ZephyrBasicError.self
      case .memfault: MemfaultError.self
      default: nil
      }
    return type?.init(rawValue: code)
  }

  /// A word for programs, such as `notFound`; `error 77` for a number without a documented meaning, which is an error all the same.
  public var name: String { documented?.name ?? "error \(code)" }

  /// What the board says, for an operator.
  public var sentence: String {
    documented?.sentence ?? "the board reports error \(code) of the command group \(group), which has no documented meaning"
  }

  public var description: String { "\(sentence) (\(group) \(name), rc \(code))" }
}

/// The documented numbers of one group's errors.
public protocol SMPGroupCode: Sendable {
  init?(rawValue: Int)
  var rawValue: Int { get }
  /// What the board says, for an operator.
  var sentence: String { get }
}

extension SMPGroupCode {
  /// The error's word in its group's list.
  public var name: String { "\(self)" }
}
