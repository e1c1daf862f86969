"""pausing.py [--pauses N] [--cancels N] [--seconds S] [--lanes N] [--seed N]: pauses and cancels at random moments of jobs (README.md).

Issue 5: pause for 30 s at 20 random moments, cancel at 20 random moments: the board is never left worse than by an interrupted upload, and the next
job passes. Lanes are lines of their own, side by side: a paused station does nothing. One line per failed check; last line "N passed, N failed".
"""
from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time

import rescue
from bench import Checks, Line, Station, check_records, check_stream, check_truth, finish, image, image_hash, is_good

ADAPTERS, BOARDS = 2, 3
# Shorter than the pause, all of them: none may run in it. A whole attempt takes about 12 s on this line.
LIMITS = {'stall_timeout': '5s', 'swap_timeout': '20s', 'board_timeout': '28s', 'quarantine_after': 0, 'stop_after_same_failures': 0, 'station_retries': 50}
PAYLOAD = 96 * 1024
ANSWERED = 3.0           # seconds in which what was under way when the pause began is answered; a first request waits for an erase
STOP_LIMIT = 5.0         # seconds from a cancel to the end, contract 2
JOB_LIMIT = 180          # seconds for a job that is let alone
SPAN = 13                # seconds of a job's work: moments are drawn from it


def sent(boards: dict) -> dict:
    """What a board has been sent and has been through."""
    return {mac: (board['uploads'], board['bytesReceived'], len(board['boots'])) for mac, board in boards.items()}


