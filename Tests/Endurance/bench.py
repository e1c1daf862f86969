"""A virtual line and stations on it, each a process of the program under test, and what they leave: shared by the checks of this folder."""
from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'Tests', 'RealStack', 'line'))
# The reader of events and CSV is the rig's: one reader for everything that the contract promises.
from verdict import COLUMNS, EVENTS, TIME, Checks, alike, check_csv  # noqa: E402

VERSION = '2.0.0'
OBSERVE = tuple('observe.' + word for word in 'started connected disconnected chunk gap malformed full refused uploaded waiting held rejected draining finished'.split())
MANY = ('board.progress', 'board.phase', 'board.seen', 'observe.chunk')     # not kept: too many
READY_LIMIT = 60         # seconds for a line to come up
END_LIMIT = 20           # and to end


def program() -> str:
    path = os.environ.get('FLASHLINE') or os.path.join(ROOT, '.build', 'release', 'flashline')
    if not os.access(path, os.X_OK):
        sys.exit(f'{path} is not there: `make build`, or name the program in FLASHLINE')
    return os.path.abspath(path)


def image(payload: int = 12 * 1024, version: str = VERSION, magic: int = 0x96F3B83D) -> bytes:
    """An unsigned MCUboot image (facts smp.md section 5): header of 32 bytes padded to 512, payload, TLV area with the SHA-256 of both."""
    major, minor, revision = map(int, version.split('.'))
    header = struct.pack('<IIHHIIBBHII', magic, 0, 512, 0, payload, 0, major, minor, revision, 0, 0).ljust(512, b'\xff')
    body = header + b''.join(hashlib.sha256(b'%d %s' % (number, version.encode())).digest() for number in range(payload // 32 + 1))[:payload]
    return body + struct.pack('<HHHH', 0x6907, 8 + 32, 0x10, 32) + hashlib.sha256(body).digest()


def image_hash(data: bytes) -> str:
    return data[-32:].hex()


class Line:
    """`flashline line`: lives in a state folder of its own, survives stations."""

    def __init__(self, adapters: int, boards: int, faults: dict | None = None, options: tuple = ()):
        self.folder = tempfile.mkdtemp(prefix='flend-', dir='/tmp')
        arguments = [program(), 'line', '--adapters', str(adapters), '--boards', str(boards), '--state', self.folder, *options]
        if faults:
            path = os.path.join(self.folder, 'faults.json')
            with open(path, 'w', encoding='utf-8') as file:
                json.dump(faults, file)
            arguments += ['--faults', path]
        self.log = open(os.path.join(self.folder, 'line.log'), 'wb')
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        deadline = time.monotonic() + READY_LIMIT
        while not os.path.exists(os.path.join(self.folder, 'ready')):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f'the line did not start: {self.tail()}')
            time.sleep(0.05)

    def tail(self) -> str:
        with open(os.path.join(self.folder, 'line.log'), encoding='utf-8', errors='replace') as file:
            return ' / '.join(file.read().splitlines()[-3:])

    def environment(self) -> dict:
        values = dict(os.environ)
        with open(os.path.join(self.folder, 'environment'), encoding='utf-8') as file:
            for text in file.read().splitlines():
                name, value = text.removeprefix('export ').split('=', 1)
                values[name] = value.strip("'")
        return values

    def truth(self) -> dict:
        """The boards as they are now: SIGUSR1 asks for it."""
        path = os.path.join(self.folder, 'truth.json')
        before = os.stat(path).st_ino, os.stat(path).st_mtime_ns
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGUSR1)
            deadline = time.monotonic() + 10
            while (os.stat(path).st_ino, os.stat(path).st_mtime_ns) == before and time.monotonic() < deadline:
                time.sleep(0.01)
        with open(path, encoding='utf-8') as file:
            return json.load(file)

    def boards(self) -> dict:
        return {board['address']: board for board in self.truth()['boards']}

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(END_LIMIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if not os.environ.get('KEEP'):
            shutil.rmtree(self.folder, ignore_errors=True)


class Station:
    """A station's folder: configuration, profile, package, records; and its runs as processes."""

    def __init__(self, line: Line | None, limits: dict | None = None, station: dict | None = None, payload: int = 12 * 1024, folder: str | None = None):
        self.line = line
        self.folder = folder or tempfile.mkdtemp(prefix='flstation-', dir='/tmp')
        self.image = image(payload)
        self.write('fw.bin', self.image)
        self.write('station.conf', self.configuration(limits, station))
        os.makedirs(os.path.join(self.folder, 'Profiles'), exist_ok=True)
        shutil.copy(os.path.join(ROOT, 'Profiles', 'virtual-line.profile'), os.path.join(self.folder, 'Profiles'))
        self.runs = 0

    @staticmethod
    def configuration(limits: dict | None = None, station: dict | None = None) -> str:
        chosen = {'id': 'endurance', 'database': 'station.db', 'reports': 'reports', 'timezone': 'UTC'} | (station or {})
        return ('[station]\n' + ''.join(f'{key} = {value}\n' for key, value in chosen.items()) +
                '[limits]\n' + ''.join(f'{key} = {value}\n' for key, value in (limits or {}).items()))

    def path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def write(self, name: str, data):
        with open(self.path(name), 'wb') as file:
            file.write(data.encode() if isinstance(data, str) else data)

    def command(self, *arguments: str, before: tuple = ()) -> list[str]:
        return [program(), '--config', self.path('station.conf'), *before, *arguments]

    def job(self, *options: str) -> tuple:
        return ('run', '--profile', 'virtual-line', '--package', self.path('fw.bin'), *options)

    def environment(self) -> dict:
        return self.line.environment() if self.line and self.line.process.poll() is None else dict(os.environ)

    def start(self, *arguments: str, before: tuple = ('--json',), **options) -> 'Run':
        self.runs += 1
        return Run(self, self.command(*arguments, before=before), self.path(f'run{self.runs}'), **options)

    def ask(self, *arguments: str, before: tuple = (), limit: float = 120, **options) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(*arguments, before=before), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit,
                              **({'env': self.environment()} | options))

    def query(self, sql: str, *values) -> list[dict]:
        database = sqlite3.connect(self.path('station.db'), timeout=10)
        try:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(sql, values)]
        finally:
            database.close()

    def rows(self) -> list[dict]:
        return self.query('SELECT * FROM results ORDER BY record')

    def remove(self):
        if not os.environ.get('KEEP'):
            shutil.rmtree(self.folder, ignore_errors=True)


