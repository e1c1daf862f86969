"""soak.py [--boards N] [--adapters N] [--seed N]: one long batch with a seeded fault in one of four boards (README.md).

One line per failed check; last line "N passed, N failed"; exit code 1 where one failed.
"""
from __future__ import annotations

import argparse
import collections
import json
import random
import sys
import time

from bench import Checks, Line, Station, alike, check_records, check_stream, check_truth, finish

PAYLOAD = 12 * 1024
PLACES = 64
MEMORY_AT = 200          # boards after which memory is measured; half of a smaller run
MEMORY_FACTOR = 1.1
# A station waits for board_timeout + swap_timeout until it gives up a board that is due for another attempt: less than the 90 s for which the line lets
# such a board lie there, so that an attempt that is missing is the station's fault.
LIMITS = {'attempts': 3, 'station_retries': 5, 'connect_timeout': '8s', 'board_timeout': '60s', 'stall_timeout': '12s', 'swap_timeout': '8s',
          'quarantine_after': 0, 'stop_after_same_failures': 0}
PASSES = ('passed',)
ODD = 0.15               # boards that are built otherwise, beside the faults

# Each kind: how often, the board's entry in the faults file, and how its last attempt may end.
# Where a number of retries decides, both ends are right: what counts is that the record tells which one it was.
UPLOAD = {'group': 1, 'command': 1}
KINDS = {
    'dropLink': (3, lambda r: [{'do': 'dropLink', 'offset': r.randrange(PAYLOAD)}], PASSES),
    'dropLink twice': (1, lambda r: [{'do': 'dropLink', 'offset': r.randrange(PAYLOAD // 2)}, {'do': 'dropLink', 'offset': r.randrange(PAYLOAD // 2, PAYLOAD)}], PASSES),
    'closeLink': (2, lambda r: [{'do': 'closeLink', 'offset': r.randrange(PAYLOAD), 'stored': r.random() < 0.5}], PASSES),
    'reboot': (2, lambda r: [{'do': 'reboot', 'offset': r.randrange(PAYLOAD)}], PASSES),
    'refuseConnect': (2, lambda r: [{'do': 'refuseConnect', 'times': r.randint(1, 3)}], PASSES),
    'smallMTU': (2, lambda r: [{'do': 'smallMTU', 'mtu': r.choice((23, 65, 185))}], ('passed', 'failed link.mtu')),
    'silent': (1, lambda r: [{'do': 'silent', 'count': r.randint(3, 12), **UPLOAD}], PASSES),
    'loseAnswer': (2, lambda r: [{'do': 'loseAnswer', 'count': r.randint(2, 10), **UPLOAD}], PASSES),
    'duplicateAnswer': (2, lambda r: [{'do': 'duplicateAnswer', 'count': r.randint(1, 20), 'times': 3}], PASSES),
    'delayAnswer': (2, lambda r: [{'do': 'delayAnswer', 'count': r.randint(1, 20), 'milliseconds': r.randint(100, 1500)}], PASSES),
    'reorderAnswer': (2, lambda r: [{'do': 'reorderAnswer', 'count': r.randint(1, 20), 'times': 2, **UPLOAD}], PASSES),
    'strayAnswer': (2, lambda r: [{'do': 'strayAnswer', 'count': r.randint(1, 20), 'times': 3}], PASSES),
    'busy': (2, lambda r: [{'do': 'busy', 'count': r.randint(1, 10), 'times': r.randint(1, 3), **UPLOAD}], PASSES),
    'noMemory': (2, lambda r: [{'do': 'noMemory', 'count': r.randint(1, 10), 'times': r.randint(1, 3), **UPLOAD}], PASSES),
    'spoilImage': (2, lambda r: [{'do': 'spoilImage'}], PASSES),
    'slowErase': (1, lambda r: [{'do': 'slowErase', 'milliseconds': r.randint(500, 4000)}], PASSES),
    'slowBoot': (2, lambda r: [{'do': 'slowBoot', 'milliseconds': r.randint(500, 3000)}], PASSES),
    'imageReverts once': (2, lambda r: [{'do': 'imageReverts'}], PASSES),
    # Boards that stay bad.
    'imageReverts': (2, lambda r: [{'do': 'imageReverts', 'times': 0}], ('failed verify.reverted', 'failed verify.not_swapped')),
    'spoilImage always': (1, lambda r: [{'do': 'spoilImage', 'times': 0}], ('failed image.mismatch', 'failed verify.not_stored', 'failed image.refused')),
    'neverReturn': (2, lambda r: [{'do': 'neverReturn'}], ('timeout verify.never_returned',)),
    'otherFirmware': (2, lambda r: [{'do': 'otherFirmware', 'version': '9.9.9', 'times': 0}], ('failed verify.other_firmware', 'refused policy.downgrade')),
    'refuse': (1, lambda r: [{'do': 'refuse', 'code': 3, 'times': 0, **UPLOAD}], ('failed smp.error', 'failed image.refused', 'failed smp.not_supported')),
    'newer': (1, lambda r: {'version': '3.1.0'}, ('refused policy.downgrade',)),
    'other hardware': (1, lambda r: {'hardware': '9.9'}, ('refused identity.hardware',)),
}


def odd(r: random.Random) -> dict:
    """A board that is built otherwise and works."""
    return r.choice((
        {'bufferCount': r.randint(1, 8)}, {'bufferSize': r.choice((512, 1024, 2475)), 'reassembly': False}, {'mtu': r.choice((65, 185, 247, 517))},
        {'params': False}, {'bootloaderInfo': False}, {'smpVersion': 1, 'legacyRC': True}, {'canonical': True}, {'frugal': True}, {'imageCheck': False},
        {'fragment': r.randint(20, 100)}, {'bootMode': r.choice((1, 9))}, {'hash': r.choice((17, 18))}))


def faults(boards: int, adapters: int, seed: int) -> tuple[dict, dict]:
    """The faults file, and the kind of each faulty board by address."""
    r = random.Random(seed)
    names = [name for name, (weight, _, _) in KINDS.items() for _ in range(weight)]
    entries, kinds = [], {}
    for number in range(boards):
        if r.random() < 0.25:
            name = r.choice(names)
            made = KINDS[name][1](r)
            entries.append({'board': number, 'faults': made} if isinstance(made, list) else {'board': number, 'settings': made})
            kinds[address(number)] = name
        elif r.random() < ODD:
            entries.append({'board': number, 'settings': odd(r)})
    # What hits several boards at once; each is hung on a board that works.
    sound = [number for number in range(boards) if address(number) not in kinds]
    line = []
    for index, number in enumerate(sorted(r.sample(sound, min(len(sound), max(2, boards // 100))))):
        action = ('loseLinks', 'unplug')[index % 2]
        fault = {'do': action, 'adapter': r.randrange(adapters), 'when': {'board': number, 'bytes': r.randint(1, PAYLOAD)}}
        line.append(fault | ({'milliseconds': r.randint(500, 3000)} if action == 'unplug' else {}))
    return {'boards': entries, 'line': line, 'radio': {'intervalMilliseconds': 5}}, kinds


def address(number: int) -> str:
    text = f'{0xC0DE00000000 + number + 1:012X}'
    return ':'.join(text[index:index + 2] for index in range(0, 12, 2))


def check_kinds(checks: Checks, rows: list[dict], boards: dict, kinds: dict):
    """Each board ended as its fault says; every board without one passed."""
    last = {row['mac']: row for row in rows}
    ended: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for mac in boards:
        row = last.get(mac)
        if not checks.ok(f'{mac} has a result', row):
            continue
        end = ' '.join(filter(None, (row['outcome'], row['failure_code'])))
        kind = kinds.get(mac)
        ended[kind or 'none'][end] += 1
        if kind is None:
            checks.ok(f'{mac} has no fault and passed', end == 'passed', end, row['failure_message'])
        else:
            checks.ok(f'{mac} with the fault {kind!r} ended as it must', end in KINDS[kind][2], end, row['failure_message'])
    for kind, ends in sorted(ended.items()):
        print(f'     {kind}: ' + ', '.join(f'{count} {end}' for end, count in ends.most_common()))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--boards', type=int, default=2000)
    parser.add_argument('--adapters', type=int, default=8)
    parser.add_argument('--seed', type=int)
    parser.add_argument('--limit', type=float, default=1800, help='seconds after which the run counts as hung')
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 31)
    print(f'seed {seed}: {arguments.boards} boards, {arguments.adapters} adapters (again: make soak SEED={seed} BOARDS={arguments.boards})', flush=True)
    checks = Checks()
    checks.where = f'soak {seed}'
    script, kinds = faults(arguments.boards, arguments.adapters, seed)
    reference = min(MEMORY_AT, arguments.boards // 2)
    memory: dict[str, int] = {}
    done = 0

    options = ('--time-scale', '0.1', '--seed', str(seed), '--places', str(PLACES))
    with Line(arguments.adapters, arguments.boards, script, options) as line:
        station = Station(line, LIMITS, payload=PAYLOAD)
        # What was told and when, beside the records: a board that was not tried again is only understood from the events around it.
        told = open(station.path('events.jsonl'), 'w', encoding='utf-8')

        def note(event: dict):
            nonlocal done
            if event['event'] not in ('board.progress', 'board.seen'):
                print(json.dumps(event), file=told)
            if event['event'] == 'board.done':
                done += 1
                if done == reference:
                    memory['reference'] = run.memory()
                memory['end'] = run.memory() or memory.get('end', 0)
                if done % 200 == 0:
                    print(f'     {done} boards after {time.monotonic() - began:.0f} s, {memory["end"] / 1000:.1f} MB '
                          f'({run.memory("RssAnon") / 1000:.1f} of it anonymous)', flush=True)

        began = time.monotonic()
        run = station.start(*station.job('--idle', '30s', '--lot', f'soak-{seed}'), on_event=note)
        code = run.wait(arguments.limit)
        took = time.monotonic() - began
        told.close()
        time.sleep(1)        # the last link is down a moment after the program has gone
        boards = line.boards()
        truth = line.truth()
    rows = station.rows()
    checks.same('exit code', code, 1 if any(not row['good'] for row in {row['mac']: row for row in rows}.values()) else 0)
    check_stream(checks, run)
    checks.same('end_reason', run.events[-1].get('end_reason') if run.events else None, 'idle')
    checks.same('no row lost: board.finished comes once for each attempt of the database', sorted(event['attempt_id'] for event in run.of('board.finished')),
                sorted(row['attempt_id'] for row in rows))
    held = {row['attempt_id']: row for row in rows}
    checks.ok('board.finished tells what the database holds', all(alike(event.get(name), cell, name) for event in run.of('board.finished')
                                                                 for name, cell in held.get(event['attempt_id'], {}).items()))
    checks.same('board.done comes once for each board', sorted(event['mac'] for event in run.of('board.done')), sorted(boards))
    check_truth(checks, station, boards)
    check_kinds(checks, rows, boards, kinds)
    check_records(checks, station, run.events[-1].get('audit_head') if run.events else None)
    start, end = memory.get('reference', 0), memory.get('end', 0)
    checks.ok(f'memory is flat: at the end at most {MEMORY_FACTOR} x at {reference} boards', 0 < end <= start * MEMORY_FACTOR, f'{start} kB, then {end} kB')
    conduct = truth['conduct']
    checks.same('connects that overlap on one adapter', conduct['overlappingConnects'], 0)
    checks.same('writes longer than the packet', conduct['oversizedWrites'], 0)
    fired = sum(1 for mac, kind in kinds.items() if any(boards[mac]['faultsFired'].values()) or KINDS[kind][2][0].startswith('refused'))
    print(f'     {len(rows)} attempts in {took:.0f} s; {fired} of {len(kinds)} faulty boards met their fault, {len(conduct["lineFaults"])} of {len(script["line"])} '
          f'faults of the line; memory {start / 1000:.1f} MB at {reference} boards, {end / 1000:.1f} MB at the end')
    if checks.failures:
        print(f'     records are kept in {station.folder}')
    else:
        station.remove()
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