class Lane:
    """One line and one station; every round brings all boards to a new version."""

    def __init__(self, number: int, seed: int):
        self.number, self.random, self.round, self.lines = number, random.Random(seed * 1000 + number), 1, []
        self.checks = Checks(say=lambda *facts: self.say(' '.join(map(str, facts))))
        self.checks.where = f'lane {number}'
        self.line = Line(ADAPTERS, BOARDS, {'radio': {'intervalMilliseconds': 15}}, ('--seed', str(seed + number)))
        self.station = Station(self.line, LIMITS, payload=PAYLOAD)
        self.wanted = {image_hash(self.station.image)}

    def say(self, text: str):
        print(text, flush=True)

    def next_version(self) -> tuple:
        """A new package, so that every board has something to do again."""
        self.round += 1
        self.station.image = image(PAYLOAD, f'{self.round}.0.0')
        self.station.write('fw.bin', self.station.image)
        self.wanted.add(image_hash(self.station.image))
        return self.station.job('--count', str(BOARDS), '--idle', '20s')

    def sound(self, boards: dict):
        """Never worse than by an interrupted upload: each board runs one of the images it was given or its first one, and can be reached or will be."""
        for mac, board in boards.items():
            self.checks.ok(f'{mac} runs an image that is whole', all(slot['valid'] for slot in board['slots'] if slot['active']), board['slots'])
            self.checks.ok(f'{mac} has no link left', not board['connected'])

    def ends_well(self, run, what: str):
        """The job that ran or goes on: every board good, nothing counted against one."""
        code = run.wait(JOB_LIMIT)
        self.checks.same(f'{what}: exit code', code, 0)
        if code != 0:
            self.checks.say('    ', run.words()[-400:])
        check_stream(self.checks, run)
        boards = self.line.boards()
        hash_now = image_hash(self.station.image)
        self.checks.ok(f'{what}: every board is good', all(is_good(board, hash_now) for board in boards.values()))
        check_truth(self.checks, self.station, boards)

    def pause(self, length: float):
        run = self.station.start(*self.next_version())
        run.wait_for('board.assigned', limit=30)
        moment = self.random.uniform(0, SPAN)
        time.sleep(moment)
        if run.process.poll() is not None:
            return self.missed(run, moment)
        began = time.monotonic()
        run.process.send_signal(signal.SIGUSR1)
        if not run.wait_for('station.paused', limit=5):
            return self.missed(run, moment)
        time.sleep(min(ANSWERED, length / 2))
        before, attempts = sent(self.line.boards()), len(run.of('board.assigned'))
        time.sleep(max(0, length - (time.monotonic() - began)))
        after = sent(self.line.boards())
        self.checks.ok('nothing is sent in a pause', before == after, before, after)
        self.checks.same('no board is begun in a pause', len(run.of('board.assigned')), attempts)
        in_hand = run.of('station.paused')[0]['in_hand']
        run.process.send_signal(signal.SIGUSR2)
        # Where only the last answer of the last board was missing, there is nothing left to go on with.
        self.checks.ok('the job goes on', run.wait_for('station.resumed', limit=5) or run.of('batch.finished'))
        self.ends_well(run, 'after a pause')
        rows = [row for row in self.station.rows() if row['batch_id'] == run.of('batch.started')[0]['batch_id']]
        self.checks.ok('one attempt a board, none repeated', all(row['attempt'] == 1 and row['outcome'] == 'passed' for row in rows),
                       [(row['outcome'], row['failure_code'], row['retries']) for row in rows])
        self.say(f'     lane {self.number}: paused for {length:.0f} s after {moment:4.1f} s, {in_hand} in hand; '
                 f'retries {[row["retries"] for row in rows]}')
        return True

    def cancel(self, length: float):
        job = self.next_version()
        run = self.station.start(*job)
        run.wait_for('board.assigned', limit=30)
        moment = self.random.uniform(0, SPAN)
        time.sleep(moment)
        if run.process.poll() is not None:
            return self.missed(run, moment)
        # Every other cancel comes in a pause.
        paused = self.random.random() < 0.5
        if paused:
            run.process.send_signal(signal.SIGUSR1)
            run.wait_for('station.paused', limit=5)
            time.sleep(self.random.uniform(0, min(length, 5)))
        began = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        code = run.wait(30)
        took = time.monotonic() - began
        if code == 0:
            return self.missed(run, moment)
        self.checks.same('exit code of a cancelled job', code, 130)
        self.checks.ok(f'cancelled within {STOP_LIMIT} s', took <= STOP_LIMIT, f'{took:.2f} s')
        check_stream(self.checks, run)
        boards = self.line.boards()
        self.sound(boards)
        batch = run.of('batch.started')[0]['batch_id']
        aborted = [row for row in self.station.rows() if row['batch_id'] == batch and row['outcome'] != 'passed']
        self.checks.ok('boards in hand are recorded as aborted', all(row['failure_code'] == 'operator.stopped' and not row['good'] for row in aborted),
                       [(row['outcome'], row['failure_code']) for row in aborted])
        # The next job: the same command goes on with what is left.
        self.ends_well(self.station.start(*job), 'the next job')
        left = sorted(f'{row["failure_phase"]}:{row["left_as"]}' for row in aborted)
        self.say(f'     lane {self.number}: cancelled after {moment:4.1f} s{" in a pause" if paused else ""} in {took:.2f} s, in hand: {left}')
        return True

    def missed(self, run, moment: float) -> bool:
        """The job was over before the moment came; it is drawn again."""
        self.ends_well(run, 'a job that was faster')
        self.say(f'     lane {self.number}: {moment:.1f} s came too late, another moment')
        return False

    def run(self, pauses: int, cancels: int, length: float):
        try:
            for count, act in ((pauses, self.pause), (cancels, self.cancel)):
                done = tries = 0
                while done < count and tries < 3 * count + 5:
                    tries += 1
                    done += bool(act(length))
                self.checks.same('moments that came in time', done, count)
            check_records(self.checks, self.station, None)
        except Exception as error:       # a lane that breaks is a failed check, not a silent thread
            self.checks.ok(f'the lane went through: {type(error).__name__} {error}', False)
        finally:
            self.line.__exit__()
            if self.checks.failures:
                self.say(f'     lane {self.number}: records are kept in {self.station.folder}')
            else:
                self.station.remove()


