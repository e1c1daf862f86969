"""prepare.py WORK FLASHLINE GUEST: everything that one guest needs, in the folder WORK.

air.json (the scenario), station/ (station.conf, profiles, packages, board lists), steps.sh (sourced by guest.sh), expect.json (for verdict.py).
"""
from __future__ import annotations

import hashlib
import json
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

import prepare_cloud  # noqa: E402
import prepare_rescue  # noqa: E402
import prepare_upgrades  # noqa: E402
from boards import mcuboot, package_tools  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL, HARDWARE, MAKER = 'FL-SENSOR', '2.1', 'Rig Works'
DONGLES = [{'address': f'00:1B:DC:00:01:{i:02X}', 'serial': f'RIG{i:04d}', 'port': i + 1} for i in range(4)]
RADIO = {'phy': '2M', 'interval_ms': 15, 'rssi_jitter': 3}
STATION = """[station]
id = RIG1
name = Real stack rig
timezone = UTC
database = station.db
reports = reports
profiles = profiles

[adapters]
use = all
label.1-1 = A1
label.1-2 = A2
label.1-3 = A3
label.1-4 = A4
"""


class Guest:
    """One guest's folder, filled step by step and written by `write`."""

    def __init__(self, work: str, seconds: int, *, limits: dict[str, str] | None = None, adapters: dict[str, str] | None = None,
                 radio: dict | None = None):
        self.work, self.seconds, self.radio = work, seconds, radio or RADIO
        self.boards: list[dict] = []
        self.timeline: list[dict] = []
        self.packages: dict[str, dict] = {}
        self.steps: list[str] = []
        self.runs: list[dict] = []
        self.others: list[str] = []
        self.refusals: list[dict] = []
        self.aside: list[dict] = []
        self.listed: list[dict] = []
        self.cloud: dict | None = None
        self.dongles = list(DONGLES)
        for folder in ('station/profiles', 'station/packages', 'station/reports', 'out'):
            os.makedirs(os.path.join(work, folder))
        self.text('station/station.conf', STATION + '\n'.join(
            [f'{key} = {value}' for key, value in (adapters or {}).items()] + ['', '[limits]'] + [f'{key} = {value}' for key, value in (limits or {}).items()]) + '\n')

    def text(self, path: str, content: str):
        with open(os.path.join(self.work, path), 'w', encoding='utf-8') as file:
            file.write(content)

    def package(self, key: str, version: str, size: int, hash_kind: str = 'sha256') -> str:
        """A signed image of imgtool's as a package file; what a board must say of it goes to expect.json."""
        content = package_tools.signed_image(version, size, hash_kind, seed=f'{key} {version}')
        name, image = f'{key}.bin', mcuboot.parse(content)
        with open(os.path.join(self.work, 'station/packages', name), 'wb') as file:
            file.write(content)
        self.packages[key] = {'file': name, 'sha256': hashlib.sha256(content).hexdigest(), 'bytes': len(content), 'hash': image.hash.hex(),
                              'hash_kind': hash_kind, 'version': image.text}
        return f'packages/{name}'

    def profile(self, name: str, prefix: str, package: str, min_rssi: int = -75, pairing: str = 'none'):
        self.text(f'station/profiles/{name}.profile', f"""[board]
name = {name}
family = mcuboot
pairing = {pairing}

[match]
name_prefix = {prefix}
min_rssi = {min_rssi}

[identity]
model_number = {MODEL}
hardware_revision = {HARDWARE}
manufacturer = {MAKER}
serial = unique

[firmware]
package = ../packages/{self.packages[package]['file']}
sha256 = {self.packages[package]['sha256']}

[upgrade]
mode = testAndConfirm
""")

    def board(self, name: str, image='1.0.0', **more) -> str:
        """A board of kind `smp`; returns its address."""
        number = len(self.boards) + 1
        spec = {'kind': 'smp', 'name': name, 'address': f'C0:DE:00:00:00:{number:02X}', 'serial': f'SN{number:05d}', 'model': MODEL,
                'hardware': HARDWARE, 'manufacturer': MAKER, 'rssi': -50, 'images': [{'slots': [{'image': image}, {}]}]} | more
        self.boards.append(spec)
        return spec['address']

    def run(self, name: str, arguments: list[str], boards: dict[str, dict], *, limit: int = 200, exit: int = 0, end: str, until: tuple | None = None,
            config: str | None = None, **more):
        """A run of the program. `boards`: address -> what is expected (verdict.py, `Expected`)."""
        if until:
            head = ['job_until', name, str(limit), *map(str, until)]
        else:
            head = ['job', name, str(limit)]
        self.steps.append((f'CONFIG={shlex.quote(config)} ' if config else '') + ' '.join(map(shlex.quote, head + arguments)))
        self.runs.append({'name': name, 'exit': exit, 'end_reason': end, 'boards': boards} | more)

    def refusal(self, name: str, exit: int, arguments: list[str] | None = None, **variables: str):
        """A run that must end at once, with one line for the operator and no record. Without arguments: it is started by another step."""
        if arguments is not None:
            words = [f'{key}={shlex.quote(value)}' for key, value in variables.items()] + ['job', name, '60', *map(shlex.quote, arguments)]
            self.steps.append(' '.join(words))
        self.refusals.append({'name': name, 'exit': exit})

    def beside(self, name: str, exit: int, arguments: list[str], config: str, board: str, done: list[str], fault: str | None = None, until: tuple | None = None):
        """A run with a database of its own, judged by its events: the results of board.done, and the failure code of station.fault."""
        head = ['job_until', name, '120', *map(str, until)] if until else ['job', name, '120']
        self.steps.append(f'CONFIG={config} ' + ' '.join(map(shlex.quote, head + arguments)))
        self.aside.append({'name': name, 'exit': exit, 'board': board, 'done': done, 'fault': fault})

    def other(self, name: str, limit: int, command: list[str]):
        self.steps.append(' '.join(map(shlex.quote, ['other', name, str(limit), *command])))
        self.others.append(name)

    def job(self, name: str, limit: int, arguments: list[str]):
        """A command of the program that must succeed."""
        self.steps.append(' '.join(map(shlex.quote, ['job', name, str(limit), *arguments])))
        self.others.append(name)

    def adapters(self, name: str, excluded: dict[str, str]):
        """`flashline adapters`: all can be used but these, by USB path, with words of the reason."""
        self.steps.append(f'job {name} 30 adapters')
        self.listed.append({'name': name, 'excluded': excluded})

    def list_of(self, name: str, addresses: list[str]) -> tuple[str, dict[str, str]]:
        """A file for --boards; returns its path in the guest and the unit ids by address."""
        units = {address: f'U-{name}-{index}' for index, address in enumerate(addresses, 1)}
        self.text(f'station/{name}.csv', 'unit_id,mac,serial_number\n' + ''.join(f'{unit},{mac},\n' for mac, unit in units.items()))
        return f'/run/station/{name}.csv', units

    def write(self, flashline: str):
        self.text('steps.sh', f'FLASHLINE={shlex.quote(flashline)}\n' + '\n'.join(self.steps) + '\n')
        self.text('air.json', json.dumps({'seed': 7, 'radio': self.radio, 'dongles': self.dongles, 'boards': self.boards, 'timeline': self.timeline}, indent=1))
        self.text('seconds', f'{self.seconds}\n')
        self.text('expect.json', json.dumps({'runs': self.runs, 'others': self.others, 'refusals': self.refusals, 'aside': self.aside, 'listed': self.listed,
                                           'packages': self.packages, 'cloud': self.cloud}, indent=1))


