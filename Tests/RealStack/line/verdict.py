"""verdict.py [--program FLASHLINE] FOLDER...: what came out of the guests (README.md), checked against what the boards really are.

One line per failed check, last line "N passed, N failed"; exit code 1 where one failed. A folder is one guest's, as prepare.py and guest.sh left it.
Without --program the checks that need the program itself (audit, report) are left out: for selftest_verdict.py.
"""
from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys

import verdict_cloud
import verdict_rescue
import verdict_upgrades

COLUMNS = (
    'record attempt_id batch_id report_day station_id work_order lot operator unit_id profile job upgrade_mode mac dfu_mac address_type serial_number model_number '
    'hardware_revision firmware_before firmware_after bootloader_before bootloader_after package package_sha256 image_hash image_hash_before image_hash_after '
    'image_state verified_by settings_erased left_as adapter_label adapter_path adapter_mac outcome good failure_code failure_phase failure_message attempt retries '
    'started_at finished_at duration_s upload_bytes upload_s upload_kB_per_s resumed_from rssi_dbm tool_version').split()
EVENTS = (
    'station.started adapter.added adapter.removed adapter.excluded adapter.healing batch.started board.seen board.assigned board.phase board.progress board.finished board.done '
    'batch.finished station.fault station.paused station.resumed').split()
TIME = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z')
UNSAFE = ('=', '+', '-', '@', "'", '\t', '\r')       # a spreadsheet takes a text cell that begins so for a formula (contract 4)


class Checks:
    def __init__(self, say=print):
        self.passed, self.failures, self.where, self.say = 0, [], '', say

    def ok(self, what: str, good, *facts) -> bool:
        if good:
            self.passed += 1
        else:
            self.failures.append(f'{self.where}: {what}')
            self.say(f'FAIL {self.where}: {what}', *facts)
        return bool(good)

    def same(self, what: str, got, wanted) -> bool:
        return self.ok(what, got == wanted and type(got) is type(wanted), f'(got {got!r}, wanted {wanted!r})')


class Outcome:
    """A guest's folder, read."""

    def __init__(self, folder: str):
        self.folder, self.name = folder, os.path.basename(os.path.normpath(folder))
        self.out = os.path.join(folder, 'out')
        self.station = os.path.join(self.out, 'station')
        self.expect = json.loads(self.text(folder, 'expect.json'))
        self.truth = json.loads(self.text(self.out, 'truth.json'))
        self.boards = {board['address']: board for board in self.truth['boards']}
        self.specs = {spec['address']: spec for spec in self.truth['scenario']['boards']}
        self.dongles: dict[str, tuple[int, dict]] = {}
        for index, dongle in enumerate(self.truth['scenario']['dongles']):
            self.dongles.setdefault(dongle['address'], (index, dongle))     # of two with one address, bluetoothd takes the first
        path = os.path.join(self.station, 'station.db')
        if not os.path.exists(path):
            raise FileNotFoundError('no database')
        database = sqlite3.connect(path)
        database.row_factory = sqlite3.Row
        query = lambda sql: [dict(row) for row in database.execute(sql)]
        self.columns = [column[0] for column in database.execute('SELECT * FROM results LIMIT 0').description]
        self.rows = query('SELECT * FROM results ORDER BY record')
        self.units = query('SELECT * FROM units')
        self.attempts = database.execute('SELECT count(*) FROM attempts').fetchone()[0]
        self.batches = {row['batch_id']: row for row in query('SELECT * FROM batches')}
        self.integrity = database.execute('PRAGMA integrity_check').fetchone()[0]
        database.close()

    @staticmethod
    def text(*path: str) -> str:
        with open(os.path.join(*path), encoding='utf-8') as file:
            return file.read()

    def code(self, name: str) -> int | None:
        try:
            return int(self.text(self.out, f'{name}.rc'))
        except (OSError, ValueError):
            return None

    def touched(self, mac: str) -> bool:
        """Whether image bytes were written to this board."""
        return self.boards[mac]['bytes_received'] > 0


