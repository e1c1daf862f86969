import CLinux
import Glibc

/// Copies of this process's memory, which would hold a key.
enum MemoryDumps {
  /// What Swift's runtime answers with a report of its own, where a toolchain is installed: stacks, registers and the memory they point at
  /// (SWIFT_BACKTRACE; signals as in its Backtrace.cpp).
  private static let crashes = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Switches them off for the rest of the process's life; called before a key is read. Without it no key is taken into memory.
  ///
  /// The size limit alone would not do: the kernel ignores it where core files go to a program (`core_pattern` with a `|`, core(5)). A process that is not
  /// dumpable leaves no core file anywhere, and other processes of the user may not look into it (prctl(2), PR_SET_DUMPABLE).
  static func forbid() throws(ProgramError) {
    guard flashline_forbid_core_files() == 0, flashline_forbid_dumps() == 0 else {
      throw .fault("core files cannot be switched off (\(String(cString: strerror(errno))))", "run Flashline as an ordinary program; a key could end up in one")
    }
    for number in crashes { signal(number, SIG_DFL) }
  }
}
