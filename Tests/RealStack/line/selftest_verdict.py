"""selftest_verdict.py: a check that cannot fail is a defect. Makes the outcome of a guest by hand, which must pass without a complaint, and then one
outcome for each single thing that can be wrong, each of which must be found. Last line: "verdict: N lies, all found".
"""
from __future__ import annotations

import copy
import csv
import io
import json
import os
import sqlite3
import stat
import sys
import tempfile
import types

import selftest_cloud
import verdict
import verdict_rescue
import verdict_upgrades
from verdict import COLUMNS, Checks

OURS, OTHER, THIRD = 'C0:DE:00:00:00:01', 'C0:DE:00:00:00:02', 'C0:DE:00:00:00:03'
HASH, OLD, FILE = 'ab' * 32, 'cd' * 32, 'ef' * 32
HEAD = '12' * 32


def row(**more) -> dict:
    base = dict.fromkeys(COLUMNS) | {
        'record': 1, 'attempt_id': 1, 'batch_id': 1, 'report_day': '2026-01-02', 'station_id': 'RIG1', 'work_order': 'WO-7', 'lot': 'L-100', 'operator': '=Rig',
        'profile': 'line', 'job': 'update', 'upgrade_mode': 'testAndConfirm', 'mac': OURS, 'address_type': 'random', 'serial_number': 'SN1', 'model_number': 'M',
        'hardware_revision': '2.1', 'firmware_before': '1.0.0', 'firmware_after': '2.0.0.7', 'package': 'line.bin', 'package_sha256': FILE, 'image_hash': HASH,
        'image_hash_before': OLD, 'image_hash_after': HASH, 'image_state': 'confirmed', 'verified_by': 'imageHash', 'settings_erased': 'no',
        'left_as': 'application', 'adapter_label': 'A1', 'adapter_path': '1-1', 'adapter_mac': '00:1B:DC:00:01:00', 'outcome': 'passed', 'good': 1, 'attempt': 1,
        'retries': 0, 'started_at': '2026-01-02T10:00:00.000Z', 'finished_at': '2026-01-02T10:00:20.000Z', 'duration_s': 20.0, 'upload_bytes': 100000,
        'upload_s': 2.0, 'upload_kB_per_s': 50.0, 'rssi_dbm': -51, 'tool_version': '0.1.0'}
    return base | more


