"""Figures of `flashline report`: a million attempts against the sqlite3 shell's CSV of the same view."""
from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys

from process import timed
from table import ROOT, Row, say

sys.path.insert(0, os.path.join(ROOT, 'Tests', 'Endurance'))

from bench import Line, Station, program  # noqa: E402

ATTEMPTS = 1_000_000
BOARDS = ATTEMPTS // 4
ROUNDS = 3
LIMIT = 300
TEMPLATES = 4            # boards that are really flashed; their rows are the pattern of all others

# What differs from attempt to attempt; every other column is that of a real row. `n` counts from 0.
DIFFERENT = {
    'record': ':first + n', 'attempt_id': ':first + n',
    'mac': "printf('C1:%02X:%02X:%02X:%02X:%02X', 0, 0, n % :boards / 65536, n % :boards / 256 % 256, n % :boards % 256)",
    'serial_number': "printf('SN%08d', n % :boards)", 'unit_id': "printf('U-%d', n % :boards)", 'lot': "printf('L2026-%02d', n / 20000)",
    'started_at': "strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (n * 17) || ' seconds')",
    'finished_at': "strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (n * 17 + 9) || ' seconds')",
    'report_day': "strftime('%Y-%m-%d', '2026-01-01', (n * 17 + 9) || ' seconds')",
    'duration_s': 'duration_s + n % 997 / 1000.0', 'upload_s': 'upload_s + n % 89 / 1000.0', 'upload_kB_per_s': 'upload_kB_per_s - n % 89 / 10.0',
    'rssi_dbm': '-40 - n % 30', 'attempt': '1 + n / :boards',
    # One of fifty was bad, with words that have to be quoted.
    'outcome': "iif(n % 50, outcome, 'failed')", 'good': 'iif(n % 50, good, 0)', 'failure_code': "iif(n % 50, NULL, 'link.lost')",
    'failure_phase': "iif(n % 50, NULL, 'upload')", 'failure_message': "iif(n % 50, NULL, 'the link was lost, at byte ' || (n % 200000))",
}


def fill(path: str):
    """Fills a database that the program made, with its schema, up to the number of attempts."""
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA foreign_keys = ON')
    database.execute('BEGIN')
    first = database.execute('SELECT max(attempt_id) + 1 FROM attempts').fetchone()[0]
    rows = database.execute('SELECT count(*) FROM results').fetchone()[0]
    values = {'first': first, 'boards': BOARDS, 'rows': rows, 'count': ATTEMPTS - rows}
    numbers = 'WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :count)'
    kept = [row[1] for row in database.execute('PRAGMA table_info(boards)')]
    database.execute(f'INSERT INTO boards ({", ".join(kept)}) {numbers} '
                     f'SELECT {", ".join(DIFFERENT[name] if name in ("mac", "serial_number", "unit_id") else name for name in kept)} '
                     'FROM numbers JOIN (SELECT * FROM boards LIMIT 1)', values | {'count': BOARDS})
    columns = [row[1] for row in database.execute('PRAGMA table_info(attempts)')]
    database.execute(f'INSERT INTO attempts ({", ".join(columns)}) {numbers} SELECT {", ".join(DIFFERENT.get(name, name) for name in columns)} '
                     'FROM numbers JOIN attempts AS pattern ON pattern.record = 1 + n % :rows', values)
    database.execute('COMMIT')
    database.execute('PRAGMA journal_mode = WAL')
    if database.execute('SELECT count(*) FROM results').fetchone()[0] != ATTEMPTS:
        raise RuntimeError(f'{path}: not {ATTEMPTS} results')
    database.close()


def measure() -> list[Row]:
    say('a database of a million attempts …')
    with Line(1, TEMPLATES) as line:
        station = Station(line)
        made = station.ask(*station.job('--count', str(TEMPLATES), '--lot', 'pattern', '--operator', 'Ada'))
    if made.returncode:
        raise RuntimeError(f'no database was made: {made.stderr.decode(errors="replace")[-300:]}')
    try:
        fill(station.path('station.db'))
        return compare(station)
    finally:
        station.remove()


def compare(station: Station) -> list[Row]:
    shell = shutil.which('sqlite3')
    if shell is None:
        raise RuntimeError('sqlite3 is not there: make deps')
    ours = [program(), '--config', station.path('station.conf'), 'report']
    theirs = [shell, '-readonly', '-csv', '-header', station.path('station.db'), 'SELECT * FROM results']
    mine, other = [], []
    for _ in range(ROUNDS):
        mine.append(timed(ours, station.path('ours.csv'), LIMIT))
        other.append(timed(theirs, station.path('theirs.csv'), LIMIT))
    lines = [int(subprocess.run(['wc', '-l', station.path(name)], stdout=subprocess.PIPE, check=True).stdout.split()[0]) for name in ('ours.csv', 'theirs.csv')]
    if lines != [ATTEMPTS + 1] * 2:
        raise RuntimeError(f'lines of the two files: {lines}')
    _, small = timed(ours + ['--after', str(ATTEMPTS - ATTEMPTS // 10)], station.path('ours.csv'), LIMIT)
    best, best_other = min(seconds for seconds, _ in mine), min(seconds for seconds, _ in other)
    peak = max(kilobytes for _, kilobytes in mine)
    say(f'report: {", ".join(f"{seconds:.2f}" for seconds, _ in mine)} s; sqlite3: {", ".join(f"{seconds:.2f}" for seconds, _ in other)} s')
    return [
        Row('`report` of 1,000,000 attempts against `sqlite3 -csv`', f'{best:.2f} s', f'sqlite3 {best_other:.2f} s', best_other / best, 'times', 1.0),
        Row('memory of `report`, 1,000,000 against 100,000 attempts', f'{peak / 1000:.1f} MB', f'{small / 1000:.1f} MB', peak / small, 'bounded', 1.1),
    ]