def passed(package: str, before: str = '1.0.0', **more) -> dict:
    return {'attempts': ['passed'], 'package': package, 'before': before} | more


ORDER = ['--lot', 'L-100', '--work-order', 'WO-7', '--operator', '=Rig']       # a cell that a spreadsheet would take for a formula


def line(work: str) -> Guest:
    """8 boards on 4 adapters, and the same again; beside them a board of another maker's and one that is too far away."""
    guest = Guest(work, 400)
    guest.package('line', '2.0.0+7', 150_000)
    guest.profile('line', 'LINE-', 'line')
    addresses = [guest.board(f'LINE-{n}', rssi={'*': -55, f'RIG{n % 4:04d}': -45}) for n in range(8)]
    guest.board('OTHER-1')
    guest.board('LINE-far', rssi=-90)
    guest.run('first', ['run', '--profile', 'line', '--count', '8', *ORDER], {a: passed('line') for a in addresses}, end='count',
              limit=240, adapters_at_once=4)
    path, units = guest.list_of('line', addresses)
    again = {a: {'attempts': ['skipped'], 'package': 'line', 'before': '2.0.0.7', 'unit': units[a]} for a in addresses}
    guest.run('second', ['run', '--profile', 'line', '--boards', path, *ORDER], again, end='boards', limit=160)
    return guest