def good() -> dict:
    """Everything that a guest leaves, as values: a first run of two boards on two adapters, a second one that is refused and skipped."""
    skip = {'batch_id': 2, 'outcome': 'skipped', 'left_as': 'untouched', 'firmware_before': '2.0.0.7', 'image_hash_before': HASH, 'upload_bytes': None, 'upload_s': None,
            'upload_kB_per_s': None, 'unit_id': 'U-1', 'started_at': '2026-01-02T10:01:00.000Z', 'finished_at': '2026-01-02T10:01:05.000Z', 'duration_s': 5.0}
    refused = {'outcome': 'refused', 'good': 0, 'failure_code': 'identity.hardware', 'failure_phase': 'identify', 'failure_message': 'hardware 9.9, not 2.1',
               'mac': THIRD, 'unit_id': None, 'hardware_revision': '9.9', 'serial_number': 'SN3', 'firmware_before': '1.0.0', 'firmware_after': '1.0.0',
               'image_hash_before': OLD, 'image_hash_after': OLD}
    second = {'adapter_label': 'A2', 'adapter_path': '1-2', 'adapter_mac': '00:1B:DC:00:01:01', 'serial_number': 'SN2'}
    rows = [row(), row(record=2, attempt_id=2, mac=OTHER, started_at='2026-01-02T10:00:01.000Z', retries=1, resumed_from=40000, upload_bytes=60000, upload_s=1.2, **second),
            row(record=3, attempt_id=3, **skip), row(record=4, attempt_id=4, **skip | refused)]
    running = {'version': '2.0.0.7', 'hash': HASH, 'hash_kind': 'sha256'}
    board = lambda name, address, **more: {
        'name': name, 'address': address, 'running': running, 'confirmed': True, 'mode': 'app', 'connected': 0, 'connections': 2, 'storage_erased': 0,
        'bytes_received': 100000, 'faults_fired': [{'do': 'drop'}], 'images': [{'slots': [{'active': True, 'valid': True}, {'active': False, 'valid': True}]}]} | more
    spec = lambda name, address, serial, **more: {'name': name, 'address': address, 'serial': serial, 'model': 'M', 'hardware': '2.1', 'rssi': -50} | more
    truth = {'boards': [board('L1', OURS), board('L2', OTHER), board('B3', THIRD, bytes_received=0),
                        board('X', 'C0:DE:00:00:00:09', connections=0, bytes_received=0)],
             'links': [{'central': c, 'peripheral': p, 'bytes_down': 1, 'params': [{'phy': '1M'}, {'phy': '2M'}]} for c, p in (('hci0', 'L1'), ('hci1', 'L2'), ('hci0', 'B3'))],
             'scenario': {'boards': [spec('L1', OURS, 'SN1'), spec('L2', OTHER, 'SN2'), spec('B3', THIRD, 'SN3', hardware='9.9'), spec('X', 'C0:DE:00:00:00:09', 'SN9')],
                          'dongles': [{'address': f'00:1B:DC:00:01:0{i}', 'serial': f'RIG000{i}', 'port': i + 1} for i in range(2)]
                          + [{'address': '00:1B:DC:00:01:00', 'serial': 'RIG0002', 'port': 3}]}}
    wanted = {'attempts': ['passed'], 'package': 'line', 'before': '1.0.0'}
    expect = {'others': ['other'], 'refusals': [{'name': 'busy', 'exit': 3}],
              'aside': [{'name': 'full', 'exit': 3, 'board': OURS, 'done': ['passed'], 'fault': 'disk.failed'}],
              'listed': [{'name': 'list', 'excluded': {'1-3': 'the same address'}}], 'packages': {'line': {'file': 'line.bin', 'sha256': FILE, 'bytes': 100000, 'version': '2.0.0.7', 'hash': HASH, 'hash_kind': 'sha256'}},
              'runs': [{'name': 'first', 'exit': 0, 'end_reason': 'count', 'adapters_at_once': 2, 'link': {'phy': '2M'}, 'excluded': {'1-3': 'the same address'},
                        'boards': {OURS: wanted | {'left': ['application']}, OTHER: wanted | {'faults': ['drop'], 'resumed': True, 'retried': True}}},
                       {'name': 'second', 'exit': 1, 'end_reason': 'boards', 'stopped_within_ms': 5000, 'boards': {
                           OURS: {'attempts': ['skipped'], 'package': 'line', 'before': '2.0.0.7', 'unit': 'U-1'},
                           THIRD: {'attempts': ['refused identity.hardware'], 'package': 'line', 'before': '1.0.0'}}}]}
    return {'rows': rows, 'truth': truth, 'expect': expect, 'rc': {'first': 0, 'second': 1, 'other': 0, 'busy': 3, 'full': 3, 'list': 0}, 'stopped_ms': 900,
            'aside': [{'event': 'board.done', 'outcome': 'passed'}, {'event': 'station.fault', 'failure_code': 'disk.failed'}],
            'list': [{'usb_path': f'1-{n}', 'usable': n < 3, 'reason': 'another adapter has the same address' if n == 3 else None} for n in range(1, 4)],
            'excluded': [{'event': 'adapter.excluded', 'adapter_path': '1-3', 'reason': 'it has the same address'}],
            'busy': ('flashline: another job runs: wait for its end\n', ''), 'csv': lambda text: text,
            'events': lambda name, events: None, 'jsonl': lambda name, data: data, 'sql': [], 'columns': COLUMNS, 'program': {}}


def events_of(name: str, batch: int, rows: list[dict], reason: str) -> list[dict]:
    at = lambda seconds: f'2026-01-02T10:{batch - 1:02}:{seconds:02}.000Z'
    events = [{'event': 'station.started', 'time': at(0)}, {'event': 'batch.started', 'time': at(0), 'batch_id': batch}]
    for r in rows:
        if r['upload_bytes']:
            events += [{'event': 'board.progress', 'time': at(5), 'mac': r['mac'], 'bytes': n * 20000, 'total': 100000} for n in range(1, 5)]
        events += [{'event': 'board.finished', 'time': at(20)} | r, {'event': 'board.done', 'time': at(20), 'mac': r['mac'], 'batch_id': batch}]
    return events + [{'event': 'batch.finished', 'time': at(30), 'batch_id': batch, 'end_reason': reason, 'audit_head': HEAD, 'missing': [], 'exit': batch - 1,
                      'good': sum(r['good'] for r in rows), 'counts': {'failed': 0} | {r['outcome']: [o['outcome'] for o in rows].count(r['outcome']) for r in rows}}]


def csv_of(rows: list[dict]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator='\r\n')
    writer.writerow(COLUMNS)
    for r in rows:
        writer.writerow([f"'{v}" if isinstance(v, str) and v.startswith(verdict.UNSAFE) else v for v in (r[c] for c in COLUMNS)])
    return out.getvalue()


