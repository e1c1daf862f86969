"""observe.py [--chunks N] [--seed N] [--only NAME]: chunks of 8 virtual boards carried to a server that is not always there (README.md).

One line per failed check; last line "N passed, N failed"; exit code 1 where one failed.
"""
from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time

from bench import Checks, Line, Station, finish
from chunk_server import ChunkServer

BOARDS = 8
ADAPTERS = 4
SIZE = 64                # bytes of a chunk
MEMORY_FACTOR = 1.1
LINE = ('--time-scale', '0.1')
RADIO = {'intervalMilliseconds': 7.5}
# Chunks that a killed station may have had in its hands and not yet on the disk, of each board: what its socket and its reader hold.
IN_HAND = 2048
JOURNAL = '/run/systemd/journal/socket'
LEAST_QUEUE = 65_536     # bytes, the smallest [cloud] queue_limit


def address(number: int) -> str:
    text = f'{0xC0DE00000000 + number + 1:012X}'
    return ':'.join(text[index:index + 2] for index in range(0, 12, 2))


def serial(number: int) -> str:
    return f'VL1-{number + 1:04}'


def key(number: int, r: random.Random) -> str:
    return hashlib.sha256(f'{number} {r.random()}'.encode()).hexdigest()[:32]


class Journal:
    """Takes what would go to the systemd journal. Where there is a real one it is left alone."""

    def __init__(self):
        self.entries, self.socket = [], None
        if os.path.exists(JOURNAL):
            print(f'SKIPPED text of the journal: {JOURNAL} is there already')
            return
        try:
            os.makedirs(os.path.dirname(JOURNAL), exist_ok=True)
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.socket.bind(JOURNAL)
        except OSError as error:
            print(f'SKIPPED text of the journal: {error}')
            self.socket = None
            return
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            try:
                self.entries.append(self.socket.recv(1 << 16))
            except OSError:
                return

    def close(self):
        if self.socket:
            self.socket.close()
            os.unlink(JOURNAL)


