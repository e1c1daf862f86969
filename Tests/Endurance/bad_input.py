"""bad_input.py: what a station is started with and must refuse: one line, the right exit code, and no board touched (README.md)."""
from __future__ import annotations

import io
import json
import os
import shutil
import sys
import zipfile

from bench import ROOT, Checks, Line, Station, finish, image

PROFILE = open(os.path.join(ROOT, 'Profiles', 'virtual-line.profile'), encoding='utf-8').read()
UNPRIVILEGED = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all'] if os.geteuid() == 0 else []


def archive(names: list[str], manifest: dict) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, 'w') as file:
        file.writestr('manifest.json', json.dumps(manifest))
        for name in names:
            file.writestr(name, image())
    return data.getvalue()


def packages(station: Station):
    """(name, bytes of the package)"""
    whole = station.image
    spoilt = bytearray(whole)
    spoilt[1000] ^= 1
    files = [{'type': 'application', 'file': name, 'image_index': '0', 'slot_index_primary': '1', 'slot_index_secondary': '2', 'version_MCUBOOT': '2.0.0',
              'size': len(whole), 'modtime': 1} for name in ('app.bin',)]
    yield 'a truncated image', whole[:len(whole) // 2]
    yield 'an image cut in its header', whole[:20]
    yield 'an empty image', b''
    yield 'a wrong magic', image(magic=0x96F3B83E)
    yield 'a hash that does not fit', bytes(spoilt)
    yield 'a zip without a file of its manifest', archive(['other.bin'], {'format-version': 1, 'files': files, 'name': 'x'})
    yield 'a zip without a manifest', archive([], {})[:-40]


def configurations():
    """(name, text of station.conf, line that is at fault)"""
    start = '[station]\nid = x\ndatabase = station.db\nreports = reports\n'
    yield 'an unknown key in station.conf', start + 'bogus = 1\n', 5
    yield 'a key given twice in station.conf', start + '[limits]\nattempts = 2\nattempts = 3\n', 7
    yield 'an unknown section in station.conf', start + '[stations]\n', 5
    yield 'an over-long line in station.conf', start + 'name = ' + 'n' * 300 + '\n', 5
    yield 'a bad value in station.conf', start + '[limits]\nattempts = some\n', 6


def profiles():
    last = PROFILE.count('\n')
    yield 'an unknown key in a profile', PROFILE + 'colour = red\n', last + 1
    yield 'a key given twice in a profile', PROFILE + 'serial = none\n', last + 1
    yield 'an over-long line in a profile', PROFILE + '; ' + 'x' * 300 + '\n', last + 1


class Bench:
    def __init__(self, checks: Checks, line: Line):
        self.checks, self.line = checks, line
        self.touched = 0

    def fresh(self) -> Station:
        return Station(self.line, payload=4096)

    def refused(self, name: str, station: Station, code: int, words: str, arguments: tuple | None = None, summary: bool = False, **options):
        """Runs, and expects one line on stderr that says `words`; `summary`: the job had begun, so that its summary follows."""
        checks = self.checks
        checks.where = name
        done = station.ask(*(arguments or station.job('--count', '1', '--idle', '5s')), before=('--json', '--quiet'), limit=60, **options)
        told = done.stderr.decode(errors='replace').splitlines()
        checks.same('exit code', done.returncode, code)
        checks.ok('one line', len(told) == 1 or summary and sum(words in text for text in told) == 1, told[:5])
        checks.ok(f'it says {words!r}, what happened and what to do', any(words in text and text.count(': ') >= (1 if summary else 2) for text in told), told[:5])
        events = [json.loads(text)['event'] for text in done.stdout.decode().splitlines()]
        checks.ok('no board was claimed', 'board.assigned' not in events, events)
        now = sum(board['connections'] for board in self.line.truth()['boards'])
        checks.same('connections that the line counts', now, self.touched)
        station.remove()

    def files(self):
        for name, text, row in configurations():
            station = self.fresh()
            station.write('station.conf', text)
            self.refused(name, station, 2, f'station.conf:{row}: ')
        for name, text, row in profiles():
            station = self.fresh()
            station.write('Profiles/virtual-line.profile', text)
            self.refused(name, station, 2, f'virtual-line.profile:{row}: ')
        station = self.fresh()
        station.write('Profiles/virtual-line.profile', PROFILE.replace('name_prefix = VLINE-\n', ''))
        self.refused('a profile without a narrow match', station, 2, 'virtual-line.profile')
        station = self.fresh()
        station.write('Profiles/virtual-line.profile', PROFILE.replace('min_rssi = -90\n', ''))
        self.refused('a profile without min_rssi', station, 2, 'min_rssi')
        station = self.fresh()
        self.refused('an unknown profile', station, 2, 'elsewhere', ('run', '--profile', 'elsewhere', '--package', station.path('fw.bin'), '--count', '1'))
        station = self.fresh()
        station.write('Profiles/virtual-line.profile', PROFILE + f'sha256 = {"0" * 64}\n')
        self.refused('another package than the profile\'s sha256', station, 2, 'SHA-256')
        for name, data in packages(station):
            station = self.fresh()
            station.write('fw.bin', data)
            self.refused(name, station, 2, 'fw.bin')
        station = self.fresh()
        os.unlink(station.path('fw.bin'))
        self.refused('no package', station, 2, 'fw.bin')

    def places(self):
        station = self.fresh()
        station.write('station.conf', Station.configuration(station={'database': '/proc/flashline/station.db'}))
        self.refused('a database path that cannot be written', station, 3, '/proc/flashline')
        station = self.fresh()
        station.write('station.conf', Station.configuration(station={'reports': '/proc/flashline'}))
        self.refused('a report folder that cannot be made', station, 3, '/proc/flashline')
        station = self.fresh()
        os.makedirs(station.path('closed'), mode=0o555)
        station.write('station.conf', Station.configuration(station={'database': 'closed/station.db'}))
        self.unprivileged('a database in a read-only folder', station, 'closed')
        station = self.fresh()
        os.makedirs(station.path('reports'), mode=0o555)
        self.unprivileged('a read-only report folder', station, 'reports')
        # A database that was written before and may not be written any more.
        station = self.fresh()
        profile = PROFILE.replace('name_prefix = VLINE-', 'name_prefix = NOBODY-')
        station.write('Profiles/nobody.profile', profile)
        station.ask('run', '--profile', 'nobody', '--package', station.path('fw.bin'), '--idle', '1s')
        for name in os.listdir(station.folder):
            if name.startswith('station.db'):
                os.chmod(station.path(name), 0o444)
        self.unprivileged('a read-only database', station, 'station.db')

    def unprivileged(self, name: str, station: Station, words: str):
        if UNPRIVILEGED and not shutil.which('setpriv'):
            print(f'SKIPPED {name}: root writes everywhere, and setpriv is not there to give that up')
            return
        command = station.command
        station.command = lambda *arguments, before=(): UNPRIVILEGED + command(*arguments, before=before)
        self.refused(name, station, 3, words)

    def surroundings(self):
        station = self.fresh()
        station.write('station.conf', Station.configuration({'bus_timeout': '2s'}))
        self.refused('no bus', station, 3, 'bus', env=self.line.environment() | {'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/nonexistent'})
        station = self.fresh()
        station.write('station.conf', Station.configuration() + '[adapters]\nuse = 9-9\n')
        self.refused('no usable adapter', station, 3, 'no usable Bluetooth adapter', summary=True)
        first = self.fresh()
        first.write('Profiles/nobody.profile', PROFILE.replace('name_prefix = VLINE-', 'name_prefix = NOBODY-'))
        run = first.start('run', '--profile', 'nobody', '--package', first.path('fw.bin'), '--idle', '60s')
        self.checks.where = 'a second station on the same database'
        self.checks.ok('the first one works', run.wait_for('batch.started', limit=30))
        second = Station(self.line, payload=4096, folder=first.folder)
        self.refused('a second station on the same database', second, 3, 'another job holds it')
        run.process.terminate()
        self.checks.same('the first one ends as it was told to', run.wait(15), 130)


def main() -> int:
    checks = Checks()
    with Line(2, 3) as line:
        bench = Bench(checks, line)
        bench.files()
        bench.places()
        bench.surroundings()
        # The line does hear of a station that works: otherwise the counts above would prove nothing.
        checks.where = 'the right input'
        station = bench.fresh()
        done = station.ask(*station.job('--count', '3', '--idle', '20s'))
        checks.same('exit code', done.returncode, 0)
        checks.ok('the line counts connections', sum(board['connections'] for board in line.truth()['boards']) >= 6)
        station.remove()
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
