"""What a process costs, told by the kernel: processor time and peak memory of a child that has not been waited for yet."""
from __future__ import annotations

import subprocess
import threading
import time

LOOK = 0.02              # seconds between two looks at a process's memory


def processor_seconds(pid: int) -> float:
    """User and system time of all its threads: the process's own clock (clock_getcpuclockid(3): the pid, inverted, above three bits of kind)."""
    return time.clock_gettime((~pid << 3) | 2)


def peak_kilobytes(pid: int) -> int:
    """The most that was ever resident; 0 when it has ended. Not ru_maxrss: that begins with the size of the parent that forked it."""
    try:
        with open(f'/proc/{pid}/status', encoding='ascii', errors='replace') as file:
            return next(int(text.split()[1]) for text in file if text.startswith('VmHWM'))
    except (OSError, StopIteration):
        return 0


def timed(command: list[str], output: str, limit: float, **options) -> tuple[float, int]:
    """Runs a command with its stdout in a file; returns seconds and peak kilobytes. Fails when the command does."""
    peak, over = 0, threading.Event()

    def watch(pid: int):
        nonlocal peak
        while not over.is_set():
            peak = max(peak, peak_kilobytes(pid))
            over.wait(LOOK)
    with open(output, 'wb') as file:
        began = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, **options)
        watcher = threading.Thread(target=watch, args=(process.pid,), daemon=True)
        watcher.start()
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        finally:
            over.set()
            watcher.join()
    seconds = time.monotonic() - began
    if code:
        raise RuntimeError(f'{" ".join(command)}: exit code {code}')
    return seconds, peak