def stranded(checks: Checks, seed: int, pauses: int, cancels: int, length: float):
    """Boards in Nordic's bootloaders: a batch of `recover` that is cancelled and paused again and again loses none of them."""
    checks.where = 'stranded boards'
    count, r = 8, random.Random(seed)
    script = {'boards': [{'board': number, 'settings': rescue.settings()} for number in range(count)]} | rescue.RADIO
    with Line(2, count, script, rescue.OPTIONS + ('--seed', str(seed))) as line:
        station = rescue.Night(line)
        job = station.recover('--count', str(count), '--idle', '20s')
        for number in range(cancels):
            run = station.start(*job)
            run.wait_for('board.assigned', limit=30)
            time.sleep(r.uniform(0, 6))
            if run.process.poll() is not None:
                break
            if number % 2:
                run.process.send_signal(signal.SIGUSR1)
                run.wait_for('station.paused', limit=5)
                time.sleep(r.uniform(0, 3))
            began = time.monotonic()
            run.process.send_signal(signal.SIGINT)
            code = run.wait(30)
            checks.ok(f'cancelled within {STOP_LIMIT} s', code == 0 or time.monotonic() - began <= STOP_LIMIT, f'{time.monotonic() - began:.2f} s')
            checks.ok('exit code of a cancelled job', code in (130, 0), code)
            check_stream(checks, run)
        run, taken = station.start(*job), 0
        run.wait_for('board.assigned', limit=30)
        for number in range(pauses):
            time.sleep(r.uniform(0, 5))
            if run.process.poll() is not None:
                break
            run.process.send_signal(signal.SIGUSR1)
            if not run.wait_for('station.paused', number + 1, limit=5):
                break
            taken += 1
            time.sleep(length)
            run.process.send_signal(signal.SIGUSR2)
            run.wait_for('station.resumed', number + 1, limit=5)
        checks.same('exit code of the last job', run.wait(JOB_LIMIT), 0)
        time.sleep(0.5)
        rescue.check_rescued(checks, station, line.boards())
        rows = station.rows()
        checks.ok('every attempt passed, or was cancelled', all(row['outcome'] == 'passed' or row['failure_code'] == 'operator.stopped' for row in rows),
                  [(row['outcome'], row['failure_code'], row['failure_message']) for row in rows])
        check_records(checks, station, None)
        print(f'     stranded boards: {taken} pauses, {sum(row["outcome"] == "aborted" for row in rows)} attempts cancelled, {len(rows)} attempts', flush=True)
        if checks.failures:
            print(f'     records are kept in {station.folder}', flush=True)
        else:
            station.remove()


def shares(total: int, lanes: int) -> list[int]:
    return [total // lanes + (number < total % lanes) for number in range(lanes)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--pauses', type=int, default=20)
    parser.add_argument('--cancels', type=int, default=20)
    parser.add_argument('--seconds', type=float, default=30)
    parser.add_argument('--lanes', type=int, default=4)
    parser.add_argument('--stranded', type=int, default=4, help='pauses, and as many cancels, of a rescue')
    parser.add_argument('--seed', type=int)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 31)
    print(f'seed {seed}: {arguments.pauses} pauses of {arguments.seconds:.0f} s and {arguments.cancels} cancels, {arguments.lanes} lanes of {ADAPTERS} adapters '
          f'and {BOARDS} boards (again: pausing.py --seed {seed})', flush=True)
    lanes = [Lane(number + 1, seed) for number in range(arguments.lanes)]
    plan = zip(lanes, shares(arguments.pauses, arguments.lanes), shares(arguments.cancels, arguments.lanes))
    threads = [threading.Thread(target=lane.run, args=(pauses, cancels, arguments.seconds)) for lane, pauses, cancels in plan]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    checks = Checks()
    if arguments.stranded:
        stranded(checks, seed, arguments.stranded, arguments.stranded, arguments.seconds)
    for lane in lanes:
        checks.passed += lane.checks.passed
        checks.failures += lane.checks.failures
    return finish(checks)


if __name__ == '__main__':
    sys.exit(main())
