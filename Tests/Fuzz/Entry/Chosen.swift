import FuzzTargets
// Glibc: the environment, and the end of the program without libFuzzer, which takes `exit` for a crash.
import Glibc

/// The target that the environment names (`FUZZ_TARGET`): libFuzzer takes the program's arguments for itself. `list` prints all of them.
let chosen: FuzzTarget = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  if let target = FuzzTarget.named(name) { return target }
  let isList = name == "list"
  let names = FuzzTarget.all.map { "\($0.name) \($0.longest)\n" }.joined()
  let text = isList ? names : "fuzz: FUZZ_TARGET names no target: write one of these into it:\n" + names
  _ = text.withCString { write(isList ? STDOUT_FILENO : STDERR_FILENO, $0, strlen($0)) }
  _exit(isList ? 0 : 2)
}()
