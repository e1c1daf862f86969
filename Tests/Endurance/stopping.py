"""stopping.py: Ctrl-C once and twice, and what a waiting station costs (README.md)."""
from __future__ import annotations

import signal
import subprocess
import sys
import time

from bench import Checks, Line, Station, check_records, check_stream, finish

STOP_LIMIT = 3.0         # seconds on the virtual line
AT_ONCE = 0.5
IDLE_TIME = 20
IDLE_SHARE = 0.01        # of one core


def discovering(line: Line) -> list[str]:
    """The adapters that still discover, asked of the line's bus."""
    told = subprocess.run(['dbus-send', f'--bus={line.environment()["DBUS_SYSTEM_BUS_ADDRESS"]}', '--print-reply', '--dest=org.bluez', '/',
                           'org.freedesktop.DBus.ObjectManager.GetManagedObjects'], stdout=subprocess.PIPE, timeout=20, check=True).stdout.decode()
    lines = told.splitlines()
    on = [number for number, text in enumerate(lines) if '"Discovering"' in text and 'boolean true' in lines[number + 1]]
    assert any('"Discovering"' in text for text in lines), 'the line has no adapters'
    return [lines[number] for number in on]


def stop_once(checks: Checks):
    checks.where = 'Ctrl-C'
    with Line(4, 24) as line:
        station = Station(line, payload=128 * 1024)
        run = station.start(*station.job('--count', '24'))
        run.wait_for('board.finished', limit=60)
        run.wait_for('board.assigned', 8, limit=60)
        time.sleep(1)
        checks.ok('a station at work discovers or has links', discovering(line) or any(board['connected'] for board in line.boards().values()))
        began = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        code = run.wait(30)
        took = time.monotonic() - began
        checks.same('exit code', code, 130)
        checks.ok(f'stopped within {STOP_LIMIT} s', took <= STOP_LIMIT, f'{took:.2f} s')
        print(f'     stopped in {took:.2f} s')
        checks.ok('no adapter discovers any more', not discovering(line))
        boards = line.boards()
        checks.ok('no link is left open', not any(board['connected'] for board in boards.values()))
        check_stream(checks, run)
        checks.same('end_reason', run.events[-1].get('end_reason'), 'operator')
        rows = station.rows()
        aborted = [row for row in rows if row['outcome'] == 'aborted']
        assigned = {event['attempt_id'] for event in run.of('board.assigned')}
        checks.same('every board that was begun is recorded', {row['attempt_id'] for row in rows}, assigned)
        checks.ok('boards in hand are recorded aborted', aborted and all(row['failure_code'] == 'operator.stopped' and not row['good'] for row in aborted), len(aborted))
        told = run.words()
        unsound = [row['mac'] for row in rows if row['left_as'] not in ('application', 'untouched')]
        checks.ok('the last lines name every board not left in its application', all(mac in told for mac in unsound), unsound, told[-500:])
        check_records(checks, station, run.events[-1].get('audit_head'))
        station.remove()


def stop_twice(checks: Checks):
    """Links that take 4 s to go down: the first Ctrl-C waits for them, the second does not."""
    checks.where = 'Ctrl-C twice'
    with Line(2, 4, options=('--time-scale', '8')) as line:
        station = Station(line)
        run = station.start(*station.job('--count', '4'))
        run.wait_for('board.assigned', 2, limit=60)
        deadline = time.monotonic() + 30
        while not any(board['connected'] for board in line.boards().values()) and time.monotonic() < deadline:
            time.sleep(0.2)
        run.process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        checks.ok('the first one takes its time', run.process.poll() is None)
        began = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        code = run.wait(30)
        took = time.monotonic() - began
        checks.ok(f'the second one stops at once ({AT_ONCE} s)', took <= AT_ONCE, f'{took:.2f} s')
        print(f'     the second one took {took:.2f} s')
        checks.same('exit code', code, 130)
        checks.same('PRAGMA integrity_check', station.query('PRAGMA integrity_check')[0]['integrity_check'], 'ok')
        # What was left open is closed by the next job.
        station.ask('run', '--profile', 'virtual-line', '--package', station.path('fw.bin'), '--count', '4', '--idle', '20s')
        checks.same('attempts left open', station.query('SELECT count(*) AS n FROM attempts WHERE record IS NULL')[0]['n'], 0)
        station.remove()


def idle(checks: Checks):
    """A job that waits: nothing in the air, then boards in the air that are none of its business."""
    for boards, strict in ((1, True), (24, False)):
        checks.where = f'idle, {boards} in the air'
        with Line(4, boards) as line:
            station = Station(line)
            profile = open(station.path('Profiles', 'virtual-line.profile'), encoding='utf-8').read()
            station.write('Profiles/nobody.profile', profile.replace('name_prefix = VLINE-', 'name_prefix = NOBODY-'))
            run = station.start('run', '--profile', 'nobody', '--package', station.path('fw.bin'), '--idle', '5m')
            checks.ok('it works', run.wait_for('adapter.added', 4, limit=30))
            time.sleep(3)
            before, began = run.seconds(), time.monotonic()
            time.sleep(IDLE_TIME)
            share = (run.seconds() - before) / (time.monotonic() - began)
            print(f'     waiting, 4 adapters, {boards} in the air: {share * 100:.2f} % of a core, {run.memory() / 1000:.1f} MB')
            if strict:
                checks.ok(f'waiting takes under {IDLE_SHARE:.0%} of a core', share < IDLE_SHARE, f'{share * 100:.2f} %')
            run.process.terminate()
            checks.same('exit code', run.wait(15), 130)
            station.remove()


def main() -> int:
    checks = Checks()
    stop_once(checks)
    stop_twice(checks)
    idle(checks)
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