# -- events ------------------------------------------------------------------------------------------------------------


def read_events(checks: Checks, outcome: Outcome, run: dict) -> list[dict]:
    """`torn`: the program was killed, so that its last line may be cut."""
    path = os.path.join(outcome.out, f'{run["name"]}.jsonl')
    with open(path, 'rb') as file:
        data = file.read()
    if not run.get('torn'):
        checks.ok('the last line of stdout is complete', data.endswith(b'\n'))
    events, bad = [], []
    for number, text in enumerate(data.split(b'\n')[:-1], 1):
        try:
            event = json.loads(text)
            well = isinstance(event, dict) and event.get('event') in EVENTS and TIME.fullmatch(event.get('time', ''))
        except ValueError:
            well = False
        if well:
            events.append(event)
        else:
            bad.append((number, text[:100]))
    checks.ok('every line of stdout is one JSON event of the contract with its time', not bad, bad[:3])
    return events


def check_events(checks: Checks, outcome: Outcome, run: dict, events: list[dict], since: str) -> int | None:
    """Returns the batch that the run worked on. `since`: the end of the run before."""
    of = lambda kind: [event for event in events if event['event'] == kind]
    checks.ok('station.started is the first event', events and events[0]['event'] == 'station.started')
    if run.get('torn'):
        return of('batch.started')[0].get('batch_id') if checks.ok('a batch is started', len(of('batch.started')) == 1) else None
    checks.ok('batch.finished is the last event', events and events[-1]['event'] == 'batch.finished')
    ids = {event['batch_id'] for event in of('batch.started') + of('batch.finished') if 'batch_id' in event}
    if not checks.ok('one batch is started and finished', len(of('batch.started')) == len(of('batch.finished')) == len(ids) == 1, ids):
        return None
    (batch,) = ids
    rows = {row['attempt_id']: row for row in rows_of(outcome, batch, since, events) if row['failure_code'] != 'station.crashed'}
    finished = of('board.finished')
    checks.same('board.finished comes once for each attempt of the database', sorted(str(event.get('attempt_id')) for event in finished), sorted(map(str, rows)))
    for event in finished:
        if row := rows.get(event.get('attempt_id')):
            wrong = [name for name in COLUMNS if not alike(event.get(name), row[name], name)]
            checks.ok(f'board.finished of attempt {event["attempt_id"]} tells what the database holds', not wrong, [(n, event.get(n), row[n]) for n in wrong[:3]])
    checks.same('board.done comes once for each board that got its final result', sorted(event.get('mac') for event in of('board.done')),
                sorted(mac for mac, wanted in run['boards'].items() if not wanted.get('open')))
    progress: dict[tuple, int] = {}
    for event in of('board.progress'):
        checks.ok('progress stays within the image', 0 <= event.get('bytes', -1) <= event.get('total', -1), event)
        key = (event.get('mac'), event['time'][:19])
        progress[key] = progress.get(key, 0) + 1
    # By the clock's second, so that one more than 4 may fall into it.
    checks.ok('at most 4 progress events a second and board', all(count <= 5 for count in progress.values()), max(progress.values(), default=0))
    healed = [(event.get('adapter'), event.get('remedy'), event.get('reason')) for event in of('adapter.healing')]
    checks.same('adapters that had to be healed', healed, [])
    checks.same('end_reason', of('batch.finished')[0].get('end_reason'), run['end_reason'])
    check_end(checks, outcome, run, of('batch.finished')[0], [row for row in outcome.rows if row['batch_id'] == batch and row['finished_at'] <= events[-1]['time']])
    if not any(other.get('continues') == run['name'] for other in outcome.expect['runs']):
        checks.same('end_reason in the table batches', outcome.batches.get(batch, {}).get('end_reason'), run['end_reason'])
    return batch


