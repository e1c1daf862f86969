/// The program's entry; kept tiny, for everything in it belongs to the main actor.
@main
struct Flashline {
  static func main() {
    Program.run(Array(CommandLine.arguments.dropFirst()))
  }
}