class Run:
    """One `flashline --json run` or `observe`; its events are read as they come. `keep`: stdout stands in a file, too, as it came."""

    def __init__(self, station: Station, command: list[str], stem: str, on_event=None, keep: bool = False, **options):
        self.kept = open(stem + '.out', 'wb', buffering=0) if keep else None
        self.events, self.bad, self.torn, self.on_event = [], [], b'', on_event
        self.errors = open(stem + '.err', 'w+b')
        options = {'env': station.environment(), 'stdin': subprocess.DEVNULL} | options
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, **options)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for text in self.process.stdout:
            if self.kept:
                self.kept.write(text)
            if not text.endswith(b'\n'):
                self.torn = text
                return
            try:
                event = json.loads(text)
                well = (event.get('event') in EVENTS or event.get('event') in OBSERVE) and TIME.fullmatch(event.get('time', ''))
            except (ValueError, AttributeError):
                well = False
            if not well:
                self.bad.append(text[:200])
                continue
            if event['event'] not in MANY:
                self.events.append(event)
            if self.on_event:
                self.on_event(event)

    def wait(self, limit: float) -> int | None:
        """The exit code; None when the limit passed and it had to be killed."""
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            self.reader.join(5)
            return None
        self.reader.join(10)
        return self.process.returncode

    def wait_for(self, kind: str, count: int = 1, limit: float = 60) -> bool:
        deadline = time.monotonic() + limit
        while len(self.of(kind)) < count:
            if time.monotonic() > deadline or self.process.poll() is not None and not self.reader.is_alive():
                return len(self.of(kind)) >= count
            time.sleep(0.02)
        return True

    def of(self, kind: str) -> list[dict]:
        return [event for event in list(self.events) if event['event'] == kind]

    def words(self) -> str:
        self.errors.flush()
        with open(self.errors.name, encoding='utf-8', errors='replace') as file:
            return file.read()

    def memory(self, kind: str = 'VmRSS') -> int:
        """Resident memory in kB (`VmRSS`, or its part `RssAnon`, `RssFile`); 0 when the process has ended."""
        try:
            with open(f'/proc/{self.process.pid}/status', encoding='ascii', errors='replace') as file:
                return next(int(text.split()[1]) for text in file if text.startswith(kind + ':'))
        except (OSError, StopIteration):
            return 0

    def seconds(self) -> float:
        """Processor seconds, user and system."""
        with open(f'/proc/{self.process.pid}/stat', encoding='ascii', errors='replace') as file:
            fields = file.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


