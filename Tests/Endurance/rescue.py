"""rescue.py [--points N]: boards stranded in their bootloader (README.md): power cuts of boards and station, two stations, a night without boards.

One line per failed check; last line "N passed, N failed"; exit code 1 where one failed.
"""
from __future__ import annotations

import argparse
import binascii
import datetime
import io
import json
import os
import signal
import struct
import sys
import time
import zipfile

from bench import Checks, Line, Station, check_records, check_stream, finish

VERSION, BOOTLOADER, BEFORE = '1.4.5', '0.3.3', '0.3.2'
SIZES = {'bootloader': 8000, 'application': 16000}
PROFILE = 'night'
OPTIONS = ('--time-scale', '0.3')
RADIO = {'radio': {'intervalMilliseconds': 7.5}}
LIMITS = {'attempts': 3, 'station_retries': 50, 'connect_timeout': '5s', 'swap_timeout': '10s', 'quarantine_after': 0, 'stop_after_same_failures': 0}
RUN_LIMIT = 240          # seconds after which a run counts as hung
IDLE_SHARE = 0.01        # of a core, while nothing is there to be done
IDLE_TIME = 20           # seconds over which it is measured
PHASES = ['connect', 'identify', 'prepare', 'rescue', 'upload', 'reconnect', 'verify', 'prepare', 'rescue', 'upload', 'reconnect', 'verify', 'detach']

# -- firmware, made without the program (facts nordic-dfu.md sections 2.6 and 4.1; metaboot.md 3.1) --------------------------------------------