def write(folder: str, case: dict) -> str:
    """The folder as prepare.py and guest.sh would leave it; returns a stand-in for the program."""
    reports = os.path.join(folder, 'out/station/reports')
    os.makedirs(reports)

    def put(path: str, content: str | bytes):
        with open(os.path.join(folder, path), 'wb') as file:
            file.write(content.encode() if isinstance(content, str) else content)
    put('expect.json', json.dumps(case['expect']))
    put('out/truth.json', json.dumps(case['truth']))
    put('out/full.jsonl', ''.join(json.dumps({'time': '2026-01-02T10:00:00.000Z'} | event) + '\n' for event in case['aside']))
    put('out/list.jsonl', json.dumps({'adapters': case['list']}))
    put('out/busy.stderr', case['busy'][0])
    put('out/busy.jsonl', case['busy'][1])
    put('out/second.stopped_ms', str(case['stopped_ms']))
    for name, code in case['rc'].items():
        put(f'out/{name}.rc', f'{code}\n')
    for name, batch, reason in (('first', 1, 'count'), ('second', 2, 'boards')):
        events = events_of(name, batch, [copy.deepcopy(r) for r in case['rows'] if r['batch_id'] == batch], reason)
        if name == 'first':
            events[1:1] = [{'time': events[0]['time']} | event for event in case['excluded']]
        case['events'](name, events)
        put(f'out/{name}.jsonl', case['jsonl'](name, b''.join(json.dumps(event).encode() + b'\n' for event in events)))
    text = csv_of(case['rows'])
    put('out/station/reports/2026-01-02.csv', case['csv'](text))
    database = sqlite3.connect(os.path.join(folder, 'out/station/station.db'))
    database.execute(f'CREATE TABLE attempts ({", ".join(COLUMNS)})')
    for r in case['rows']:
        database.execute(f'INSERT INTO attempts VALUES ({", ".join("?" * len(COLUMNS))})', [r[c] for c in COLUMNS])
    database.executescript(f"""CREATE VIEW results AS SELECT {", ".join(case["columns"])} FROM attempts WHERE record IS NOT NULL;
      CREATE TABLE batches (batch_id, end_reason); INSERT INTO batches VALUES (1, 'count'), (2, 'boards');
      CREATE TABLE units (batch_id, unit_id, mac, serial_number, attempts, first_outcome, last_outcome, last_attempt_id, good);
      INSERT INTO units SELECT batch_id, unit_id, mac, serial_number, 1, outcome, outcome, attempt_id, good FROM attempts;
      {"; ".join(case["sql"])}""")
    database.commit()
    database.close()
    outcomes = [r['outcome'] for r in case['rows']]
    summary = {'jobs': [{'job': 'update', 'attempts': 4, 'boards': 3, 'judged_boards': 2, 'outcomes': {'error': 0} | {o: outcomes.count(o) for o in outcomes},
                         'first_pass': {'passed': 2}, 'final': {'passed': 2}}], 'audit_head': HEAD}
    program = {'summary': summary, 'audit': 0, 'head': HEAD, 'csv': text, 'json': [{c: r[c] for c in COLUMNS} for r in case['rows']], 'report': 0} | case['program']
    put('program.json', json.dumps(program))
    put('program', f"""#!/usr/bin/env python3
import json, sys
it = json.load(open({os.path.join(folder, 'program.json')!r}))
words = sys.argv[3:]
if words[0] == 'audit':
    sys.exit(it['audit'] or ('--expect' in words and words[-1] != it['head'] and it['head'] != 'any'))
if words[-1] == 'summary':
    print(json.dumps(it['summary']))
    sys.exit(0)
sys.stdout.write(''.join(json.dumps(row) + chr(10) for row in it['json']) if words[-1] == 'json' else it['csv'])
sys.stdout.flush()
sys.exit(it['report'])
""")
    path = os.path.join(folder, 'program')
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def lies():
    """(name, what makes the good case wrong). A lie about a column is told by the database, the report and the events alike: only the boards know better."""
    def column(record: int, name: str, value):
        return f'record {record} {name} = {value!r}', lambda case: case['rows'][record - 1].update({name: value})
    for name, value in (
            ('report_day', '2026-01-03'), ('station_id', 'RIG2'), ('work_order', None), ('lot', 'L-101'), ('operator', 'Rig'), ('unit_id', 'U-9'), ('job', 'rescue'),
            ('upgrade_mode', 'testOnly'), ('mac', 'C0:DE:00:00:00:07'), ('mac', OTHER), ('address_type', 'public'), ('serial_number', 'SN2'), ('model_number', 'N'),
            ('hardware_revision', '2.2'), ('firmware_before', '1.0.1'), ('firmware_after', '2.0.0'), ('package', 'odd.bin'), ('package_sha256', HASH),
            ('image_hash', OLD), ('image_state', 'testing'), ('verified_by', 'version'), ('settings_erased', 'yes'), ('left_as', 'unconfirmed'),
            ('adapter_label', 'A2'), ('adapter_path', '1-2'), ('adapter_mac', '00:1B:DC:00:01:01'), ('adapter_mac', '00:1B:DC:00:01:07'), ('outcome', 'failed'),
            ('outcome', 'skipped'), ('good', 0), ('failure_code', 'link.lost'), ('attempt', 2), ('started_at', '2026-01-02T11:00:00.000Z'),
            ('finished_at', '2026-01-02 10:00:20'), ('duration_s', 0.0), ('upload_bytes', 99999), ('upload_s', 0.0), ('upload_kB_per_s', 60.0), ('rssi_dbm', -70),
            ('rssi_dbm', None), ('attempt_id', 2), ('record', 2), ('batch_id', 2)):
        yield column(1, name, value)
    yield column(2, 'resumed_from', None)
    for name, value in (('firmware_after', '1.0.0'), ('image_hash_after', OLD), ('unit_id', None), ('left_as', 'application'), ('upload_bytes', 10), ('good', 0)):
        yield column(3, name, value)
    for name, value in (('good', 1), ('failure_code', None), ('failure_message', None), ('failure_code', 'identity.model'), ('hardware_revision', '2.1'),
                        ('left_as', 'application')):
        yield column(4, name, value)

    board = lambda index, **change: lambda case: case['truth']['boards'][index].update(change)
    yield 'the board runs another image', board(0, running={'version': '2.0.0.7', 'hash': OLD, 'hash_kind': 'sha256'})
    yield 'the board runs another version', board(0, running={'version': '1.0.0', 'hash': HASH, 'hash_kind': 'sha256'})
    yield 'the board runs another kind of hash', board(0, running={'version': '2.0.0.7', 'hash': HASH, 'hash_kind': 'sha512'})
    yield 'the board runs nothing', board(0, running=None)
    yield 'the board is not confirmed', board(1, confirmed=False)
    yield 'the slot is damaged', board(1, images=[{'slots': [{'active': True, 'valid': False}]}])
    yield 'the board is gone', board(1, mode='gone')
    yield 'a link was left open', board(1, connected=1)
    yield 'the settings were erased', board(1, storage_erased=1)
    yield 'the fault did not happen', board(1, faults_fired=[])
    yield 'a refused board was written to', board(2, bytes_received=400)
    yield 'a foreign board was connected', board(3, connections=1)
    yield 'other radio parameters', lambda case: case['truth']['links'][0].update(params=[{'phy': '1M'}])
    yield 'no such link on the radio', lambda case: case['truth']['links'].pop(1)

    yield 'exit code', lambda case: case['rc'].update(first=1)
    yield 'results: the guest left none', lambda case: case['sql'].append('DROP VIEW results')
    yield 'no exit code', lambda case: case['rc'].pop('second')
    yield 'another tool failed', lambda case: case['rc'].update(other=1)
    yield 'a refusal: exit code', lambda case: case['rc'].update(busy=0)
    yield 'a refusal: no words', lambda case: case.update(busy=('', ''))
    yield 'a refusal: no remedy', lambda case: case.update(busy=('flashline: another job runs\n', ''))
    yield 'a refusal: it began all the same', lambda case: case.update(busy=(case['busy'][0], '{"event": "board.assigned"}\n'))
    yield 'beside: exit code', lambda case: case['rc'].update(full=1)
    yield 'beside: no result', lambda case: case['aside'].pop(0)
    yield 'beside: another result', lambda case: case['aside'][0].update(outcome='failed')
    yield 'beside: no fault', lambda case: case['aside'].pop(1)
    yield 'beside: another fault', lambda case: case['aside'][1].update(failure_code='bus.gone')
    yield 'list: exit code', lambda case: case['rc'].update(list=3)
    yield 'list: an adapter is missing', lambda case: case['list'].pop(0)
    yield 'list: an adapter that cannot be used', lambda case: case['list'][0].update(usable=False)
    yield 'list: a reason too many', lambda case: case['list'][0].update(reason='broken')
    yield 'list: an adapter that should not be used', lambda case: case['list'][2].update(usable=True)
    yield 'list: another reason', lambda case: case['list'][2].update(reason='broken')
    yield 'excluded: not told', lambda case: case['excluded'].pop()
    yield 'excluded: another adapter', lambda case: case['excluded'][0].update(adapter_path='1-2')
    yield 'excluded: another reason', lambda case: case['excluded'][0].update(reason='broken')
    yield 'excluded: told twice', lambda case: case['excluded'].append(case['excluded'][0])
    yield 'an adapter had to be healed', lambda case: case['excluded'].append({'event': 'adapter.healing', 'adapter': 'A1', 'remedy': 'power off and on'})
    yield 'excluded: it was used', lambda case: case['truth']['links'].append({'central': 'hci2', 'peripheral': 'X', 'bytes_down': 0, 'params': []})
    first = lambda board, **wanted: lambda case: case['expect']['runs'][0]['boards'][board].update(wanted)
    yield 'left_as of an attempt', first(OURS, left=['unconfirmed'])
    yield 'left_as of an attempt that did not happen', first(OURS, left=['application'] * 2)
    yield 'not tried again', first(OURS, retried=True)
    yield 'stopped too late', lambda case: case.update(stopped_ms=5001)
    yield 'a row is missing', lambda case: case['rows'].pop(1)
    yield 'a board that was not asked for', lambda case: case['rows'].append(row(record=5, attempt_id=5, mac=THIRD))
    yield 'an attempt was left open', lambda case: case['sql'].append("INSERT INTO attempts (attempt_id, batch_id) VALUES (9, 1)")
    yield 'a column is missing', lambda case: case.update(columns=COLUMNS[:-2] + COLUMNS[-1:])
    yield 'columns in another order', lambda case: case.update(columns=COLUMNS[:-2] + COLUMNS[:-3:-1])
    yield 'units: outcome', lambda case: case['sql'].append("UPDATE units SET last_outcome = 'failed' WHERE batch_id = 1")
    yield 'units: a row twice', lambda case: case['sql'].append('INSERT INTO units SELECT * FROM units WHERE batch_id = 2')
    yield 'batches: end_reason', lambda case: case['sql'].append("UPDATE batches SET end_reason = 'idle'")
    yield 'the batch should have gone on', lambda case: case['expect']['runs'][1].update(continues='first')
    yield 'no concurrency', lambda case: case['rows'][1].update(started_at='2026-01-02T10:00:30.000Z', finished_at='2026-01-02T10:00:50.000Z')

    csv_lie = lambda old, new: lambda case: case.update(csv=lambda text: text.replace(old, new))
    yield 'csv: a value', csv_lie('SN2', 'SN1')
    yield 'csv: a number', csv_lie('50.0', '50.1')
    yield 'csv: a formula', csv_lie("'=Rig", '=Rig')
    yield 'csv: header', csv_lie('mac,dfu_mac', 'dfu_mac,mac')
    yield 'csv: LF', csv_lie('\r\n', '\n')
    yield 'csv: a row less', lambda case: case.update(csv=lambda text: text[:text.rindex('\r\n', 0, -2) + 2])
    yield 'csv: BOM', lambda case: case.update(csv=lambda text: '\ufeff' + text)

    yield 'events: cut in the last line', lambda case: case.update(jsonl=lambda name, data: data[:-5])
    yield 'events: no newline at the end', lambda case: case.update(jsonl=lambda name, data: data[:-1])
    yield 'events: text between', lambda case: case.update(jsonl=lambda name, data: b'flashing ...\n' + data)
    yield 'events: none', lambda case: case.update(jsonl=lambda name, data: b'')

    def event(kind: str, **change):
        return lambda case: case.update(events=lambda name, events: [e.update(change) for e in events if e['event'] == kind])
    yield 'events: a column of board.finished', event('board.finished', firmware_after='9.9.9')
    yield 'events: a lost column', event('board.finished', serial_number=None)
    yield 'events: unknown event', event('board.done', event='board.gone')
    yield 'events: time', event('board.done', time='10:00')
    yield 'events: end_reason', event('batch.finished', end_reason='idle')
    yield 'events: progress beyond the image', event('board.progress', total=30000)
    for change in ({'counts': {'passed': 1}}, {'good': 9}, {'missing': ['U-2']}, {'exit': 3}):
        yield f'events: batch.finished with {change}', event('batch.finished', **change)
    yield 'events: batch', event('batch.finished', batch_id=7)
    yield 'events: no head', event('batch.finished', audit_head=None)
    drop = lambda kind: lambda case: case.update(events=lambda name, events: events.remove(next(e for e in events if e['event'] == kind)))
    for kind in ('station.started', 'batch.started', 'board.finished', 'board.done', 'batch.finished'):
        yield f'events: no {kind}', drop(kind)
    yield 'events: twice', lambda case: case.update(events=lambda name, events: events.insert(3, next(e for e in events if e['event'] == 'board.finished')))
    yield 'events: a flood', lambda case: case.update(events=lambda name, events: events[2:2].extend([]) or events.__setitem__(
        slice(2, 2), [e for e in events if e['event'] == 'board.progress'] * 2))

    program = lambda **change: lambda case: case['program'].update(change)
    yield 'audit: the chain is broken', program(audit=1)
    yield 'audit: every head is right', program(head='any')
    yield 'audit: another head', program(head=HASH)
    yield 'audit and summary: no summary', program(summary={})
    yield 'audit and summary: yield', program(summary={'audit_head': HEAD, 'jobs': [
        {'job': 'update', 'attempts': 4, 'boards': 3, 'judged_boards': 2, 'outcomes': {'passed': 2, 'skipped': 1, 'refused': 1}, 'first_pass': {'passed': 1},
         'final': {'passed': 2}}]})
    yield 'report: csv differs', program(csv=csv_of([row()]))
    yield 'report: json differs', program(json=[row()] * 4)
    yield 'report: fails', program(report=1)