# -- what holds for every database that a station leaves ---------------------------------------------------------------


def check_records(checks: Checks, station: Station, head: str | None):
    """Sound, nothing open, numbered without a gap, the same in the CSV files, in `report` and in the audit."""
    checks.same('PRAGMA integrity_check', station.query('PRAGMA integrity_check')[0]['integrity_check'], 'ok')
    rows = station.rows()
    checks.same('attempts left open', station.query('SELECT count(*) AS n FROM attempts WHERE record IS NULL')[0]['n'], 0)
    checks.same('records are numbered without a gap', [row['record'] for row in rows], list(range(1, len(rows) + 1)))
    checks.same('every record stands in the audit', station.query('SELECT count(record) AS n FROM audit')[0]['n'], len(rows))
    days: dict[str, list] = {}
    for row in rows:
        days.setdefault(row['report_day'], []).append(row)
    folder = station.path('reports')
    checks.same('report files', sorted(name for name in os.listdir(folder) if not name.startswith('.')), sorted(f'{day}.csv' for day in days))
    for day, of_day in days.items():
        try:
            with open(os.path.join(folder, f'{day}.csv'), 'rb') as file:
                check_csv(checks, f'{day}.csv', file.read(), of_day)
        except OSError as error:
            checks.ok(f'{day}.csv: {error}', False)
    told = station.ask('report')
    checks.same('exit code of report', told.returncode, 0)
    check_csv(checks, 'report', told.stdout, rows)
    audit = station.ask('audit', *(('--expect', head) if head else ()))
    checks.same('audit holds', audit.returncode, 0)
    if audit.returncode:
        checks.say('    ', audit.stderr.decode(errors='replace').strip()[:300])


def check_stream(checks: Checks, run: Run, torn: bool = False):
    checks.ok('every line of stdout is one JSON event of the contract with its time', not run.bad, run.bad[:3])
    if not torn:
        checks.ok('the last line of stdout is whole', not run.torn, run.torn[:100])
        checks.ok('batch.finished is the last event', run.events and run.events[-1]['event'] == 'batch.finished', run.events[-1:])


def check_truth(checks: Checks, station: Station, boards: dict):
    """Each board's last result against the board itself."""
    wanted = image_hash(station.image)
    last = {row['mac']: row for row in station.rows()}
    false_passes = [mac for mac, row in last.items() if row['outcome'] in ('passed', 'skipped') and not is_good(boards[mac], wanted)]
    checks.ok('no false pass', not false_passes, false_passes[:5])
    checks.ok('good is what passed', all(row['good'] == (row['outcome'] in ('passed', 'skipped')) for row in last.values()))
    for mac, row in last.items():
        board = boards[mac]
        wrong = [f'{name} {row[name]!r}, the board {is_there!r}' for name, is_there in (
            ('serial_number', board['serial']), ('model_number', board['model']), ('hardware_revision', board['hardware']),
            ('image_hash_after', board['hash']), ('firmware_after', board['version'])) if row[name] is not None and row[name] != is_there]
        if row['good'] == 0 and is_good(board, wanted):
            wrong.append('not good, and the board is')
        if row['left_as'] == 'application' and not (board['confirmed'] and board['advertises']):
            wrong.append(f'left_as application, the board confirmed {board["confirmed"]}, advertises {board["advertises"]}')
        if row['left_as'] == 'unconfirmed' and board['confirmed']:
            wrong.append('left_as unconfirmed, the board is confirmed')
        if board['connected']:
            wrong.append('a link is left open')
        checks.ok(f'{mac} is recorded as it is ({row["outcome"]} {row["failure_code"] or ""})', not wrong, '; '.join(wrong))


def is_good(board: dict, wanted: str) -> bool:
    return board['hash'] == wanted and board['confirmed'] and board['advertises'] and all(slot['valid'] for slot in board['slots'] if slot['active'])


def finish(checks: Checks) -> int:
    print(f'{checks.passed} passed, {len(checks.failures)} failed', flush=True)
    return 1 if checks.failures else 0