def check_end(checks: Checks, outcome: Outcome, run: dict, event: dict, rows: list[dict]):
    """The counts of batch.finished: boards by the outcome of their last attempt."""
    last = {row['mac']: row for row in rows}
    outcomes = [row['outcome'] for row in last.values()]
    told = {name: number for name, number in event.get('counts', {}).items() if number}
    checks.same('counts of batch.finished', told, {name: outcomes.count(name) for name in outcomes})
    checks.same('good of batch.finished', event.get('good'), sum(row['good'] for row in last.values()))
    checks.same('missing', event.get('missing'), run.get('missing', []))
    checks.same('exit of batch.finished', event.get('exit'), outcome.code(run['name']))


def rows_of(outcome: Outcome, batch: int, since: str, events: list[dict]) -> list[dict]:
    """The attempts that ended in this run: a batch may go on in another run."""
    return [row for row in outcome.rows if row['batch_id'] == batch and since < str(row['finished_at']) <= events[-1]['time']]


def alike(value, cell, name: str) -> bool:
    """A JSON value against a database value; `good` may be true or 1."""
    if name == 'good':
        return value in (0, 1, True, False) and int(value) == cell
    if isinstance(cell, float) and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) == cell
    return value == cell and type(value) is type(cell)


# -- the database against the boards -----------------------------------------------------------------------------------


def check_run(checks: Checks, outcome: Outcome, run: dict, batch: int, rows: list[dict], events: list[dict]):
    checks.same('the boards in the database', sorted({row['mac'] for row in rows}), sorted(run['boards']))
    lot = run.get('lot', {'lot': 'L-100', 'work_order': 'WO-7', 'operator': '=Rig'})
    for row in rows:
        checks.where = f'{outcome.name}/{run["name"]}/{row["mac"]} attempt {row["attempt"]}'
        for name, value in lot.items():
            checks.same(name, row[name], value)
        check_row(checks, outcome, row, run.get('job', 'update'), run['boards'].get(row['mac'], {}).get('upgrade_mode', 'testAndConfirm'))
    for mac, wanted in run['boards'].items():
        checks.where = f'{outcome.name}/{run["name"]}/{mac}'
        mine = [row for row in rows if row['mac'] == mac]
        checks.same('attempts', [' '.join(filter(None, (row['outcome'], row['failure_code']))) for row in mine], wanted['attempts'])
        checks.same('numbers of the attempts', [row['attempt'] for row in mine], list(range(first := wanted.get('first', 1), first + len(mine))))
        if 'left' in wanted:
            checks.same('left_as of the attempts', [row['left_as'] for row in mine], wanted['left'])
        if mine and mac in outcome.boards:
            last = [run for run in outcome.expect['runs'] if mac in run['boards']][-1]
            check = verdict_rescue.check_last if over_dfu(outcome, mac) else verdict_upgrades.check_last if 'images' in wanted else check_last
            check(checks, outcome, mine[-1], wanted, last['boards'][mac] is wanted)
            check_unit(checks, outcome, [row for row in outcome.rows if row['batch_id'] == batch and row['mac'] == mac])
    checks.where = f'{outcome.name}/{run["name"]}'
    for row in rows:
        if 'link' in run and row['outcome'] == 'passed':
            checks.where = f'{outcome.name}/{run["name"]}/{row["mac"]}'
            check_link(checks, outcome, row, run['link'])
    checks.where = f'{outcome.name}/{run["name"]}'
    for path, words in run.get('excluded', {}).items():
        told = [event for event in events if event['event'] == 'adapter.excluded' and event.get('adapter_path') == path]
        checks.ok(f'the adapter at {path} is excluded once, with the reason', [words in event.get('reason', '') for event in told] == [True], told)
        unused = [f'hci{index}' for index, dongle in enumerate(outcome.truth['scenario']['dongles']) if f'1-{dongle["port"]}' == path]
        checks.ok(f'the adapter at {path} had no link', not any(link['central'] in unused for link in outcome.truth['links']), unused)
    if 'adapters_at_once' in run:
        checks.ok(f'{run["adapters_at_once"]} boards at once on as many adapters', at_once(rows) >= run['adapters_at_once'], at_once(rows))