def rescued() -> dict:
    """A board that got a bootloader and an application over Nordic DFU, and the station's row of it."""
    stages = [{'kind': 'bootloader', 'bytes': 8000, 'sha256': OLD, 'version': '0.3.3'}, {'kind': 'application', 'bytes': 8000, 'sha256': HASH, 'version': '1.4.5'}]
    return {
        'row': row(job='rescue', upgrade_mode=None, dfu_mac=OTHER, firmware_before=None, firmware_after='1.4.5', bootloader_before='0.3.2', bootloader_after='0.3.3',
                   package='firmware.zip', image_hash_before=None, image_hash_after=None, image_state=None, verified_by='version', settings_erased=None,
                   upload_bytes=16500, retries=1),
        'wanted': {'attempts': ['passed'], 'package': 'metawear', 'before': None, 'bootloader': ['0.3.2', '0.3.3'], 'dfu_mac': '+1', 'stages': copy.deepcopy(stages),
                   'faults': ['lost']},
        'spec': {'kind': 'metawear', 'serial': 'SN1', 'model': 'M', 'hardware': '2.1'},
        'package': {'file': 'firmware.zip', 'sha256': FILE, 'hash': HASH, 'version': '1.4.5'},
        'board': {'updates': stages, 'mode': 'app', 'connected': 0, 'app': {'version': '1.4.5'}, 'app_valid': True, 'bootloader_version': '0.3.3', 'writes': 900,
                  'bytes_received': 16500, 'dfu': {'errors': ['100306']}, 'faults_fired': [{'do': 'lost'}]},
    }


