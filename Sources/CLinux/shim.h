// CLinux: what Swift's Glibc module leaves out (epoll, eventfd, getopt_long, prctl) and variadics as inline functions; no logic.
#pragma once
// Not with _GNU_SOURCE: it changes structures (fd_set) that Swift's Glibc module has seen without it, and the two do not build together.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// The kernel's Bluetooth management socket (include/net/bluetooth/hci_sock.h, bluetooth.h; libc has none of it).
enum { flashline_af_bluetooth = 31, flashline_btproto_hci = 1, flashline_hci_dev_none = 0xffff, flashline_hci_channel_control = 3 };
struct flashline_sockaddr_hci {
  unsigned short hci_family;
  unsigned short hci_dev;
  unsigned short hci_channel;
};

static inline char *_Nullable flashline_optarg(void) { return optarg; }
static inline int flashline_optind(void) { return optind; }
static inline int flashline_optopt(void) { return optopt; }
static inline void flashline_reset_getopt(void) { optind = 0; opterr = 0; }
static inline int flashline_fcntl(int fd, int command, int argument) { return fcntl(fd, command, argument); }
static inline int flashline_terminal_columns(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 0;
}
static inline int flashline_terminal_rows(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 0;
}
static inline int flashline_die_with_parent(int signal_number) { return prctl(PR_SET_PDEATHSIG, signal_number); }
static inline int flashline_name_thread(const char *_Nonnull name) { return prctl(PR_SET_NAME, name); }
static inline int flashline_forbid_core_files(void) {
  const struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_CORE, &none);
}
static inline int flashline_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0); }
static inline FILE *_Nullable flashline_stdout(void) { return stdout; }
static inline FILE *_Nullable flashline_stderr(void) { return stderr; }