def check_row(checks: Checks, outcome: Outcome, row: dict, job: str, mode: str | None):
    """What holds for every attempt, however it ended."""
    mac = row['mac']
    checks.same('station_id', row['station_id'], 'RIG1')
    checks.same('job', row['job'], job)
    checks.same('upgrade_mode', row['upgrade_mode'], None if over_dfu(outcome, mac) else mode)
    checks.same('address_type', row['address_type'], 'random')
    checks.ok('times in order', TIME.fullmatch(row['started_at']) and TIME.fullmatch(row['finished_at']) and row['started_at'] <= row['finished_at'])
    checks.same('report_day (UTC)', row['report_day'], row['finished_at'][:10])
    checks.ok('duration_s', isinstance(row['duration_s'], float) and 0 < row['duration_s'] < 600, row['duration_s'])
    checks.ok('rssi_dbm near what the scenario says', isinstance(row['rssi_dbm'], int) and abs(row['rssi_dbm'] - heard(outcome, row)) <= 5, row['rssi_dbm'])
    index, dongle = outcome.dongles.get(row['adapter_mac'], (None, None))
    if checks.ok('adapter_mac is one of the adapters', dongle, row['adapter_mac']):
        checks.same('adapter_path', row['adapter_path'], f'1-{dongle["port"]}')
        checks.same('adapter_label', row['adapter_label'], f'A{dongle["port"]}')
        name = outcome.boards[mac]['name'] if mac in outcome.boards else None
        seen = any(link['central'] == f'hci{index}' and link['peripheral'] == name for link in outcome.truth['links'])
        checks.ok('the radio saw this adapter and this board connected', seen)
    checks.ok('good is 1 only for passed or skipped', row['good'] in (0, 1) and (not row['good'] or row['outcome'] in ('passed', 'skipped')))
    bad = row['outcome'] not in ('passed', 'skipped')
    checks.ok('a failure has its code, phase and message, and only a failure has', all(bool(row[name]) == bad for name in
                                                                                    ('failure_code', 'failure_phase', 'failure_message')))
    if row['upload_bytes'] and row['upload_s']:
        speed = row['upload_bytes'] / row['upload_s'] / 1000
        rounding = 0.001 + speed * 0.0006 / row['upload_s']            # both are kept with three decimals
        checks.ok('upload_kB_per_s fits its bytes and seconds', abs(row['upload_kB_per_s'] - speed) <= rounding, row['upload_kB_per_s'], speed)


def over_dfu(outcome: Outcome, mac: str) -> bool:
    return outcome.specs.get(mac, {}).get('kind') in verdict_rescue.KINDS


def heard(outcome: Outcome, row: dict) -> int:
    rssi = outcome.specs[row['mac']].get('rssi', -50) if row['mac'] in outcome.specs else 0
    serial = outcome.dongles[row['adapter_mac']][1]['serial'] if row['adapter_mac'] in outcome.dongles else ''
    return rssi if isinstance(rssi, int) else rssi.get(serial, rssi.get('*', -50))


