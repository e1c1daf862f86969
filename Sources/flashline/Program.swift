import Glibc

enum Program {
  static func run(_ arguments: [String]) -> Never {
    do throws(ProgramError) {
      let i = try Invocation(arguments)
      switch i.command {
      case .help(let c): print(HelpText.page(c))
      default: print(i)
      }
    } catch { print(error.line) ; exit(error.exit)}
    exit(0)
  }
}