def refused() -> dict:
    """Somebody else's board in its bootloader."""
    case = rescued()
    case['row'] |= {'outcome': 'refused', 'good': 0, 'left_as': 'untouched', 'firmware_after': None, 'bootloader_before': None, 'bootloader_after': None, 'dfu_mac': None,
                    'upload_bytes': None, 'verified_by': None}
    case['wanted'] |= {'package': None, 'bootloader': [None, None], 'dfu_mac': None, 'stages': [], 'mode': 'bootloader', 'faults': []}
    case['board'] |= {'updates': [], 'mode': 'bootloader', 'writes': 0, 'bytes_received': 0, 'app': None, 'dfu': {}}
    return case


def rescue_lies():
    """(name, a good case, what makes it wrong)."""
    for name, value in (('good', 0), ('serial_number', 'SN2'), ('model_number', 'N'), ('hardware_revision', '2.2'), ('firmware_before', '1.0'), ('unit_id', 'U'),
                        ('bootloader_before', '0.3.1'), ('bootloader_after', '0.3.2'), ('dfu_mac', None), ('dfu_mac', THIRD), ('image_hash_before', OLD),
                        ('image_hash_after', HASH), ('image_state', 'confirmed'), ('settings_erased', 'no'), ('firmware_after', '1.3.0'), ('verified_by', 'none'),
                        ('left_as', 'bootloader'), ('package', 'bl.zip'), ('package_sha256', OLD), ('image_hash', OLD), ('upload_bytes', 8000), ('retries', 0),
                        ('upload_s', 0.0)):
        yield f'rescue: {name} = {value!r}', rescued, lambda case, name=name, value=value: case['row'].update({name: value})
    for name, value in (('updates', []), ('mode', 'bootloader'), ('connected', 1), ('app', {'version': '1.3.0'}), ('app', None), ('app_valid', False),
                        ('bootloader_version', '0.3.2'), ('faults_fired', []), ('dfu', {'errors': ['100306'] * 2})):
        yield f'rescue: the board has {name} = {value!r}', rescued, lambda case, name=name, value=value: case['board'].update({name: value})
    yield 'rescue: the images in another order', rescued, lambda case: case['board']['updates'].reverse()
    yield 'rescue: an image twice', rescued, lambda case: case['board']['updates'].append(case['board']['updates'][0])
    yield 'rescue: something was written to somebody else\'s board', refused, lambda case: case['board'].update(writes=1)
    yield 'rescue: image bytes in somebody else\'s board', refused, lambda case: case['board'].update(bytes_received=20)
    yield 'rescue: somebody else\'s board is called good', refused, lambda case: case['row'].update(good=1)
    yield 'rescue: somebody else\'s board is not left alone', refused, lambda case: case['row'].update(left_as='bootloader')
    yield 'rescue: an upload to somebody else\'s board', refused, lambda case: case['row'].update(upload_bytes=20)