def check_last(checks: Checks, outcome: Outcome, row: dict, wanted: dict, is_end: bool):
    """The last attempt of a board in a run: what the station wrote down of it against the board. `is_end`: nothing came after it, so that the board can be asked."""
    board, spec = outcome.boards[row['mac']], outcome.specs[row['mac']]
    package = outcome.expect['packages'][wanted['package']]
    good = row['outcome'] in ('passed', 'skipped')
    checks.same('good', row['good'], int(good))
    for name, value in (('serial_number', spec['serial']), ('model_number', spec['model']), ('hardware_revision', spec['hardware'])):
        checks.same(name, row[name], value)
    checks.same('firmware_before', row['firmware_before'], wanted['before'])
    checks.same('unit_id', row['unit_id'], wanted.get('unit'))
    checks.same('package', row['package'], package['file'])
    checks.same('package_sha256', row['package_sha256'], package['sha256'])
    checks.same('image_hash', row['image_hash'], package['hash'])
    if row['outcome'] in ('skipped', 'refused'):
        checks.same('left_as', row['left_as'], 'untouched')
        checks.ok('no upload is recorded', not row['upload_bytes'])
    if row['outcome'] == 'refused':
        checks.ok('no image byte reached the board', not outcome.touched(row['mac']), board['bytes_received'])
    if row['outcome'] == 'passed':
        checks.same('left_as', row['left_as'], 'application')
        # Taken up from an earlier attempt: the rest. Taken up within this attempt (retries): its first part was acknowledged too.
        sent = {package['bytes'] - (row['resumed_from'] or 0)} | ({package['bytes']} if row['retries'] else set())
        checks.ok('upload_bytes and upload_s', row['upload_bytes'] in sent and (row['upload_s'] or 0) > 0, row['upload_bytes'], row['upload_s'])
    if wanted.get('resumed'):
        checks.ok('the upload was taken up again', row['resumed_from'] or row['retries'], row['resumed_from'], row['retries'])
    if wanted.get('retried'):
        checks.ok('it was tried again within the attempt', row['retries'], row['retries'])
    if good:
        checks.same('image_state', row['image_state'], 'confirmed')
        checks.same('verified_by', row['verified_by'], 'imageHash')
        checks.same('image_hash_after', row['image_hash_after'], package['hash'])
        checks.same('firmware_after', row['firmware_after'], package['version'])
    if is_end:
        if good:
            checks.same('the board runs the package\'s image', board['running'], {key: package[key] for key in ('version', 'hash', 'hash_kind')})
            checks.same('confirmed', board['confirmed'], row['image_state'] == 'confirmed')
            checks.same('the slot it runs from is whole', [slot['valid'] for slot in board['images'][0]['slots'] if slot['active']], [True])
        checks.same('mode', board['mode'], wanted.get('mode', 'app'))
        checks.same('links left open', board['connected'], 0)
    checks.ok('settings_erased', row['settings_erased'] in (None, 'no', 'refused') and board['storage_erased'] == 0 or
              row['settings_erased'] == 'yes' and board['storage_erased'] > 0, row['settings_erased'], board['storage_erased'])
    for fault in wanted.get('faults', []):
        checks.ok(f'the board\'s fault `{fault}` happened', any(fired['do'] == fault for fired in board['faults_fired']))


def check_unit(checks: Checks, outcome: Outcome, mine: list[dict]):
    row = mine[-1]
    units = [unit for unit in outcome.units if unit['mac'] == row['mac'] and unit['batch_id'] == row['batch_id']]
    if checks.same('one row in the view units', len(units), 1):
        wanted = {'unit_id': row['unit_id'], 'serial_number': row['serial_number'], 'attempts': len(mine), 'first_outcome': mine[0]['outcome'],
                  'last_outcome': row['outcome'], 'last_attempt_id': row['attempt_id'], 'good': row['good']}
        wrong = {name: units[0].get(name) for name, value in wanted.items() if units[0].get(name) != value}
        checks.ok('the view units agrees with results', not wrong, wrong)


def check_link(checks: Checks, outcome: Outcome, row: dict, wanted: dict):
    """The radio parameters in force while the image went over: on the link of this board that carried the most."""
    links = [link for link in outcome.truth['links'] if link['peripheral'] == outcome.boards.get(row['mac'], {}).get('name')]
    last = max(links, key=lambda link: link['bytes_down'])['params'][-1] if links else {}
    checks.same('radio parameters of the upload', {key: last.get(key) for key in wanted}, wanted)


def at_once(rows: list[dict]) -> int:
    """The largest number of attempts that were under way at one time, each on its own adapter."""
    best = 0
    for row in rows:
        open_then = [other for other in rows if other['started_at'] <= row['started_at'] < other['finished_at']]
        best = max(best, len({other['adapter_mac'] for other in open_then}))
    return best


# -- the database as a whole, reports, audit ---------------------------------------------------------------------------


