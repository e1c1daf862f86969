@main
struct Flashline {
  static func main() {}
}