def odd(work: str) -> Guest:
    """One board of each kind that is built another way, or was left in another state."""
    # Here the hosts negotiate, and the station asks for what the other guests are given: through the kernel's management socket.
    guest = Guest(work, 400, adapters={'phy': '2M', 'connection_interval': '15ms'}, radio={'phy': 'negotiated', 'rssi_jitter': 3})
    guest.package('odd', '2.0.0', 48_000)
    guest.package('hash', '2.0.0', 48_000, 'sha512')
    guest.profile('odd', 'ODD-', 'odd')
    guest.profile('hash', 'HASH-', 'hash')
    tried = package_tools.signed_image('1.5.0', 20_000, slot_size=0x20000, pad=True, seed='left behind')
    for name, content in (('tried', tried), ('pending', package_tools.signed_image('1.5.0', 20_000, seed='left behind'))):
        with open(os.path.join(work, f'{name}.bin'), 'wb') as file:
            file.write(content)
    answers = {'group': 1, 'command': 1}
    length = guest.packages['odd']['bytes']
    expected = {
        guest.board('HASH-512', {'version': '1.0.0', 'hash_kind': 'sha512'}): passed('hash'),
        guest.board('ODD-small', mtu=185, smp={'version': 1, 'reassembly': False, 'buf_size': 384}): passed('odd'),
        guest.board('ODD-single', smp={'buf_count': 2}): passed('odd'),
        guest.board('ODD-mess', smp={'buf_size': 1024}, faults=[
            {'do': 'reorder', 'count': 4, 'where': answers}, {'do': 'duplicate', 'count': 7, 'times': 2, 'where': answers},
            {'do': 'drop', 'count': 12, 'where': answers}, {'do': 'reorder', 'count': 9, 'where': answers},
            {'do': 'drop', 'offset': length - 1, 'where': answers}]): passed('odd', faults=['reorder', 'duplicate', 'drop'], left=['application']),
        guest.board('ODD-trial', images=[{'slots': [{'image': '1.0.0', 'size': 0x20000},
                                                    {'image': {'file': os.path.join(work, 'tried.bin')}, 'size': 0x20000}]}]): passed('odd', '1.5.0', left=['application']),
        guest.board('ODD-over', bootloader={'mode': 2}): passed('odd'),
        guest.board('ODD-frugal', smp={'frugal': True, 'canonical': True}): passed('odd'),
        (pending := guest.board('ODD-pending')): passed('odd', left=['application']),
    }
    python = os.path.join(os.environ['RIG_CACHE'], 'venv/bin/python')
    guest.other('mark_pending', 90, [python, os.path.join(HERE, 'mark_pending.py'), pending, os.path.join(work, 'pending.bin')])
    guest.run('odd', ['run', '--profile', 'odd', '--profile', 'hash', '--count', '8', *ORDER], expected, end='count', limit=240,
              link={'phy': '2M', 'interval_ms': 15.0})
    return guest