def image(size: int, meta: dict) -> bytes:
    """Bytes, and at their end what the virtual board reads of them (Sources/VirtualLine/README.md)."""
    block = json.dumps(meta).encode()
    block = b'\0FLASHLINE-APP' + struct.pack('<H', len(block)) + block
    block += bytes(-len(block) % 4)
    return bytes(number * 197 + number // 251 & 0xFF for number in range(size - len(block))) + block


def package(kind: str, data: bytes) -> bytes:
    head = struct.pack('<HHIHHH', 6, 2, 0xFFFFFFFF, 2, 0x88, 0x8C)
    files = {'manifest.json': json.dumps({'manifest': {kind: {'bin_file': 'fw.bin', 'dat_file': 'fw.dat'}, 'dfu_version': 0.5}}).encode(),
             'fw.bin': data, 'fw.dat': head + struct.pack('<H', binascii.crc_hqx(data, 0xFFFF))}
    content = io.BytesIO()
    with zipfile.ZipFile(content, 'w', zipfile.ZIP_STORED) as archive:
        for name, value in files.items():
            archive.writestr(name, value)
    return content.getvalue()


def settings(**dfu) -> dict:
    """A MetaWear board whose application lies half-written or is an old one."""
    return {'kind': 'metawear', 'manufacturer': 'MbientLab Inc', 'model': '6', 'hardware': '0.2', 'name': 'MetaWear',
            'dfu': {'start': 'bootloader', 'application': None, 'bootloader': BEFORE, 'softDevice': 0x8C} | dfu}


def address(number: int) -> str:
    return f'C0:DE:80:00:{number + 1:02X}:01'


class Night(Station):
    """A station that rescues: its profile, a vendor's folder with a catalogue, and the mirror of that."""

    def __init__(self, line: Line | None, stranded_after: str = '1s', adapters: str = '', **options):
        super().__init__(line, LIMITS, **options)
        if adapters:
            with open(self.path('station.conf'), 'a', encoding='utf-8') as file:
                file.write(f'[adapters]\nuse = {adapters}\n')
        self.write(f'Profiles/{PROFILE}.profile', '\n'.join((
            '[board]', 'family = metawear', '[match]', 'name = MetaWear', 'min_rssi = -90',
            '[identity]', 'manufacturer = MbientLab Inc', 'model_number = 6', 'hardware_revision = 0.2', 'serial = unique',
            '[rescue]', f'stranded_after = {stranded_after}', f'catalog = {self.path("vendor", "info2.json")}', '')))
        builds = {'bootloader': (BOOTLOADER, 'bl.zip', BEFORE, {'version': BOOTLOADER}),
                  'vanilla': (VERSION, 'firmware.zip', BOOTLOADER, {'version': VERSION, 'requires_bootloader': BOOTLOADER})}
        tree = {}
        for flavor, (version, name, needs, meta) in builds.items():
            kind = 'bootloader' if flavor == 'bootloader' else 'application'
            os.makedirs(self.path('vendor', '0.2', '6', flavor, version))
            self.write(f'vendor/0.2/6/{flavor}/{version}/{name}', package(kind, image(SIZES[kind], meta)))
            tree[flavor] = {version: {'filename': name, 'required-bootloader': needs}}
        self.write('vendor/info2.json', json.dumps({'0.2': {'6': tree}}))
        told = self.ask('catalog', 'refresh', '--profile', PROFILE)
        if told.returncode:
            raise RuntimeError(f'no mirror: {told.stderr.decode(errors="replace")}')

    def recover(self, *options: str) -> tuple:
        return ('recover', '--profile', PROFILE, *options)


def check_rescued(checks: Checks, station: Night, boards: dict):
    """Every board lives again, and its last row says so and nothing else."""
    last = {row['mac']: row for row in station.rows()}
    checks.same('every board has a row', sorted(last), sorted(boards))
    for mac, board in boards.items():
        checks.same(f'{mac} runs its application, over the new bootloader', (board['mode'], board['version'], board['bootloader']),
                    ('application', VERSION, BOOTLOADER))
        row = last.get(mac)
        if row:
            checks.same(f'{mac} is recorded so', [row[name] for name in ('good', 'left_as', 'firmware_after', 'job')], [1, 'application', VERSION, 'rescue'])
            checks.same(f'{mac}: serial number', row['serial_number'], board['serial'])
        checks.ok(f'{mac} is not connected', not board['connected'])
    checks.ok('no row says passed of a board that was not read back', all(row['firmware_after'] == VERSION for row in station.rows() if row['good']))


# -- the checks --------------------------------------------------------------------------------------------------------------


def plain(checks: Checks):
    """One night without a fault: what its rows hold."""
    checks.where = 'rescue'
    with Line(2, 4, {'boards': [{'board': number, 'settings': settings()} for number in range(4)]} | RADIO, OPTIONS) as line:
        station = Night(line)
        run = station.start(*station.recover('--count', '4', '--idle', '20s'))
        checks.same('exit code', run.wait(RUN_LIMIT), 0)
        check_stream(checks, run)
        time.sleep(0.5)
        check_rescued(checks, station, line.boards())
        for row in station.rows():
            checks.same(f'{row["mac"]}: outcome, attempt, bootloader before and after', [row[name] for name in (
                'outcome', 'attempt', 'retries', 'bootloader_before', 'bootloader_after', 'verified_by')], ['passed', 1, 0, BEFORE, BOOTLOADER, 'version'])
            phases = [phase['phase'] for phase in station.query('SELECT phase FROM phases WHERE attempt_id = ? ORDER BY rowid', row['attempt_id'])]
            checks.same(f'{row["mac"]}: the phases of both stages', phases, PHASES)
        check_records(checks, station, run.events[-1].get('audit_head') if run.events else None)
        station.remove()


def cut_boards(checks: Checks, points: int):
    """The power of each board goes at another point of its chain."""
    checks.where = 'power cuts of boards'
    requests = [{'command': code} for code in (1, 2, 3, 4, 5)]
    of_bootloader = max(1, (points - len(requests)) // 3)
    of_application = max(1, points - len(requests) - of_bootloader)
    cuts = requests + [{'offset': SIZES['bootloader'] * (number + 1) // (of_bootloader + 1)} for number in range(of_bootloader)]
    rest = SIZES['application'] - SIZES['bootloader']
    # Past the end of the first file, so that it comes in the second.
    cuts += [{'offset': SIZES['bootloader'] + rest * (number + 1) // (of_application + 1)} for number in range(of_application)]
    script = {'boards': [{'board': number, 'settings': settings(), 'faults': [{'do': 'powerCut', 'milliseconds': 300, **cut}]}
                         for number, cut in enumerate(cuts)]}
    with Line(4, len(cuts), script | RADIO, OPTIONS) as line:
        station = Night(line)
        heads = []
        # The first night may leave boards behind; after the second none is.
        for night in range(2):
            run = station.start(*station.recover('--idle', '8s', *(('--new',) if night else ())))
            code = run.wait(RUN_LIMIT)
            checks.ok('it ends by itself, with or without boards that failed', code in (0, 1), code)
            check_stream(checks, run)
            heads += [run.events[-1].get('audit_head')] if run.events else []
        time.sleep(0.5)
        boards = line.boards()
        for number, cut in enumerate(cuts):
            checks.ok(f'board {number} lost its power: {cut}', any(boards[address(number)]['faultsFired'].values()), boards[address(number)]['faultsFired'])
        check_rescued(checks, station, boards)
        check_records(checks, station, heads[-1] if heads else None)
        print(f'     {len(cuts)} boards cut off once each: {len(station.rows())} attempts', flush=True)
        station.remove()


def kill_station(checks: Checks, points: int):
    """kill -9 of `recover` at as many points of one chain after the other."""
    checks.where = 'kills of the station'
    script = {'boards': [{'board': number, 'settings': settings()} for number in range(points)]}
    with Line(1, points, script | RADIO, OPTIONS) as line:
        station = Night(line)
        job = station.recover('--count', str(points), '--idle', '20s')
        whole, killed, told = 4.0, 0, set()
        for number in range(points):
            run = station.start(*job)
            checks.ok(f'kill {number + 1}: a board is taken', run.wait_for('board.assigned', limit=30), run.words()[-200:])
            time.sleep(whole * number / points)
            if run.process.poll() is None:
                killed += 1
                run.process.send_signal(signal.SIGKILL)
            run.wait(10)
            check_stream(checks, run, torn=True)
            told |= {event['mac'] for event in run.of('board.done')}
            checks.ok('what was told as done stands in the database', told <= {row['mac'] for row in station.rows()})
            checks.same('PRAGMA integrity_check', station.query('PRAGMA integrity_check')[0]['integrity_check'], 'ok')
            time.sleep(0.3)      # the line notices that its client has gone
        run = station.start(*job)
        checks.same('exit code of the last one', run.wait(RUN_LIMIT), 0)
        check_stream(checks, run)
        time.sleep(0.5)
        check_rescued(checks, station, line.boards())
        check_records(checks, station, run.events[-1].get('audit_head') if run.events else None)
        crashed = sum(row['failure_code'] == 'station.crashed' for row in station.rows())
        checks.ok('kills came into attempts', crashed >= points // 2, crashed)
        checks.same('batches', len(station.query('SELECT * FROM batches')), 1)
        print(f'     {killed} kills, {crashed} of them into an attempt', flush=True)
        station.remove()


def two_stations(checks: Checks):
    """What station A has sent to its bootloader is none of station B's business."""
    checks.where = 'two stations'
    board = settings(start='application', application='1.0.0', bootloader=BOOTLOADER)
    stranded = settings(bootloader=BOOTLOADER)
    script = {'boards': [{'board': 0, 'settings': board}, {'board': 1, 'settings': stranded}], 'radio': {'intervalMilliseconds': 30}}
    with Line(2, 2, script) as line:
        # B hears for longer than A's transfer lasts; board 1 lies there all the time and shows that B does take what is stranded.
        a = Night(line, adapters='1-1.1', station={'id': 'A'})
        b = Night(line, stranded_after='6s', adapters='1-1.2', station={'id': 'B'})
        other = b.start(*b.recover('--idle', '15s'))
        checks.ok('B works', other.wait_for('adapter.added', limit=30))
        run = a.start('run', '--profile', PROFILE, '--count', '1', '--idle', '30s')
        checks.same('exit code of A', run.wait(RUN_LIMIT), 0)
        checks.same('exit code of B', other.wait(RUN_LIMIT), 0)
        time.sleep(0.5)
        boards = line.boards()
        checks.same('A flashed its board', [(row['mac'], row['outcome'], row['job']) for row in a.rows()], [(address(0), 'passed', 'update')])
        checks.same('B rescued the one that was stranded, and no other', [(row['mac'], row['outcome']) for row in b.rows()], [(address(1), 'passed')])
        checks.same('both run their application', [boards[address(number)]['version'] for number in (0, 1)], [VERSION, VERSION])
        checks.same('the one board went to its bootloader once', boards[address(0)]['dfu']['jumps'], 1)
        a.remove()
        b.remove()


def quiet_night(checks: Checks):
    """Nothing in range until --until."""
    checks.where = 'no board in range'
    with Line(4, 1) as line:
        station = Night(line)
        now = datetime.datetime.now(datetime.timezone.utc)
        # A whole minute that leaves time to measure.
        until = now + datetime.timedelta(seconds=60 + (60 if now.second > 20 else 0))
        run = station.start(*station.recover('--wait', '--until', until.strftime('%H:%M')), before=('--json',))
        checks.ok('it works', run.wait_for('adapter.added', 4, limit=30))
        time.sleep(3)
        before, began = run.seconds(), time.monotonic()
        time.sleep(IDLE_TIME)
        share = (run.seconds() - before) / (time.monotonic() - began)
        print(f'     waiting, 4 adapters: {share * 100:.2f} % of a core', flush=True)
        checks.ok(f'waiting takes under {IDLE_SHARE:.0%} of a core', share < IDLE_SHARE, f'{share * 100:.2f} %')
        checks.same('exit code', run.wait(150), 0)
        check_stream(checks, run)
        checks.ok('it says that there was no board', 'no board was stranded' in run.words(), run.words()[-300:])
        checks.same('rows', len(station.rows()), 0)
        station.remove()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--points', type=int, default=20)
    parser.add_argument('--only')
    arguments = parser.parse_args()
    checks = Checks()
    every = {'plain': plain, 'cut': lambda checks: cut_boards(checks, arguments.points), 'kill': lambda checks: kill_station(checks, arguments.points),
             'two': two_stations, 'quiet': quiet_night}
    for name, check in every.items():
        if arguments.only in (None, name):
            check(checks)
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