def judged_rescue(case: dict) -> Checks:
    checks, of = Checks(say=lambda *_: None), lambda value: {OURS: value}
    outcome = types.SimpleNamespace(boards=of(case['board']), specs=of(case['spec']), expect={'packages': {'metawear': case['package']}})
    verdict_rescue.check_last(checks, outcome, case['row'], case['wanted'], True)
    return checks


def upgraded(**more) -> dict:
    """A board with two images that were both updated, and the station's row of it. `more`: what a board of another kind has in `wanted`."""
    images = [{'number': 0, 'slot': 0, 'hash': HASH, 'hash_kind': 'sha256', 'version': '2.0.0.7', 'bytes': 60000},
              {'number': 1, 'slot': 0, 'hash': FILE, 'hash_kind': 'sha256', 'version': '3.1.0', 'bytes': 40000}]
    slots = lambda image: [{'slot': 0, 'hash': image['hash'], 'version': image['version'], 'valid': True, 'pending': False},
                           {'slot': 1, 'hash': OLD, 'version': '1.0.0', 'valid': True, 'pending': False}]
    both = f'0:{HASH} 1:{FILE}'
    return {
        'row': row(image_hash=both, image_hash_before=f'0:{OLD} 1:{OLD}', image_hash_after=both, settings_erased=None),
        'wanted': {'attempts': ['passed'], 'package': 'two', 'before': '1.0.0', 'image_hash': both, 'hash_before': f'0:{OLD} 1:{OLD}', 'images': images, 'sent': 100000,
                   'state': 'confirmed', 'verified_by': 'imageHash', 'good': 1, 'erased': 'no', 'storage_erased': 0} | more,
        'spec': {'kind': 'smp', 'serial': 'SN1', 'model': 'M', 'hardware': '2.1', 'settings': {'app/name': '31'}},
        'package': {'file': 'line.bin', 'sha256': FILE},
        'board': {'address': OURS, 'address_now': OURS, 'mode': 'app', 'connected': 0, 'storage_erased': 0, 'settings': {'app/name': '31'}, 'bytes_received': 100000,
                  'reboots': 1, 'running': {'version': '2.0.0.7', 'hash': HASH, 'hash_kind': 'sha256'}, 'confirmed': True, 'suit': None,
                  'images': [{'image': image['number'], 'active': 0, 'unconfirmed': False, 'slots': slots(image)} for image in images]},
    }