def faults(work: str) -> Guest:
    """What must not be called good, and what goes wrong on the way: a stop, a pulled adapter, a killed bluetoothd."""
    guest = Guest(work, 600, limits={'attempts': '2', 'swap_timeout': '30s'})
    guest.package('bad', '2.0.0', 60_000)
    guest.profile('bad', 'BAD-', 'bad')
    bad = {
        guest.board('BAD-reverts', faults=[{'do': 'image_reverts', 'times': 0}]):
            {'attempts': ['failed verify.reverted'] * 2, 'package': 'bad', 'before': '1.0.0', 'left': ['application'] * 2},
        guest.board('BAD-hardware', hardware='9.9'): {'attempts': ['refused identity.hardware'], 'package': 'bad', 'before': None, 'left': ['untouched']},
        guest.board('BAD-newer', '3.0.0'): {'attempts': ['refused policy.downgrade'], 'package': 'bad', 'before': '3.0.0', 'left': ['untouched']},
        guest.board('BAD-lost', faults=[{'do': 'lost', 'offset': 30_000}]): passed('bad', resumed=True, faults=['lost'], left=['application']),
        guest.board('BAD-erase', faults=[{'do': 'slow_erase', 'seconds': 15}]): passed('bad', faults=['slow_erase'], left=['application']),
        guest.board('BAD-gone', faults=[{'do': 'never_back'}]):
            {'attempts': ['timeout verify.never_returned'], 'package': 'bad', 'before': '1.0.0', 'mode': 'gone', 'left': ['unknown']},
    }
    guest.run('bad', ['run', '--profile', 'bad', '--idle', '25s', *ORDER], bad, exit=1, end='idle', limit=240)

    guest.package('stop', '2.0.0', 250_000)
    guest.profile('stop', 'STOP-', 'stop')
    stop = guest.board('STOP-1')
    job = ['run', '--profile', 'stop', '--count', '1', *ORDER]
    guest.run('stopped', job, {stop: {'attempts': ['aborted operator.stopped'], 'package': 'stop', 'before': '1.0.0', 'open': True, 'left': ['application']}},
              exit=130, end='operator', until=('STOP-1', 60_000, 'interrupt'), stopped_within_ms=5000)
    guest.run('went-on', job, {stop: passed('stop', first=2, left=['application'])}, end='count', continues='stopped')

    def one(name: str, prefix: str, what: str, attempts: list[str], **more):
        """A job on one board, and what happens to it in the middle of the upload."""
        guest.package(name, '2.0.0', 250_000)
        guest.profile(name, f'{prefix}-', name)
        address = guest.board(f'{prefix}-1', **more)
        job = ['run', '--profile', name, '--count', '1', *ORDER]
        expected = {address: passed(name, left=['application'] * len(attempts)) | {'attempts': attempts}} if attempts else {}
        guest.run(name, job, expected, end='count', until=(f'{prefix}-1', 60_000, what), **({} if attempts else {'exit': 137, 'torn': True}))
        return address, job

    killed, job = one('killed', 'KILL', 'kill', [])
    crashed = {'attempts': ['aborted station.crashed', 'passed'], 'left': ['unknown', 'application']}
    guest.run('revived', job, {killed: passed('killed') | crashed}, end='count', continues='killed')
    one('daemon', 'BUS', 'bluetoothd', ['error bus.gone', 'passed'])
    one('alone', 'LOCK', 'second', ['passed'])
    guest.refusal('alone-second', 3)

    one('pulled', 'PULL', 'pull', ['error adapter.removed', 'passed'])

    # The disk is full in the middle of an upload: the board must not be called anything; with room again the job goes on.
    guest.package('disk', '2.0.0', 250_000)
    guest.profile('disk', 'DISK-', 'disk')
    disk = guest.board('DISK-1')
    guest.text('station/small.conf', STATION.replace('station.db', '/run/small/station.db').replace('reports = reports', 'reports = /run/small/reports'))
    guest.steps.append('mkdir -p /run/small; mount -t tmpfs -o size=4m tmpfs /run/small')
    job = ['run', '--profile', 'disk', '--count', '1', *ORDER]
    guest.beside('full', 3, job, 'small.conf', disk, [], fault='disk.failed', until=('DISK-1', 60_000, 'fill'))
    guest.steps.append('rm /run/small/fill')
    guest.beside('roomy', 0, job, 'small.conf', disk, ['passed'])

    # What must end before a board is touched.
    guest.package('other', '3.0.0', 20_000)
    guest.profile('tampered', 'STOP-', 'other')
    with open(os.path.join(work, 'station/packages/other.bin'), 'r+b') as file:
        file.seek(3000)
        file.write(b'tampered')
    guest.refusal('tampered', 2, ['run', '--profile', 'tampered', '--count', '1'])
    guest.refusal('no-profile', 2, ['run', '--profile', 'nobody', '--count', '1'])
    guest.text('station/no-adapter.conf', STATION.replace('use = all', 'use = 9-9').replace('station.db', 'other.db') + '[limits]\nadapter_timeout = 3s\n')
    guest.refusal('no-adapter', 3, ['run', '--profile', 'stop', '--count', '1'], CONFIG='no-adapter.conf')
    guest.text('station/no-bus.conf', STATION.replace('station.db', 'other.db') + '[limits]\nbus_timeout = 3s\n')
    guest.refusal('no-bus', 3, ['run', '--profile', 'stop', '--count', '1'], CONFIG='no-bus.conf', DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nowhere')
    guest.text('station/read-only.conf', STATION.replace('station.db', '/proc/station.db'))
    guest.refusal('read-only', 3, ['run', '--profile', 'stop', '--count', '1'], CONFIG='read-only.conf')
    return guest


def faults2(work: str) -> Guest:
    """Boards that spoil, delay or refuse what they are sent; adapters, links and buses that go away and come back; a second adapter of the same address."""
    guest = Guest(work, 420, limits={'attempts': '2', 'swap_timeout': '20s', 'connect_timeout': '10s'})
    guest.package('bad', '2.0.0', 60_000)
    guest.profile('bad', 'FAIL-', 'bad')
    upload, untouched = {'group': 1, 'command': 1}, ['application']
    failing = {'package': 'bad', 'before': '1.0.0', 'left': untouched * 2}
    # The strongest are taken first: what takes longest.
    bad = {
        guest.board('FAIL-erase', rssi=-42, faults=[{'do': 'slow_erase', 'seconds': 40}]): passed('bad', faults=['slow_erase'], left=untouched),
        guest.board('FAIL-stuck', rssi=-42, faults=[{'do': 'busy', 'times': 0, 'where': upload}]): failing | {'attempts': ['failed smp.busy'] * 2, 'faults': ['busy']},
        guest.board('FAIL-spoilt', faults=[{'do': 'hash_mismatch'}]):
            passed('bad', faults=['hash_mismatch'], left=untouched * 2) | {'attempts': ['failed image.mismatch', 'passed']},
        guest.board('FAIL-flash', faults=[{'do': 'hash_mismatch', 'times': 0}]): failing | {'attempts': ['failed image.mismatch'] * 2, 'faults': ['hash_mismatch']},
        guest.board('FAIL-busy', faults=[{'do': 'busy', 'count': 5, 'times': 6, 'where': upload}]): passed('bad', faults=['busy'], retried=True, left=untouched),
        guest.board('FAIL-memory', faults=[{'do': 'no_memory', 'count': 5, 'times': 6, 'where': upload}]):
            passed('bad', faults=['no_memory'], retried=True, left=untouched),
    }
    guest.run('answers', ['run', '--profile', 'bad', '--count', str(len(bad)), *ORDER], bad, exit=1, end='count', limit=110)

    def group(name: str, prefix: str, boards: int, size: int, attempts: list[str], rssi=-50, **more):
        """A job on some boards, each on an adapter of its own, and what happens to all of them in the middle of the upload."""
        guest.package(name, '2.0.0', size)
        guest.profile(name, f'{prefix}-', name)
        addresses = [guest.board(f'{prefix}-{n}', rssi=rssi) for n in range(boards)]
        expected = passed(name, resumed=True, left=untouched * len(attempts)) | {'attempts': attempts}
        guest.run(name, ['run', '--profile', name, '--count', str(boards), *ORDER], {a: expected for a in addresses}, end='count',
                  adapters_at_once=boards, **more)

    group('bus', 'BUS', 2, 250_000, ['error bus.gone', 'passed'], until=('BUS-0', 100_000, 'bus'))
    # Only this adapter hears the board, so that it goes on with it under its new number.
    guest.timeline.append({'when': {'board': 'PLUG-0', 'bytes': 60_000}, 'do': ['unplug 1', 'unplug 2']})
    group('renumbered', 'PLUG', 1, 150_000, ['error adapter.removed', 'passed'], rssi={'RIG0001': -45, '*': -90}, until=('PLUG-0', 60_000, 'renumber'))
    guest.others.append('renumbered-renumbered')

    guest.dongles.append({'address': DONGLES[0]['address'], 'serial': 'RIG0004', 'port': 5, 'plugged': False})
    guest.steps.append('plug 5')
    reason = {'1-5': 'another adapter has the same address'}
    guest.adapters('twin', reason)
    # All links of all adapters are lost at one moment.
    guest.timeline.append({'when': {'board': 'LINK-0', 'bytes': 100_000}, 'do': [f'lose LINK-{n}' for n in range(4)]})
    group('links', 'LINK', 4, 250_000, ['passed'], excluded=reason)
    return guest


def radio(work: str) -> Guest:
    """What the station asks of the kernel: links at its own values and at ours, on one adapter each; boards that demand an encrypted link."""
    guest = Guest(work, 400, radio={'phy': 'negotiated'})
    guest.text('station/kernel.conf', STATION + 'phy = kernel\nconnection_interval = kernel\nsupervision_timeout = kernel\n')
    guest.package('radio', '2.0.0', 204_800)
    guest.package('small', '2.0.0', 60_000)
    guest.profile('plain', 'PLAIN-', 'radio')
    guest.profile('fast', 'FAST-', 'radio')
    guest.profile('pairs', 'PAIRS-', 'small', pairing='just-works')
    guest.profile('shut', 'SHUT-', 'small')
    guest.profile('open', 'OPEN-', 'small', pairing='just-works')
    encrypted = {'smp': {'security': 'encrypt'}}
    plain, fast = guest.board('PLAIN-1'), guest.board('FAST-1')
    pairs = [guest.board(f'PAIRS-{n}', **encrypted) for n in range(3)]
    shut, free = guest.board('SHUT-1', **encrypted), guest.board('OPEN-1')
    guest.other('adapters', 30, [os.environ.get('FLASHLINE', 'flashline'), '--config', '/run/station/station.conf', 'adapters'])
    guest.run('plain', ['run', '--profile', 'plain', '--count', '1', *ORDER], {plain: passed('radio')}, end='count', config='kernel.conf',
              link={'phy': '1M', 'interval_ms': 50.0})
    guest.run('fast', ['run', '--profile', 'fast', '--count', '1', *ORDER], {fast: passed('radio')}, end='count', link={'phy': '2M', 'interval_ms': 15.0})
    guest.run('pairs', ['run', '--profile', 'pairs', '--count', '3', *ORDER], {a: passed('small') for a in pairs}, end='count')
    guest.run('shut', ['run', '--profile', 'shut', '--count', '1', *ORDER],
              {shut: {'attempts': ['failed link.not_permitted'], 'package': 'small', 'before': None, 'left': ['untouched']}}, exit=1, end='count')
    # A board that would be content without.
    guest.run('open', ['run', '--profile', 'open', '--count', '1', *ORDER], {free: passed('small')}, end='count')
    return guest


def rescue(work: str) -> Guest:
    guest = Guest(work, 330)
    guest.dongles = guest.dongles[:3]
    prepare_rescue.fill(guest, ORDER)
    return guest


def rescue2(work: str) -> Guest:
    guest = Guest(work, 400, limits={'attempts': '2', 'swap_timeout': '30s'})
    guest.dongles = guest.dongles[:3]
    prepare_rescue.spoil(guest, ORDER)
    return guest


def upgrades(work: str) -> Guest:
    guest = Guest(work, 330)
    guest.dongles = guest.dongles[:3]
    prepare_upgrades.fill(guest, ORDER, MODEL, HARDWARE, MAKER)
    return guest


def cloud(work: str) -> Guest:
    guest = Guest(work, 480)
    guest.dongles = guest.dongles[:2]
    prepare_cloud.fill(guest, ORDER, MODEL, MAKER, STATION)
    return guest


GUESTS = {'line': line, 'odd': odd, 'faults': faults, 'faults2': faults2, 'radio': radio, 'rescue': rescue, 'rescue2': rescue2, 'upgrades': upgrades, 'cloud': cloud}


if __name__ == '__main__':
    folder, program, which = sys.argv[1:4]
    made = GUESTS[which](folder)
    made.write(program)