class Cloud:
    """Boards with diagnostics on a line, a server for them, and a station between."""

    def __init__(self, checks: Checks, seed: int, chunks: int, faults=None, more: tuple = (), line_faults: tuple = (), boards: int = BOARDS, size: int = SIZE,
                 limit: int | None = None, server: dict | None = None):
        r = random.Random(seed)
        self.checks, self.chunks, self.seed = checks, chunks, seed
        self.keys = {serial(number): key(number, r) for number in range(boards)}
        self.server = ChunkServer(self.keys, **(server or {}))
        script = {'radio': RADIO, 'line': list(line_faults), 'boards': [
            {'board': number, 'faults': (faults or (lambda _: []))(number), 'settings': {'kind': 'mds', 'mds': {
                'uri': self.server.address, 'authorization': f'Memfault-Project-Key:{self.keys[serial(number)]}',
                'generated': {'count': chunks, 'size': size, 'seed': seed}}, **dict(more)}} for number in range(boards)]}
        self.line = Line(min(ADAPTERS, boards), boards, script, LINE)
        # A commit for each chunk: on a disk that is a minute or ten of waiting for it, and a kill is the same without one.
        self.disk = tempfile.mkdtemp(prefix='flqueue-', dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else '/tmp')
        self.queue = os.path.join(self.disk, 'queue.db')
        self.station = Station(self.line)
        self.station.write('station.conf', Station.configuration() + '[log]\nlevel = debug\n[cloud]\nallowed_hosts = 127.0.0.1\n' +
                           f'queue = {self.queue}\n' + (f'queue_limit = {limit}\n' if limit else ''))
        self.runs = []

    # -- the station ---------------------------------------------------------------------------------------------------------

    def observe(self, *options: str, **more):
        run = self.station.start('observe', *options, keep=True, **more)
        self.runs.append(run)
        return run

    def addresses(self) -> list[str]:
        return [address(number) for number in range(len(self.keys))]

    def kill(self, run) -> bool:
        """kill -9; false when it had ended by itself."""
        alive = run.process.poll() is None
        if alive:
            run.process.send_signal(signal.SIGKILL)
        run.wait(10)
        time.sleep(0.5)      # the server's threads have written their answers, and the line has noticed
        self.server.doubt()
        return alive

    def lanes(self) -> dict[str, dict]:
        """What the queue says of each board, by serial number."""
        database = sqlite3.connect(self.queue, timeout=10)
        try:
            database.row_factory = sqlite3.Row
            rows = [dict(row) for row in database.execute(
                'SELECT *, (SELECT count(*) FROM chunks WHERE chunks.lane_id = lanes.lane_id AND rejected_with IS NULL) AS pending FROM lanes ORDER BY lane_id')]
        finally:
            database.close()
        total: dict[str, dict] = {}
        for row in rows:
            into = total.setdefault(row['device_id'], {'lanes': 0})
            into['lanes'] += 1
            for name in ('received', 'uploaded', 'missing', 'dropped', 'rejected', 'repeated', 'pending'):
                into[name] = into.get(name, 0) + row[name]
            into['held'] = row['held']
        return total

    # -- the boards ----------------------------------------------------------------------------------------------------------

    def truth(self) -> dict[str, dict]:
        return {board['serial']: board['mds'] for board in self.line.truth()['boards']}

    def delivered(self) -> int:
        return sum(board['delivered'] for board in self.truth().values())

    def is_empty(self) -> bool:
        return all(board['waiting'] == 0 for board in self.truth().values())

    def wait(self, what: str, condition, limit: float, run=None, pause: float = 0.5) -> bool:
        deadline = time.monotonic() + limit
        while not condition():
            if time.monotonic() > deadline or run and run.process.poll() is not None:
                code = run.process.poll() if run else None
                return self.checks.ok(f'{what} within {limit:.0f} s', False, f'exit code {code}' if code is not None else '', run.words()[-300:] if run else '')
            time.sleep(pause)
        return True

    # -- what must hold ------------------------------------------------------------------------------------------------------

    def check_arrivals(self, cuts: dict[str, list] | None = None, lost: dict[str, set] | None = None, whole: bool = True):
        """Every chunk once and in order; what is missing is what nobody can have had.

        cuts: by serial number, the links that a kill ended. lost: chunks that were never on the air, or dropped by a full queue. whole: the server has all that the
        boards have delivered.
        """
        checks, truth, lanes = self.checks, self.truth(), self.lanes()
        where = checks.where
        checks.same('requests that are none', self.server.malformed[:3], [])
        checks.same('requests with a key of another board', [request.serial for request in self.server.requests if request.key != self.keys[request.serial]][:3], [])
        checks.same('requests beside another one of the same board', [request.serial for request in self.server.requests if request.overlaps][:3], [])
        checks.same('requests before the pause was over that the server had asked for', [request.serial for request in self.server.requests if request.hasty][:3], [])
        for name, board in truth.items():
            checks.where = f'{where}/{name}'
            chunks, wrong, again = self.server.sequence(name)
            numbers = [int.from_bytes(chunk[4:8], 'big') for chunk in chunks]
            checks.same('chunks that came again after a 2xx', [int.from_bytes(chunk[4:8], 'big') for chunk in wrong][:5], [])
            checks.ok('in order', numbers == sorted(numbers), [pair for pair in zip(numbers, numbers[1:]) if pair[0] > pair[1]][:3])
            checks.same('all chunks are the board\'s own', {int.from_bytes(chunk[:4], 'big') for chunk in chunks}, {int(board_address(name), 16) & 0xFFFFFFFF})
            never = set(range(self.chunks)) - set(numbers)
            excused = set((lost or {}).get(name, ()))
            for link in board['links']:
                excused |= set(range(link['first'] + link['delivered'], link['first'] + link['sent']))
            for first, end in (cuts or {}).get(name, []):
                # The last ones of a link that a kill ended, in one piece.
                tail = {number for number in never - excused if first <= number < end}
                if tail and tail == set(range(min(tail), end)) and len(tail) <= IN_HAND:
                    excused |= tail
            checks.same('chunks that did not arrive and could have', sorted(never - excused)[:8], [])
            checks.same('the board has nothing left', board['waiting'], 0)
            if whole:
                digest = bytes(32)
                for chunk in chunks:
                    digest = hashlib.sha256(digest + chunk).digest()
                checks.same('what arrived is what the board has sent, byte for byte', digest.hex(), board['digest'])
            lane = lanes.get(name, {})
            checks.same('the queue is empty', lane.get('pending'), 0)
            checks.same('every chunk that came is accounted for', lane.get('received'), lane.get('uploaded', 0) + lane.get('dropped', 0) + lane.get('rejected', 0))
            checks.same('the queue counts what the server has', lane.get('uploaded'), len(chunks))
            checks.ok('what came twice is counted', again <= lane.get('repeated', 0), again, lane.get('repeated'))
        checks.where = where

    def check_secrets(self, journal: Journal | None):
        """Only the key files hold keys."""
        secrets = [value.encode() for value in self.keys.values()]
        texts = {}
        folder = self.queue + '.keys'
        held = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        for path in [os.path.join(folder, name) for folder, _, names in os.walk(self.station.folder) for name in names] + [
                os.path.join(self.disk, name) for name in os.listdir(self.disk) if os.path.isfile(os.path.join(self.disk, name))]:
            with open(path, 'rb') as file:
                texts[path] = file.read()
        texts['names of the key files'] = '\n'.join(held).encode()
        if journal:
            texts['journal'] = b'\n'.join(journal.entries)
        found = sorted({place for place, text in texts.items() if any(secret in text or secret.hex().encode() in text for secret in secrets)})
        self.checks.same('places that hold a key', found, [])
        in_files = [open(path, 'rb').read().strip() for path in held]
        self.checks.ok('each key is in one key file', sorted(in_files) == sorted(set(in_files)) and set(in_files) <= set(secrets), len(in_files))
        modes = {oct(os.stat(path).st_mode & 0o777) for path in held}
        self.checks.same('modes of the key files', modes, {'0o600'})
        self.checks.same('mode of their folder', oct(os.stat(folder).st_mode & 0o777), '0o700')

    def close(self, failed: bool):
        for run in self.runs:
            if run.process.poll() is None:
                run.process.kill()
        self.server.down()
        self.server.release.set()
        self.line.stop()
        if failed:
            print(f'     kept: {self.station.folder}, {self.disk}')
        elif not os.environ.get('KEEP'):
            shutil.rmtree(self.line.folder, ignore_errors=True)
            shutil.rmtree(self.disk, ignore_errors=True)
            self.station.remove()