def unread() -> dict:
    """The second image is a network core's."""
    case = upgraded(verified_by='none', good=0, hash_after=f'0:{HASH}')
    case['row'] |= {'verified_by': 'none', 'good': 0, 'image_hash_after': f'0:{HASH}'}
    return case


def erased() -> dict:
    case = upgraded(erased='yes', storage_erased=1)
    case['row']['settings_erased'] = 'yes'
    case['board'] |= {'storage_erased': 1, 'settings': {}}
    return case


def loaded() -> dict:
    """Bare metal: through the loader, under the next address."""
    case = upgraded(verified_by='version', dfu_mac='+1', loader=True)
    case['row'] |= {'verified_by': 'version', 'dfu_mac': OTHER}
    case['board'] |= {'reboots': 2, 'settings': {'app/name': '31', 'fw_loader/adv_name': '464c'}}
    return case


def fetched() -> dict:
    """A SUIT board that asked for one resource."""
    case = upgraded()
    case['package']['suit'] = {'sequence': 7, 'digest': HASH, 'resources': {'file://app.bin': 900}}
    case['board']['suit'] = {'sequence': 7, 'digest': HASH, 'installs': [7], 'failures': [], 'resources': {'file://app.bin': 900}, 'state': 'idle'}
    return case


def untouched() -> dict:
    """The same again: there was nothing to do."""
    case = upgraded()
    case['row'] |= {'outcome': 'skipped', 'left_as': 'untouched', 'upload_bytes': None, 'upload_s': None}
    return case


UPGRADES = (upgraded, unread, erased, loaded, fetched, untouched)


