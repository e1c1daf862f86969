#!/usr/bin/env python3
"""run.py PROGRAM SECONDS [TARGET...]: runs libFuzzer on each target for so long, one after the other, and prints what came out as a table.

Starts from Seeds/TARGET, Found/TARGET and what earlier runs learned (WORK/corpus/TARGET). An input that traps, hangs, leaks or takes too much memory is
kept in WORK/found/TARGET, and the exit code is 1: put it into Found/TARGET, where the suite feeds it again. WORK: .build/fuzz-work, or FUZZ_WORK.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.environ.get('FUZZ_WORK') or os.path.join(HERE, '..', '..', '.build', 'fuzz-work')
MEMORY_MB, INPUT_SECONDS = 1024, 20
STATE = re.compile(r'^#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)/')


def folder(*parts: str) -> str:
    path = os.path.join(*parts)
    os.makedirs(path, exist_ok=True)
    return path


def targets(program: str) -> dict[str, int]:
    """Names and longest inputs, as the program itself tells them."""
    told = subprocess.run([program], env=os.environ | {'FUZZ_TARGET': 'list'}, capture_output=True, text=True, timeout=60).stdout
    return {name: int(longest) for name, longest in (line.split() for line in told.splitlines())}


def run(program: str, target: str, longest: int, seconds: int) -> dict:
    found, corpus = folder(WORK, 'found', target), folder(WORK, 'corpus', target)
    before = set(os.listdir(found))
    given = [path for path in (os.path.join(HERE, part, target) for part in ('Seeds', 'Found')) if os.path.isdir(path)]
    words = os.path.join(HERE, 'Dictionaries', f'{target}.dict')
    command = [program, f'-max_total_time={seconds}', f'-max_len={longest}', f'-rss_limit_mb={MEMORY_MB}', f'-timeout={INPUT_SECONDS}', '-print_final_stats=1',
               f'-artifact_prefix={found}/', *([f'-dict={words}'] if os.path.exists(words) else []), corpus, *given]
    # Swift's own crash handler and the sanitizer's do not get on with each other: the crash ends at once, with its input.
    environment = os.environ | {'FUZZ_TARGET': target, 'SWIFT_BACKTRACE': 'enable=no', 'ASAN_OPTIONS': 'detect_leaks=1:handle_sigill=1:allow_user_segv_handler=1'}
    began = time.monotonic()
    with open(os.path.join(WORK, f'{target}.log'), 'w+b') as log:
        try:
            code = subprocess.run(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, timeout=seconds + 180).returncode
        except subprocess.TimeoutExpired:
            code = 124
        log.seek(0)
        lines = log.read().decode(errors='replace').splitlines()
    state = [match for line in lines if (match := STATE.match(line))]
    stat = {name: int(value) for name, value in (line.removeprefix('stat::').split(':') for line in lines if line.startswith('stat::'))}
    last = state[-1] if state else None
    return {'target': target, 'seconds': round(time.monotonic() - began), 'executions': stat.get('number_of_executed_units', int(last[1]) if last else 0),
            'edges': int(last[2]) if last else 0, 'features': int(last[3]) if last else 0, 'inputs': int(last[4]) if last else 0,
            'peak_mb': stat.get('peak_rss_mb', 0), 'code': code, 'crashes': sorted(set(os.listdir(found)) - before),
            'words': next((line for line in lines if 'Fatal error' in line or 'ERROR:' in line), '')}


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    program, seconds = sys.argv[1], int(sys.argv[2])
    known = targets(program)
    if unknown := [name for name in sys.argv[3:] if name not in known]:
        print(f'fuzz: there is no target {", ".join(unknown)}: it is one of {", ".join(known)}', file=sys.stderr)
        return 2
    folder(WORK)
    bad = 0
    print('| target | seconds | executions | edges | features | inputs kept | peak MB | crashes |\n|---|---|---|---|---|---|---|---|', flush=True)
    for target in sys.argv[3:] or known:
        told = run(program, target, known[target], seconds)
        crashes = len(told['crashes']) or int(told['code'] != 0)
        if not told['edges']:
            # Without the compiler's counters libFuzzer only throws noise at the code.
            crashes, told['words'] = max(1, crashes), 'the program was built without coverage, so that nothing was learned'
        bad += crashes
        print('| {target} | {seconds} | {executions} | {edges} | {features} | {inputs} | {peak_mb} | '.format(**told) + f'{crashes} |', flush=True)
        if crashes:
            print(f'fuzz: {target}: {told["words"] or "exit code " + str(told["code"])}: ' +
                  ', '.join(os.path.join(WORK, 'found', target, name) for name in told['crashes']), file=sys.stderr, flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