def check_database(checks: Checks, outcome: Outcome):
    checks.same('PRAGMA integrity_check', outcome.integrity, 'ok')
    checks.same('attempts left open', outcome.attempts - len(outcome.rows), 0)
    checks.ok('record and attempt_id are unique', all(len({row[name] for row in outcome.rows}) == len(outcome.rows) for name in ('record', 'attempt_id')))
    expected = {mac for run in outcome.expect['runs'] for mac in run['boards']} | {run['board'] for run in outcome.expect['aside']}
    expected |= set((outcome.expect.get('cloud') or {}).get('boards', {}))
    for mac, board in outcome.boards.items():
        if mac not in expected:
            checks.ok(f'{board["name"]} is none of our business: never connected', board['connections'] == 0, board['connections'])


def check_reports(checks: Checks, outcome: Outcome):
    days: dict[str, list[dict]] = {}
    for row in outcome.rows:
        days.setdefault(row['report_day'], []).append(row)
    folder = os.path.join(outcome.station, 'reports')
    checks.same('report files', sorted(name for name in os.listdir(folder) if not name.startswith('.')), sorted(f'{day}.csv' for day in days))
    for day, rows in days.items():
        path = os.path.join(folder, f'{day}.csv')
        if os.path.exists(path):
            with open(path, 'rb') as file:
                check_csv(checks, f'{day}.csv', file.read(), rows)


def check_csv(checks: Checks, name: str, data: bytes, rows: list[dict]):
    text = data.decode('utf-8')
    checks.ok(f'{name}: lines end with CRLF, no BOM', text.endswith('\r\n') and text.count('\n') == text.count('\r\n') and not text.startswith('\ufeff'))
    table = list(csv.reader(io.StringIO(text, newline=''), strict=True))
    checks.same(f'{name}: header', table[0], COLUMNS)
    if not checks.same(f'{name}: number of rows', len(table) - 1, len(rows)):
        return
    for cells, row in zip(table[1:], rows):
        wrong = [(column, cell, row[column]) for column, cell in zip(COLUMNS, cells) if not cell_equals(cell, row[column])]
        checks.ok(f'{name}: record {row["record"]} equals the database', not wrong and len(cells) == len(COLUMNS), wrong[:3])


def cell_equals(cell: str, value) -> bool:
    if value is None:
        return cell == ''
    if isinstance(value, str):
        return cell == ("'" + value if value.startswith(UNSAFE) else value)
    try:
        return type(value)(cell) == value
    except ValueError:
        return False


