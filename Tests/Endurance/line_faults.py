"""line_faults.py: faults of the line that the rig cannot make reliably (Tests/RealStack/FAULTS.md), each with what it must leave.

One line per failed check; last line "N passed, N failed"; exit code 1 where one failed.
"""
from __future__ import annotations

import sys
import time

from bench import Checks, Line, Station, check_records, check_stream, check_truth, finish

LIMITS = {'attempts': 2, 'station_retries': 5, 'connect_timeout': '4s', 'stall_timeout': '15s', 'swap_timeout': '8s', 'quarantine_after': 0,
          'stop_after_same_failures': 0}
OPTIONS = ('--time-scale', '0.3')
RUN_LIMIT = 150          # seconds after which a run counts as hung
UPLOAD = {'group': 1, 'command': 1}
SOUND = (['passed'], ['application'])

# Board faults, all in one run: fault, results of the attempts, left_as of the attempts.
BOARDS = {
    'board vanishes before connect': ([{'do': 'vanish'}], ['timeout board.absent'], ['untouched']),
    'other firmware after the restart': ([{'do': 'otherFirmware', 'version': '1.5.0'}], ['failed verify.other_firmware', 'passed'], ['application'] * 2),
    # The second time it is what ran before.
    'other firmware after each restart': ([{'do': 'otherFirmware', 'version': '1.5.0', 'times': 0}],
                                          ['failed verify.other_firmware', 'failed verify.not_swapped'], ['application'] * 2),
    'busy in mid-upload, for ever': ([{'do': 'busy', 'count': 5, 'times': 0, **UPLOAD}], ['failed smp.busy'] * 2, ['application'] * 2),
    'no memory in mid-upload, for ever': ([{'do': 'noMemory', 'count': 5, 'times': 0, **UPLOAD}], ['failed smp.no_memory'] * 2, ['application'] * 2),
}

# Adapters that fall ill, all in one run, and what is tried on each.
HEALING = ['stop discovery', 'power off and on', 'USB re-authorisation']
# What has to be re-authorised again at once is given up.
ILL = {'stopDiscovery': HEALING[:1], 'powerCycle': HEALING[:2], 'reauthorise': HEALING, None: HEALING + HEALING[:2]}


def address(number: int) -> str:
    return f'C0:DE:00:00:00:{number + 1:02X}'


def result(row: dict) -> str:
    return ' '.join(filter(None, (row['outcome'], row['failure_code'])))


def usb_path(adapter: int) -> str:
    return f'1-{1 + adapter // 4}.{1 + adapter % 4}'


def run(checks: Checks, name: str, adapters: int, boards: int, script: dict, expected: dict, options: tuple, exit: int, judge,
        blameless: tuple = ()):
    """One job on one line: `expected` names the boards that do not simply pass; results in `blameless` may come before any board's own."""
    checks.where = name
    with Line(adapters, boards, script | {'radio': {'intervalMilliseconds': 7.5}}, OPTIONS) as line:
        station = Station(line, LIMITS)
        began = time.monotonic()
        job = station.start(*station.job(*options))
        code = job.wait(RUN_LIMIT)
        took = time.monotonic() - began
        time.sleep(0.5)      # the last link is down a moment after the program has gone
        truth = line.truth()
        checks.same('exit code', code, exit)
        check_stream(checks, job)
        rows = station.rows()
        checks.same('every board has its result', sorted({row['mac'] for row in rows}), [address(number) for number in range(boards)])
        checks.same('board.done comes once for each board', sorted(event['mac'] for event in job.of('board.done')), [address(number) for number in range(boards)])
        for number in range(boards):
            mine = [row for row in rows if row['mac'] == address(number)]
            checks.same(f'board {number}: numbers of the attempts', [row['attempt'] for row in mine], list(range(1, len(mine) + 1)))
            counted = [row for row in mine if result(row) not in blameless]
            attempts, left = expected.get(number, SOUND)
            checks.same(f'board {number}: attempts', [result(row) for row in counted], attempts)
            checks.same(f'board {number}: left_as', [row['left_as'] for row in counted], left)
        check_truth(checks, station, {board['address']: board for board in truth['boards']})
        check_records(checks, station, job.events[-1].get('audit_head') if job.events else None)
        checks.same('faults of the line that happened', len(truth['conduct']['lineFaults']), len(script.get('line', [])))
        judge(checks, job, truth['boards'])
        print(f'     {name}: {len(rows)} attempts in {took:.0f} s', flush=True)
        station.remove()


def boards_of_faults(checks: Checks):
    script = {'boards': [{'board': number, 'faults': faults} for number, (faults, _, _) in enumerate(BOARDS.values())]}

    def judge(checks: Checks, _, boards: list[dict]):
        for number, name in enumerate(BOARDS):
            checks.ok(f'it happened: {name}', any(boards[number]['faultsFired'].values()), boards[number]['faultsFired'])
        checks.same('the board that vanished had no connection', boards[0]['connections'], 0)
    expected = {number: (attempts, left) for number, (_, attempts, left) in enumerate(BOARDS.values())}
    run(checks, 'boards', 4, 10, script, expected, ('--count', '10', '--idle', '30s'), 1, judge)


def ill_adapters(checks: Checks):
    """Every adapter falls ill when the first board is connected; with as many boards as this each takes one and listens again."""
    faults = [{'do': 'fallIll', 'adapter': number, 'when': {'board': 0, 'connections': 1}} | ({'healedBy': remedy} if remedy else {})
              for number, remedy in enumerate(ILL)]

    def judge(checks: Checks, job, _):
        told = job.of('adapter.healing')
        for number, (remedy, tried) in enumerate(ILL.items()):
            what = f'the adapter that {remedy or "nothing"} heals'
            mine = [event for event in job.events if event.get('adapter_path') == usb_path(number)]
            healing = [event for event in told if event.get('adapter_path') == usb_path(number)]
            checks.same(f'{what}: what is tried, in order', [event['remedy'] for event in healing], tried)
            checks.ok(f'{what}: nothing hindered it', not any(event.get('obstacle') for event in healing), healing)
            checks.ok(f'{what}: the reason is told', all('cannot listen' in event.get('reason', '') for event in healing), healing)
            # A USB re-authorisation makes the adapter go and come.
            for kind, times in (('adapter.removed', tried.count(HEALING[2])), ('adapter.excluded', 0 if remedy else 1)):
                checks.same(f'{what}: {kind}', sum(event['event'] == kind for event in mine), times)
        faults = [(event.get('failure_code'), event.get('adapter')) for event in job.of('station.fault')]
        checks.same('station.fault', faults, [('adapter.failed', usb_path(len(ILL) - 1))])
        used = {event['adapter_path'] for event in job.of('board.finished')}
        checks.same('adapters that had boards', sorted(used), [usb_path(number) for number in range(len(ILL))])
    # A board whose return an ill adapter should have heard is given to another one; that is no attempt of the board's.
    run(checks, 'adapters', len(ILL), 24, {'line': faults}, {}, ('--idle', '20s'), 0, judge, ('error adapter.failed', 'error adapter.removed'))


def main() -> int:
    checks = Checks()
    boards_of_faults(checks)
    ill_adapters(checks)
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
