"""host_faults.py: what goes wrong with the computer while a job runs (README.md). A fault that cannot be made here is SKIPPED, loudly."""
from __future__ import annotations

import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from bench import Checks, Line, Station, check_records, check_stream, check_truth, finish

LIMITS = {'station_retries': 10, 'quarantine_after': 0}
LINE = ('--time-scale', '0.3')
JOB_LIMIT = 120


class SmallDisk:
    """A tmpfs of its own; None where that is not permitted."""

    def __init__(self, size: str):
        self.path = tempfile.mkdtemp(prefix='fldisk-', dir='/tmp')
        self.is_there = subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={size}', 'tmpfs', self.path], stderr=subprocess.DEVNULL).returncode == 0

    def fill(self, leaving: int):
        """Takes what is free but for so many bytes."""
        free = os.statvfs(self.path).f_bavail * os.statvfs(self.path).f_frsize
        with open(os.path.join(self.path, 'filler'), 'wb', buffering=0) as file:
            for _ in range(max(0, free - leaving) // 4096):
                try:
                    file.write(b'\0' * 4096)
                except OSError:      # the station was quicker
                    return

    def empty(self):
        os.unlink(os.path.join(self.path, 'filler'))

    def remove(self):
        if self.is_there:
            subprocess.run(['umount', '-l', self.path], check=False)
        os.rmdir(self.path)


def skipped(what: str, why: str):
    print(f'SKIPPED {what}: {why}')


def disk_full(checks: Checks, what: str, boards: int, leaving: int):
    """The disk of the database, or of the reports, gets full in the middle; then there is room again."""
    checks.where = f'disk full: {what}'
    disk = SmallDisk('16m')
    if not disk.is_there:
        disk.remove()
        return skipped(checks.where, 'a tmpfs needs root')
    try:
        with Line(2, boards, options=LINE) as line:
            place = {'database': os.path.join(disk.path, 'station.db')} if what == 'database' else {'reports': os.path.join(disk.path, 'reports')}
            station = Station(line, LIMITS, place)
            for name in ('station.db', 'station.db-wal', 'station.db-shm', 'reports'):
                if os.path.basename(list(place.values())[0]) == name.split('-')[0]:
                    os.symlink(os.path.join(disk.path, name), station.path(name))
            job = station.job('--count', str(boards), '--idle', '30s')
            run = station.start(*job)
            run.wait_for('board.finished', 2, limit=60)
            disk.fill(leaving)
            code = run.wait(JOB_LIMIT)
            checks.same('exit code', code, 3)
            check_stream_until_fault(checks, run)
            told = {event['mac'] for event in run.of('board.done') if event.get('good')}
            disk.empty()
            checks.same('PRAGMA integrity_check', station.query('PRAGMA integrity_check')[0]['integrity_check'], 'ok')
            checks.ok('what was told as done is in the database', told <= {row['mac'] for row in station.rows() if row['good']}, told)
            checks.ok('the operator is told what happened and what to do', '[disk.failed]' in run.words(), run.words()[-300:])
            again = station.start(*job)
            checks.same('with room again the same command brings the batch to its end', again.wait(JOB_LIMIT), 0)
            check_stream(checks, again)
            checks.same('batches', len(station.query('SELECT * FROM batches')), 1)
            time.sleep(0.5)
            check_truth(checks, station, line.boards())
            check_records(checks, station, again.events[-1].get('audit_head') if again.events else None)
            station.remove()
    finally:
        disk.remove()


def check_stream_until_fault(checks: Checks, run):
    checks.ok('every line of stdout is one JSON event of the contract with its time', not run.bad and not run.torn, run.bad[:3], run.torn)
    faults = [event for event in run.of('station.fault')]
    checks.ok('station.fault tells disk.failed', any(event.get('failure_code', event.get('code')) == 'disk.failed' for event in faults), faults[:2])


def file_limit(checks: Checks):
    """No file may grow any more (RLIMIT_FSIZE): the other way in which a write fails."""
    checks.where = 'file size limit'
    with Line(2, 30, options=LINE) as line:
        station = Station(line, LIMITS)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        run = station.start(*station.job('--count', '30', '--idle', '30s'), preexec_fn=limit)
        checks.same('exit code', run.wait(JOB_LIMIT), 3)
        checks.ok('the operator is told what happened and what to do', '[disk.failed]' in run.words(), run.words()[-300:])
        if os.path.exists(station.path('station.db')):
            checks.same('PRAGMA integrity_check', station.query('PRAGMA integrity_check')[0]['integrity_check'], 'ok')
        again = station.start(*station.job('--count', '30', '--idle', '30s'))
        checks.same('without the limit the same command brings the batch to its end', again.wait(JOB_LIMIT), 0)
        time.sleep(0.5)
        check_truth(checks, station, line.boards())
        check_records(checks, station, again.events[-1].get('audit_head') if again.events else None)
        station.remove()


def configuration_changed(checks: Checks):
    checks.where = 'station.conf changed during a job'
    with Line(2, 6, options=LINE) as line:
        station = Station(line, LIMITS)
        run = station.start(*station.job('--count', '6', '--idle', '30s'))
        run.wait_for('board.assigned', 2, limit=60)
        station.write('station.conf', '[station]\nid = other\ndatabase = other.db\nbogus\n')
        station.write('Profiles/virtual-line.profile', 'nothing\n')
        station.write('fw.bin', b'nothing')
        checks.same('the job goes on as it began', run.wait(JOB_LIMIT), 0)
        check_stream(checks, run)
        checks.ok('no other database', not os.path.exists(station.path('other.db')))
        checks.same('station_id', {row['station_id'] for row in station.rows()}, {'endurance'})
        station.write('station.conf', Station.configuration(LIMITS))
        check_truth_of_whole_image(checks, station, line)
        station.remove()


def check_truth_of_whole_image(checks: Checks, station: Station, line: Line):
    time.sleep(0.5)
    check_truth(checks, station, line.boards())


def reader_gone(checks: Checks):
    """`flashline --json run | head -1`"""
    checks.where = 'output pipe closed'
    with Line(2, 6, options=LINE) as line:
        station = Station(line, LIMITS)
        process = subprocess.Popen(station.command(*station.job('--count', '6', '--idle', '30s'), before=('--json',)), env=station.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = process.stdout.readline()
        checks.ok('the first line is whole', first.startswith(b'{') and first.endswith(b'}\n'), first)
        process.stdout.close()
        process.stderr.close()
        checks.same('the job goes on to its end', end(process), 0)
        check_truth(checks, station, line.boards())
        check_records(checks, station, None)
        station.remove()


def reader_blocks(checks: Checks):
    """Nobody reads stdout or stderr, and their pipes are as small as they can be."""
    import fcntl
    checks.where = 'reader that blocks'
    with Line(4, 40, options=LINE) as line:
        station = Station(line, LIMITS)
        process = subprocess.Popen(station.command(*station.job('--count', '40', '--idle', '30s'), before=('--json',)), env=station.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for pipe in (process.stdout, process.stderr):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        checks.same('the job goes on to its end', end(process), 0)
        checks.same('rows', len(station.rows()), 40)
        check_truth(checks, station, line.boards())
        check_records(checks, station, None)
        station.remove()


def end(process: subprocess.Popen, limit: float = JOB_LIMIT) -> int | None:
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def terminal_gone(checks: Checks):
    """The terminal window is closed: SIGHUP, and a terminal that refuses every byte. Boards in hand are finished, no other begins."""
    checks.where = 'terminal gone'
    with Line(2, 12) as line:
        station = Station(line, LIMITS)
        command, environment = station.command(*station.job('--count', '12', '--idle', '30s')), station.environment()
        child, terminal = pty.fork()
        if child == 0:
            os.execve(command[0], command, environment)
        deadline = time.monotonic() + 60
        shown = b''
        while time.monotonic() < deadline and not in_hand(station):
            shown = (shown + os.read(terminal, 65536))[-4096:]
        checks.ok('boards are in hand', in_hand(station), shown[-300:])
        begun = {row['mac'] for row in station.query('SELECT mac FROM attempts')}
        os.close(terminal)
        code = None
        while code is None and time.monotonic() < deadline + JOB_LIMIT:
            done, status = os.waitpid(child, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if done else None
            time.sleep(0.05)
        if code is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        checks.ok('it ends by itself, not by the signal', code is not None and code >= 0, code)
        rows = station.rows()
        # A board may have begun between our look and the signal.
        checks.ok('boards in hand are finished, no others begin', begun and len({row['mac'] for row in rows} - begun) <= 2, len(begun), len(rows))
        checks.ok('boards in hand are good', rows and all(row['outcome'] == 'passed' for row in rows), [(row['outcome'], row['failure_code']) for row in rows])
        checks.same('end_reason', station.query('SELECT end_reason FROM batches')[0]['end_reason'], 'operator')
        print(f'     exit code {code}, {len(rows)} boards finished')
        check_truth(checks, station, line.boards())
        check_records(checks, station, None)
        station.remove()


def in_hand(station: Station) -> bool:
    try:
        return station.query('SELECT count(*) AS n FROM attempts WHERE record IS NULL')[0]['n'] >= 2
    except Exception:        # not there yet
        return False


def main() -> int:
    checks = Checks()
    disk_full(checks, 'database', 30, 60_000)
    disk_full(checks, 'reports', 8, 0)
    file_limit(checks)
    configuration_changed(checks)
    reader_gone(checks)
    reader_blocks(checks)
    terminal_gone(checks)
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