def check_program(checks: Checks, outcome: Outcome, program: str, events: dict[str, list[dict]]):
    """The program's own view of the same database, asked on this side of the guest."""
    config = os.path.join(outcome.station, 'station.conf')

    def ask(*arguments: str, good: bool = True) -> tuple[int, bytes]:
        done = subprocess.run([program, '--config', config, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, stdin=subprocess.DEVNULL)
        if good and done.returncode:
            checks.say(f'     {" ".join(arguments)}: {done.stderr.decode(errors="replace").strip()[:300]}')
        return done.returncode, done.stdout
    checks.same('audit finds the chain whole', ask('audit')[0], 0)
    heads = [head for stream in events.values() for event in stream if event['event'] == 'batch.finished' for key, head in event.items()
             if 'head' in key and isinstance(head, str)]
    if checks.ok('batch.finished names the head of the audit chain', len(heads) == sum(not run.get('torn') for run in outcome.expect['runs']), heads):
        checks.same('audit --expect with the last head', ask('audit', '--expect', heads[-1])[0], 0)
        checks.ok('audit --expect with another head fails', ask('audit', '--expect', 'f' * 64, good=False)[0] != 0)
    check_summary(checks, outcome, heads[-1] if heads else None, *ask('--json', 'summary'))
    code, data = ask('report', '--format', 'csv')
    checks.same('report --format csv', code, 0)
    if not code:
        check_csv(checks, 'report', data, outcome.rows)
    code, data = ask('report', '--format', 'json')
    try:
        told = [json.loads(text) for text in data.splitlines()]
    except ValueError:
        told = None
    if checks.ok('report --format json is one object a line', code == 0 and told is not None, data[:200]):
        wrong = [row['record'] for row, entry in zip(outcome.rows, told) if any(not alike(entry.get(name), row[name], name) for name in COLUMNS)]
        checks.ok('report --format json equals the database', len(told) == len(outcome.rows) and not wrong, wrong)


def check_refusal(checks: Checks, outcome: Outcome, refusal: dict):
    """A run that could not begin: its exit code, and one line that says what happened and what to do (or the fault of a job that had begun)."""
    checks.where = f'{outcome.name}/{refusal["name"]}'
    checks.same('exit code', outcome.code(refusal['name']), refusal['exit'])
    told = [text for text in outcome.text(outcome.out, f'{refusal["name"]}.stderr').splitlines() if text.startswith('flashline: ')]
    with open(os.path.join(outcome.out, f'{refusal["name"]}.jsonl'), 'rb') as file:
        events = [json.loads(text) for text in file.read().splitlines()]
    faults = [event for event in events if event.get('event') == 'station.fault' and event.get('message')]
    checks.ok('one line says what happened and what to do', len(told) <= 1 <= len(told) + len(faults) and all(text.count(': ') >= 2 for text in told), told)
    checks.ok('no board was claimed', not any(event.get('event') == 'board.assigned' for event in events))


def check_beside(checks: Checks, outcome: Outcome, run: dict):
    """A run with a database that is not kept: what its events say."""
    checks.where = f'{outcome.name}/{run["name"]}'
    checks.same('exit code', outcome.code(run['name']), run['exit'])
    events = read_events(checks, outcome, run)
    checks.same('results of board.done', [event.get('outcome') for event in events if event['event'] == 'board.done'], run['done'])
    faults = {event.get('failure_code') for event in events if event['event'] == 'station.fault'}
    checks.same('station.fault', faults, {run['fault']} if run['fault'] else set())


def check_listing(checks: Checks, outcome: Outcome, listing: dict):
    """`--json adapters`: which can be used, and why the others cannot."""
    checks.where = f'{outcome.name}/{listing["name"]}'
    checks.same('exit code', outcome.code(listing['name']), 0)
    try:
        told = {entry['usb_path']: entry for entry in json.loads(outcome.text(outcome.out, f'{listing["name"]}.jsonl'))['adapters']}
    except (ValueError, KeyError, TypeError) as error:
        checks.ok(f'a list of adapters in JSON: {error!r}', False)
        return
    checks.same('adapters', sorted(told), sorted(f'1-{dongle["port"]}' for dongle in outcome.truth['scenario']['dongles']))
    for path, entry in told.items():
        words = listing['excluded'].get(path)
        checks.same(f'usable: {path}', entry.get('usable'), words is None)
        checks.ok(f'reason: {path}', entry.get('reason') is None if words is None else words in (entry.get('reason') or ''), entry.get('reason'))


def check_summary(checks: Checks, outcome: Outcome, head: str | None, code: int, data: bytes):
    """`--json summary` of the whole database against our own count (contract 4, yield)."""
    try:
        told = json.loads(data)
        jobs = {entry['job']: entry for entry in told['jobs']}
    except (ValueError, KeyError, TypeError):
        jobs = {}
    if not checks.ok('summary is one JSON document with jobs', code == 0 and jobs, data[:200]):
        return
    checks.same('summary tells of the jobs that were done', sorted(jobs), sorted({row['job'] for row in outcome.rows}))
    for name, job in jobs.items():
        check_yield(checks, name, job, [row for row in outcome.rows if row['job'] == name])
    checks.same('summary names the head of the audit chain', told.get('audit_head'), head)


def check_yield(checks: Checks, name: str, job: dict, rows: list[dict]):
    judged: dict[str, list[str]] = {}
    for row in rows:
        if row['outcome'] in ('passed', 'failed', 'timeout'):
            judged.setdefault(row['mac'], []).append(row['outcome'])
    outcomes = [row['outcome'] for row in rows]
    wanted = {'attempts': len(rows), 'boards': len({row['mac'] for row in rows}), 'judged_boards': len(judged),
              'outcomes': {name: outcomes.count(name) for name in outcomes}, 'first': sum(of[0] == 'passed' for of in judged.values()),
              'final': sum(of[-1] == 'passed' for of in judged.values())}
    got = {name: job.get(name) for name in ('attempts', 'boards', 'judged_boards')} | {
        'outcomes': {name: number for name, number in job['outcomes'].items() if number}, 'first': job['first_pass']['passed'], 'final': job['final']['passed']}
    checks.same(f'summary counts as we count: {name}', got, wanted)


# -- one guest ---------------------------------------------------------------------------------------------------------


def judge(checks: Checks, folder: str, program: str | None = None):
    checks.where = os.path.basename(os.path.normpath(folder))
    try:
        outcome = Outcome(folder)
    except (OSError, ValueError, sqlite3.Error) as error:
        checks.ok(f'the guest left its results: {error}', False)
        return
    if not checks.same('columns of the view results', outcome.columns, COLUMNS):
        return
    for name in outcome.expect['others']:
        checks.same(f'exit code of {name}', outcome.code(name), 0)
    for refusal in outcome.expect['refusals']:
        check_refusal(checks, outcome, refusal)
    for run in outcome.expect['aside']:
        check_beside(checks, outcome, run)
    for listing in outcome.expect['listed']:
        check_listing(checks, outcome, listing)
    since = ''
    events: dict[str, list[dict]] = {}
    batches: dict[str, int] = {}
    for run in outcome.expect['runs']:
        checks.where = f'{outcome.name}/{run["name"]}'
        if not checks.same('exit code', outcome.code(run['name']), run['exit']):
            checks.say(tail(outcome, run['name']))
        if 'stopped_within_ms' in run:
            took = int(outcome.text(outcome.out, f'{run["name"]}.stopped_ms'))
            checks.ok('stopped in time', took <= run['stopped_within_ms'], took)
        events[run['name']] = read_events(checks, outcome, run)
        batch = check_events(checks, outcome, run, events[run['name']], since)
        if batch is not None:
            batches[run['name']] = batch
            earlier = batches.get(run.get('continues'))
            checks.ok('the batch is the one that was stopped' if earlier else 'the batch is a new one',
                      batch == earlier if earlier else list(batches.values()).count(batch) == 1, batches)
            check_run(checks, outcome, run, batch, rows_of(outcome, batch, since, events[run['name']]), events[run['name']])
        since = events[run['name']][-1]['time'] if events[run['name']] else since
    checks.where = outcome.name
    check_database(checks, outcome)
    check_reports(checks, outcome)
    if outcome.expect.get('cloud'):
        verdict_cloud.check(checks, outcome)
        checks.where = outcome.name
    if program:
        check_program(checks, outcome, program, events)
    for row in outcome.rows:
        checks.say('    ', row['mac'], outcome.boards.get(row['mac'], {}).get('name'), row['outcome'], row['failure_code'] or '', f'{row["duration_s"]} s',
                   f'{row["upload_kB_per_s"] or "-"} kB/s', row['adapter_label'], row['failure_message'] or '')


def tail(outcome: Outcome, name: str) -> str:
    try:
        return ''.join(f'     {text}\n' for text in outcome.text(outcome.out, f'{name}.stderr').splitlines()[-5:])
    except OSError:
        return ''


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--program')
    parser.add_argument('folder', nargs='+')
    arguments = parser.parse_args()
    checks = Checks()
    for folder in arguments.folder:
        judge(checks, folder, arguments.program)
    print(f'{checks.passed} passed, {len(checks.failures)} failed')
    return 1 if checks.failures else 0


if __name__ == '__main__':
    sys.exit(main())