def upgrade_lies():
    """(name, a good case, what makes it wrong)."""
    tell = lambda name, value: lambda case: case['row'].update({name: value})
    for name, value in (('serial_number', 'SN2'), ('model_number', 'N'), ('hardware_revision', '2.2'), ('unit_id', 'U'), ('dfu_mac', OTHER), ('package', 'odd.bin'),
                        ('package_sha256', OLD), ('firmware_before', '1.0.1'), ('firmware_after', '3.1.0'), ('image_hash', HASH), ('image_hash', f'0:{FILE} 1:{HASH}'),
                        ('image_hash_before', OLD), ('image_hash_before', None), ('image_hash_after', f'0:{HASH}'), ('image_hash_after', f'0:{HASH} 1:{OLD}'),
                        ('image_state', 'testing'), ('verified_by', 'version'), ('good', 0), ('left_as', 'unconfirmed'), ('settings_erased', 'yes'),
                        ('settings_erased', 'refused'), ('upload_bytes', 60000), ('upload_bytes', None), ('upload_s', 0.0)):
        yield f'upgrade: {name} = {value!r}', upgraded, tell(name, value)
    for make, name, value in ((unread, 'good', 1), (unread, 'verified_by', 'imageHash'), (unread, 'image_hash_after', f'0:{HASH} 1:{FILE}'), (erased, 'settings_erased', None),
                              (erased, 'settings_erased', 'refused'), (loaded, 'dfu_mac', None), (loaded, 'dfu_mac', THIRD), (loaded, 'verified_by', 'imageHash'),
                              (untouched, 'left_as', 'application'), (untouched, 'upload_bytes', 10), (untouched, 'good', 0)):
        yield f'upgrade: {make.__name__}: {name} = {value!r}', make, tell(name, value)
    be = lambda name, value: lambda case: case['board'].update({name: value})
    for make, name, value in ((upgraded, 'mode', 'loader'), (upgraded, 'address_now', OTHER), (upgraded, 'connected', 1), (upgraded, 'storage_erased', 1),
                              (upgraded, 'settings', {}), (upgraded, 'bytes_received', 60000), (upgraded, 'bytes_received', 160000), (upgraded, 'running', None),
                              (upgraded, 'running', {'version': '2.0.0.7', 'hash': OLD, 'hash_kind': 'sha256'}), (upgraded, 'confirmed', False), (upgraded, 'images', []),
                              (erased, 'storage_erased', 0), (erased, 'storage_erased', 2), (erased, 'settings', {'app/name': '31'}), (loaded, 'settings', {'app/name': '31'}),
                              (loaded, 'reboots', 1), (fetched, 'suit', None)):
        yield f'upgrade: {make.__name__}: the board has {name} = {value!r}', make, be(name, value)
    for name, value in (('active', 1), ('unconfirmed', True)):
        yield f'upgrade: the second image has {name} = {value!r}', upgraded, lambda case, name=name, value=value: case['board']['images'][1].update({name: value})
    for name, value in (('hash', OLD), ('version', '3.0.0'), ('valid', False)):
        yield f'upgrade: the second image runs with {name} = {value!r}', upgraded, lambda case, name=name, value=value: case['board']['images'][1]['slots'][0].update({name: value})
    yield 'upgrade: something is pending', upgraded, lambda case: case['board']['images'][0]['slots'][1].update(pending=True)
    yield 'upgrade: an image more', upgraded, lambda case: case['board']['images'].append(case['board']['images'][1])
    for name, value in (('sequence', 4), ('digest', OLD), ('installs', []), ('installs', [7, 7]), ('failures', ['resource timeout']), ('resources', {}),
                        ('resources', {'file://app.bin': 800}), ('resources', {'file://app.bin': 900, 'file://cached.bin': 5}), ('state', 'waiting')):
        yield f'upgrade: the SUIT board has {name} = {value!r}', fetched, lambda case, name=name, value=value: case['board']['suit'].update({name: value})


def judged_upgrade(case: dict) -> Checks:
    checks, of = Checks(say=lambda *_: None), lambda value: {OURS: value}
    outcome = types.SimpleNamespace(boards=of(case['board']), specs=of(case['spec']), expect={'packages': {'two': case['package']}}, rows=[case['row']])
    verdict_upgrades.check_last(checks, outcome, case['row'], case['wanted'], True)
    return checks


def judged(case: dict, ask_program: bool) -> Checks:
    checks = Checks(say=lambda *_: None)
    with tempfile.TemporaryDirectory() as folder:
        guest = os.path.join(folder, 'hand')
        os.mkdir(guest)
        program = write(guest, case)
        verdict.judge(checks, guest, program if ask_program else None)
    return checks


def main() -> int:
    checks = judged(good(), True)
    if checks.failures or checks.passed < 50:
        print(f'verdict: a good outcome is refused ({checks.passed} passed):', *checks.failures, sep='\n  ')
        return 1
    missed, count = [], 0
    for name, lie in lies():
        case = good()
        lie(case)
        count += 1
        try:
            if not judged(case, name.startswith(('audit', 'report:', 'events: no head'))).failures:
                missed.append(name)
        except Exception as error:
            missed.append(f'{name}: the verdict stumbled: {error!r}')
    for case in (rescued, refused):
        if failures := judged_rescue(case()).failures:
            print('verdict: a good rescue is refused:', *failures, sep='\n  ')
            return 1
    for make in UPGRADES:
        if failures := judged_upgrade(make()).failures:
            print(f'verdict: a good upgrade ({make.__name__}) is refused:', *failures, sep='\n  ')
            return 1
    for make in (selftest_cloud.good, selftest_cloud.single):
        if failures := selftest_cloud.judged(make()).failures:
            print(f'verdict: a good cloud ({make.__name__}) is refused:', *failures, sep='\n  ')
            return 1
    if wrong := selftest_cloud.serves():
        print('verdict: the server of the guest cloud is wrong:', *wrong, sep='\n  ')
        return 1
    for judge, tales in ((judged_rescue, rescue_lies()), (judged_upgrade, upgrade_lies()), (selftest_cloud.judged, selftest_cloud.lies())):
        for name, make, lie in tales:
            case = make()
            lie(case)
            count += 1
            if not judge(case).failures:
                missed.append(name)
    for name in missed:
        print(f'verdict: a lie was not found: {name}')
    print(f'verdict: {count} lies, {"all found" if not missed else f"{len(missed)} not found"}')
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