def board_address(name: str) -> str:
    return address(int(name.removeprefix('VL1-')) - 1).replace(':', '')


def check_end(checks: Checks, run, code: int | None, wanted: int = 0):
    checks.ok(f'exit code {code} is {wanted}', code == wanted, run.words()[-300:])
    ends = run.of('observe.finished')
    checks.ok('observe.finished is the last event, with the exit code', ends and run.events[-1] is ends[0] and ends[0].get('exit') == wanted, ends)
    checks.ok('every line of stdout is one JSON event with its time', not run.bad, run.bad[:3])


# -- the checks ----------------------------------------------------------------------------------------------------------------


def flat(checks: Checks, arguments, journal):
    """Many chunks, one process: no growth; server down for the first half and once more, pauses that it asks for, links lost, chunks that never were on the air."""
    chunks = arguments.chunks // BOARDS

    def faults(number: int) -> list:
        made = [{'do': 'dropStream', 'count': chunks * (20 + 5 * number) // 100}, {'do': 'dropStream', 'count': chunks * (60 + 4 * number) // 100}]
        return made + ([{'do': 'loseChunk', 'count': chunks // 3, 'times': 3}] if number == 5 else [])
    line_faults = ({'do': 'loseLinks', 'adapter': 1, 'when': {'board': 2, 'chunks': chunks * 2 // 5}},
                   {'do': 'unplug', 'adapter': 2, 'when': {'board': 3, 'chunks': chunks * 4 // 5}, 'milliseconds': 2000})
    cloud = Cloud(checks, arguments.seed, chunks, faults, line_faults=line_faults, server={'busy': (2, 3, 9), 'pause': 2})
    before = len(checks.failures)
    try:
        began = time.monotonic()
        run = cloud.observe(*cloud.addresses())
        memory = {}
        total = chunks * BOARDS
        cloud.wait('a tenth of the chunks', lambda: cloud.delivered() >= total // 10, arguments.limit, run)
        memory['tenth'] = run.memory()
        cloud.wait('half of the chunks', lambda: cloud.delivered() >= total // 2, arguments.limit, run)
        memory['half'] = run.memory()
        checks.same('requests while the server was down', len(cloud.server.requests), 0)
        cloud.server.up()
        cloud.wait('three quarters of the chunks', lambda: cloud.delivered() >= total * 3 // 4, arguments.limit, run)
        cloud.server.down()
        time.sleep(2)
        cloud.server.doubt()
        cloud.server.up()
        cloud.wait('the boards are empty', cloud.is_empty, arguments.limit, run)
        received = time.monotonic() - began
        cloud.wait('all is uploaded', lambda: all(lane['pending'] == 0 for lane in cloud.lanes().values()), arguments.limit, run)
        took = time.monotonic() - began
        memory['end'] = run.memory()
        processor = run.seconds()
        # No further boards; what waits is uploaded. Not 0: chunks are missing.
        run.process.send_signal(signal.SIGHUP)
        check_end(checks, run, run.wait(60), 1)
        # A fault counts the chunks that were to leave: the one that a lost link kept back is met again.
        truth = cloud.truth()
        never = {serial(5): {number for number in range(chunks)} - {int.from_bytes(chunk[4:8], 'big') for chunk in cloud.server.sequence(serial(5))[0]}}
        quiet = {number for link in truth[serial(5)]['links'] for number in range(link['first'] + link['delivered'], link['first'] + link['sent'])}
        checks.ok('of the board that lost 3 chunks inside, 3 are missing beside those in flight', len(never[serial(5)]) in range(3, 3 + len(quiet) + 1), never)
        cloud.check_arrivals(lost=never)
        lanes = cloud.lanes()
        checks.same('gaps that the station has recorded', {name: lane['missing'] for name, lane in lanes.items() if lane['missing']}, {serial(5): 3})
        checks.ok('the server asked for pauses', sum(request.status == 503 for request in cloud.server.requests) >= BOARDS)
        checks.ok('chunks came in batches', max(len(request.chunks) for request in cloud.server.requests) > 1)
        checks.ok(f'memory is flat: at the end at most {MEMORY_FACTOR} x at a tenth of the chunks', 0 < memory['end'] <= memory['tenth'] * MEMORY_FACTOR, memory)
        checks.same('notifications that a socket had no room for', cloud.line.truth()['conduct'].get('lostNotifications', 0), 0)
        fired = sum(sum(board['faultsFired'].values()) for board in cloud.line.truth()['boards'])
        checks.same('faults that happened', fired + len(cloud.line.truth()['conduct']['lineFaults']), 2 * BOARDS + 3 + 2)
        cloud.check_secrets(journal)
        print(f'     {total} chunks of {BOARDS} boards: received in {received:.0f} s, uploaded after {took:.0f} s in {len(cloud.server.requests)} requests; '
              f'{processor:.1f} s of a processor; memory {memory["tenth"] / 1000:.1f} MB at a tenth, {memory["half"] / 1000:.1f} MB at half, {memory["end"] / 1000:.1f} MB at the end')
    finally:
        cloud.close(len(checks.failures) > before)


def kills(checks: Checks, arguments, journal):
    """kill -9 while chunks come and go; a key that is refused; then the rest without boards and without Bluetooth."""
    chunks, r = 4000, random.Random(arguments.seed)
    cloud = Cloud(checks, arguments.seed, chunks, lambda number: [{'do': 'dropStream', 'count': 200 + 100 * number}], server={'busy': (5,), 'pause': 1})
    before = len(checks.failures)
    cuts: dict[str, list] = {}
    try:
        cloud.server.forbidden.add(cloud.keys[serial(6)])
        cloud.server.up()
        for number in range(arguments.kills):
            run = cloud.observe(*cloud.addresses())
            seen = cloud.delivered()
            cloud.wait(f'chunks before kill {number + 1}', lambda: cloud.delivered() > seen or cloud.is_empty(), 60, run, 0.1)
            if number % 2:
                # In the middle of an upload: the server has the body and gives no answer.
                # Of a board that still has something to send; the one whose key is refused has none.
                waiting = [name for name, board in cloud.truth().items() if board['waiting'] > 200 and name != serial(6)]
                if not checks.ok('a board still has chunks: give more', waiting):
                    break
                name = r.choice(waiting)
                cloud.server.release.clear()
                cloud.server.held.add(name)
                cloud.wait('a request without an answer', lambda: any(request.serial == name and request.ended is None for request in cloud.server.requests), 30, run, 0.05)
            time.sleep(r.uniform(0, 1.5))
            checks.ok('it ran until it was killed', cloud.kill(run), run.words()[-300:])
            cloud.server.held.clear()
            cloud.server.release.set()
            time.sleep(0.3)
            cloud.server.doubt()
            cloud.server.forget_pauses()
            for name, board in cloud.truth().items():
                if board['links']:
                    link = board['links'][-1]
                    cuts.setdefault(name, []).append((link['first'], link['first'] + link['delivered']))
            database = sqlite3.connect(cloud.queue)
            checks.same('PRAGMA integrity_check', database.execute('PRAGMA integrity_check').fetchone()[0], 'ok')
            database.close()
        run = cloud.observe(*cloud.addresses())
        cloud.wait('the boards are empty', cloud.is_empty, 240, run)
        cloud.wait('all but the refused key is uploaded', lambda: all(lane['pending'] == 0 for name, lane in cloud.lanes().items() if name != serial(6)), 120, run)
        refused = [request for request in cloud.server.requests if request.status == 403]
        checks.ok('the refused key was tried, and then left alone', 0 < len(refused) <= arguments.kills + 1, len(refused))
        checks.ok('its board is told as held', cloud.lanes()[serial(6)]['held'], cloud.lanes()[serial(6)])
        run.process.send_signal(signal.SIGINT)
        check_end(checks, run, run.wait(30), 130)
        checks.ok('the operator is told of the key, in words', 'project key' in run.words(), run.words()[-400:])
        checks.ok('and programs', [event['mac'] for event in run.of('observe.held')] == [address(6)], run.of('observe.held'))
        # Without boards, and without a bus.
        cloud.server.forbidden.clear()
        cloud.line.process.send_signal(signal.SIGSTOP)
        alone = cloud.observe('--upload-only', env=dict(os.environ) | {'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/nowhere'})
        check_end(checks, alone, alone.wait(60))
        cloud.line.process.send_signal(signal.SIGCONT)
        again = cloud.observe('--upload-only', env=dict(os.environ) | {'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/nowhere'})
        asked = len(cloud.server.requests)
        check_end(checks, again, again.wait(60))
        checks.same('requests when nothing is left', len(cloud.server.requests) - asked, 0)
        cloud.check_arrivals(cuts, whole=False)
        cloud.check_secrets(journal)
        repeated = sum(cloud.server.sequence(name)[2] for name in cloud.keys)
        lost = {name: chunks - len(cloud.server.sequence(name)[0]) for name in cloud.keys}
        print(f'     {arguments.kills} kills: {repeated} chunks came twice because their answer was not read, {sum(lost.values())} of {chunks * BOARDS} were in flight or in hand')
    finally:
        cloud.close(len(checks.failures) > before)


def full(checks: Checks, arguments, journal):
    """The queue's limit is reached: boards are stopped before, the oldest chunks are kept, what is lost all the same is counted, and it is said."""
    chunks, size = 300, 200
    cloud = Cloud(checks, arguments.seed, chunks, size=size, limit=LEAST_QUEUE)
    before = len(checks.failures)
    total = lambda name: sum(lane[name] for lane in cloud.lanes().values())
    numbers = lambda name: [int.from_bytes(chunk[4:8], 'big') for chunk in cloud.server.sequence(name)[0]]
    try:
        run = cloud.observe(*cloud.addresses())
        cloud.wait('the queue is full, or nearly so', lambda: run.of('observe.full'), 120, run)
        time.sleep(3)
        kept, lost = total('pending'), total('dropped')
        checks.ok('what is kept is nine tenths of the queue, or more', LEAST_QUEUE * 9 // 10 // size <= kept <= LEAST_QUEUE // size, kept)
        # What a board had sent by then, and a busy computer had not looked at yet, is lost where it does not fit into the last tenth.
        checks.ok('the boards are stopped and keep the others', total('received') == kept + lost < chunks * BOARDS * 3 // 4, lost, total('received'))
        checks.ok('the operator is told', 'queue' in run.words().lower() and 'full' in run.words().lower() and 'queue_limit' in run.words(), run.words()[-400:])
        run.process.send_signal(signal.SIGINT)
        check_end(checks, run, run.wait(30), 130)
        held = {name: (lane['received'], lane['dropped']) for name, lane in cloud.lanes().items()}
        run = cloud.observe(*cloud.addresses())
        time.sleep(5)
        checks.same('with a full queue no board is asked again', {name: (lane['received'], lane['dropped']) for name, lane in cloud.lanes().items()}, held)
        cloud.kill(run)
        cloud.server.up()
        alone = cloud.observe('--upload-only')
        check_end(checks, alone, alone.wait(60))
        checks.ok('the oldest were kept', all(numbers(name) == list(range(received - dropped)) for name, (received, dropped) in held.items()))
        run = cloud.observe(*cloud.addresses())
        cloud.wait('the boards are empty', cloud.is_empty, 300, run)
        run.process.send_signal(signal.SIGHUP)
        code = run.wait(60)
        # With such a small queue it may fill up again while the boards stream: then that is counted, too.
        dropped = {name: lane['dropped'] for name, lane in cloud.lanes().items()}
        check_end(checks, run, code, 1 if sum(dropped.values()) > lost else 0)
        flying = {name: {number for link in board['links'] for number in range(link['first'] + link['delivered'], link['first'] + link['sent'])}
                  for name, board in cloud.truth().items()}
        missing = {name: set(range(chunks)) - set(numbers(name)) - flying[name] for name in dropped}
        checks.same('what is missing was counted as lost', {name: len(gone) for name, gone in missing.items()}, dropped)
        cloud.check_arrivals(lost=missing, whole=False)
        cloud.check_secrets(journal)
        print(f'     a queue of {LEAST_QUEUE} bytes: {kept} chunks of {size} bytes kept, {sum(dropped.values())} of {chunks * BOARDS} lost')
    finally:
        cloud.close(len(checks.failures) > before)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--chunks', type=int, default=100_000, help='of all boards together, for the check of memory')
    parser.add_argument('--kills', type=int, default=6)
    parser.add_argument('--seed', type=int)
    parser.add_argument('--only', choices=('flat', 'kills', 'full'))
    parser.add_argument('--limit', type=float, default=1200, help='seconds after which a run counts as hung')
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(1 << 31)
    print(f'seed {arguments.seed}', flush=True)
    checks = Checks()
    journal = Journal()
    try:
        for name, check in (('flat', flat), ('kills', kills), ('full', full)):
            if arguments.only in (None, name):
                checks.where = f'observe {name} {arguments.seed}'
                check(checks, arguments, journal)
    finally:
        journal.close()
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
