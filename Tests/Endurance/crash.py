"""crash.py [--boards N] [--adapters N] [--kills N] [--seed N]: kill -9 at random moments of one batch (README.md).

One line per failed check; last line "N passed, N failed"; exit code 1 where one failed.
"""
from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time

from bench import Checks, Line, Station, check_records, check_stream, check_truth, finish, image_hash, is_good

LIMITS = {'station_retries': 50, 'swap_timeout': '20s', 'quarantine_after': 0, 'stop_after_same_failures': 0}
# Beside its first upload a board may get another one only where a kill came into an attempt at it.
LIMIT = 300              # seconds for the last run, which brings the batch to its end


def writes(board: dict) -> tuple:
    return board['uploads'], board['bytesReceived'], len(board['boots'])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--boards', type=int, default=60)
    parser.add_argument('--adapters', type=int, default=4)
    parser.add_argument('--kills', type=int, default=20)
    parser.add_argument('--seed', type=int)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 31)
    print(f'seed {seed}: {arguments.kills} kills, {arguments.boards} boards, {arguments.adapters} adapters (again: make crash SEED={seed})', flush=True)
    r = random.Random(seed)
    checks = Checks()
    script = {'radio': {'intervalMilliseconds': 15}}
    good: dict[str, tuple] = {}
    batches = set()
    with Line(arguments.adapters, arguments.boards, script, ('--time-scale', '0.3', '--seed', str(seed))) as line:
        station = Station(line, LIMITS, payload=24 * 1024)
        wanted = image_hash(station.image)
        job = station.job('--count', str(arguments.boards), '--idle', '30s', '--lot', 'crash')
        for number in range(arguments.kills):
            checks.where = f'crash {seed}, kill {number + 1}'
            run = station.start(*job)
            # The first moments are those of the start (lock, migration, closing what is open); the others lie in the work.
            if r.random() < 0.8:
                run.wait_for('board.assigned', limit=30)
            delay = r.uniform(0, 3)
            time.sleep(delay)
            killed = run.process.poll() is None
            if killed:
                run.process.send_signal(signal.SIGKILL)
            run.wait(10)
            if not killed:
                checks.ok('the batch lasted until the kill: give more boards', False, f'{len(good)} good')
                break
            check_stream(checks, run, torn=True)
            if os.path.exists(station.path('station.db')):
                checks.same('PRAGMA integrity_check', station.query('PRAGMA integrity_check')[0]['integrity_check'], 'ok')
            batches |= {event['batch_id'] for event in run.of('batch.started')}
            checks.ok('the same batch goes on', len(batches) <= 1, batches)
            time.sleep(0.3)      # the line notices that its client has gone
            now = line.boards()
            for mac, before in good.items():
                checks.ok(f'{mac} was good before and was not written again', writes(now[mac]) == before, before, writes(now[mac]))
            # What was told as done is committed, whatever came after.
            told = {event['mac'] for event in run.of('board.done')}
            recorded = {row['mac']: row for row in station.rows()} if os.path.exists(station.path('station.db')) else {}
            checks.ok('what was told as done stands in the database', told <= set(recorded), sorted(told - set(recorded)))
            for mac, board in now.items():
                if is_good(board, wanted):
                    good.setdefault(mac, writes(board))
            print(f'     kill {number + 1:2}: {delay:.2f} s, {len(good)} boards good', flush=True)
        checks.where = f'crash {seed}, at the end'
        run = station.start(*job)
        checks.same('exit code', run.wait(LIMIT), 0)
        if run.process.returncode:
            checks.say('    ', run.words()[-300:])
        check_stream(checks, run)
        batches |= {event['batch_id'] for event in run.of('batch.started')}
        checks.same('batches in the database', len(station.query('SELECT * FROM batches')), 1)
        checks.same('batches that were told of', len(batches), 1)
        time.sleep(0.5)
        now = line.boards()
        for mac, before in good.items():
            checks.ok(f'{mac} was good before and was not written again', writes(now[mac]) == before, before, writes(now[mac]))
        check_truth(checks, station, now)
        rows = station.rows()
        checks.same('every board is good', sum(row['good'] for row in {row['mac']: row for row in rows}.values()), arguments.boards)
        check_records(checks, station, run.events[-1].get('audit_head') if run.events else None)
        crashed = sum(row['failure_code'] == 'station.crashed' for row in rows)
        checks.ok('kills came into attempts', crashed > 0)
        print(f'     {len(rows)} attempts, {crashed} of them cut off by a kill')
    if checks.failures:
        print(f'     records are kept in {station.folder}')
    else:
        station.remove()
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
