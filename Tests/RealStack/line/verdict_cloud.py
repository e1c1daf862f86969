"""verdict_cloud.py: the guest `cloud` (prepare_cloud.py): what the server got, against what the boards sent; releases; where the keys lie (for verdict.py).

A chunk has arrived when a request with it was answered with 2xx, and that answer was written whole to a client that was still there (cloud_server.py). What was in a request
without such an answer must come again. Chunks that nobody can have are those that were on the air when a link was lost or the station was killed.
"""
from __future__ import annotations

import hashlib
import json
import os
import re

# Chunks that a board may have sent in vain before a cut: MDS has two under way, and after a lost link those of one event more; after a kill, until bluetoothd unsubscribes: 2 s.
IN_VAIN = {'lose': 4, 'kill': 40}
HEADERS = {'accept', 'accept-encoding', 'accept-language', 'connection', 'content-length', 'content-type', 'host', 'memfault-project-key', 'user-agent', 'range', 'if-range'}
EARLY = 0.05                                     # seconds: the two clocks are one, but the answer is logged after it was written
OWN = {'scenario.json', 'truth.json'}            # the rig's own description of the boards
NEEDED = ('station.db', 'cloud-queue.db', 'small-queue.db', 'observe.jsonl', 'observe.stderr', 'run.jsonl', 'server.jsonl', 'bluetoothd.log')


class Server:
    """The server's log, read."""

    def __init__(self, text: str):
        entries = [json.loads(line) for line in text.splitlines()]
        # A server that is started again counts from 1 again.
        self.requests: list[dict] = []
        open_: dict[int, dict] = {}
        for entry in entries:
            if entry['what'] == 'asked':
                open_[entry['n']] = entry | {'status': None, 'written': False, 'ended': None, 'retry_after': None}
                self.requests.append(open_[entry['n']])
            elif entry['what'] == 'answered' and entry['n'] in open_:
                open_.pop(entry['n']).update({'status': entry['status'], 'written': entry['written'], 'ended': entry['at'], 'retry_after': entry.get('retry_after')})
        self.malformed = [entry for entry in entries if entry['what'] == 'malformed']

    def of(self, **values) -> list[dict]:
        return [request for request in self.requests if all(request.get(name) == value for name, value in values.items())]


def check(checks, outcome):
    cloud = outcome.expect['cloud']
    server = Server(outcome.text(outcome.out, 'server.jsonl'))
    checks.where = outcome.name
    for name, code in cloud['ends'].items():
        checks.same(f'exit code of {name}', outcome.code(name), code)
    checks.ok('it says loudly that the queue is full', 'full' in outcome.text(outcome.out, 'full.stderr').lower())
    checks.same('crash reports, which show memory', [name for name in cloud['ends'] if 'Registers:' in outcome.text(outcome.out, f'{name}.stderr')], [])
    checks.same('requests that the server could not read', server.malformed, [])
    checks.same('requests to hosts that are not allowed', [request['path'] for request in server.requests if request['host'] != cloud['host']], [])
    checks.same('header fields that nobody asked for', sorted({name for request in server.requests for name in request['headers'] if name.lower() not in HEADERS}), [])
    for address, wanted in cloud['boards'].items():
        checks.where = f'{outcome.name}/{wanted["name"]}'
        check_board(checks, wanted, server.of(serial=wanted['serial']), outcome.boards[address] | {'told_lost': told_lost(outcome, address)})
    for name, tally in cloud['tallies'].items():
        checks.where = f'{outcome.name}/{name}'
        check_tally(checks, outcome, name, tally)
    for fetch in cloud['fetches']:
        checks.where = f'{outcome.name}/{fetch["name"]}'
        check_fetch(checks, outcome, fetch, server)
    checks.where = outcome.name
    check_artefacts(checks, outcome, cloud['kept'])
    check_secrets(checks, outcome, cloud['secrets'])


# -- diagnostics -----------------------------------------------------------------------------------------------------------


def check_board(checks, wanted: dict, requests: list[dict], board: dict):
    """One board's requests, in the order in which they came."""
    numbers = {digest: number for number, digest in enumerate(wanted['chunks'])}
    checks.same('chunks that the board never sent', [digest for request in requests for digest in request['chunks'] if digest not in numbers], [])
    checks.same('method, type and key of all its requests', {(request['method'], request['key']) for request in requests}, {('POST', wanted['key'])})
    arrived: list[int] = []
    late, overlapping, early = [], [], []
    for before, request in zip([None] + requests, requests):
        come = [numbers[digest] for digest in request['chunks'] if digest in numbers]
        last = arrived[-1] if arrived else -1
        if come != sorted(set(come)) or come and come[0] <= last:
            late.append((request['n'], come[:3], last))
        if request['status'] in range(200, 300) and request['written']:
            arrived += come
        if before:
            if before['ended'] is None or request['at'] < before['ended']:
                overlapping.append(request['n'])
            elif before['retry_after'] and request['at'] < before['ended'] + before['retry_after'] - EARLY:
                early.append((request['n'], request['at'] - before['ended']))
    checks.same('chunks that came out of order, or again after a 2xx', late, [])
    checks.same('requests beside another one of the same board', overlapping, [])
    checks.same('requests before the pause was over that the server had asked for', early, [])
    check_missing(checks, wanted, arrived, board)
    check_answers(checks, wanted, requests)


def told_lost(outcome, address: str) -> int:
    """The chunks that the station says it dropped of this board while the queue was full."""
    events = [json.loads(line) for line in outcome.text(outcome.out, 'full.jsonl').splitlines() if line.startswith('{') and line.endswith('}')]
    return max((event.get('dropped') or 0 for event in events if event.get('event') == 'observe.full' and event.get('mac') == address), default=0)


def check_missing(checks, wanted: dict, arrived: list[int], board: dict):
    """What did not arrive must be what nobody can have."""
    cuts = board['mds']['cuts']
    if not checks.same('how often its stream ended without the station\'s 00', len(cuts), len(wanted['cuts'])):
        return
    vain = [(cut - IN_VAIN[kind], cut) for (kind, _, _), cut in zip(wanted['cuts'], cuts)]
    checks.ok('it was cut off in the middle', all(low < cut < high for (_, low, high), cut in zip(wanted['cuts'], cuts)), cuts)
    excused = {number for span in vain for number in range(*span)}
    missing = set(range(len(wanted['chunks']))) - set(arrived)
    # What a full queue did not take is told, and counted: as many as are missing, and no other.
    burst = {number for number in missing if number >= wanted.get('burst', len(wanted['chunks']))}
    checks.same('chunks that did not arrive, and of which the station said nothing', len(burst), board['told_lost'])
    checks.same('chunks that did not arrive', sorted(missing - excused - burst), [])
    gone = [sorted(number for number in missing if low <= number < cut) for low, cut in vain]
    checks.ok('what was lost on the air is the last before the cut', all(lost == list(range(cut - len(lost), cut)) for lost, (_, cut) in zip(gone, vain)), gone, cuts)
    checks.same('chunks that the board has not sent', board['mds']['waiting'], 0)


def check_answers(checks, wanted: dict, requests: list[dict]):
    """That it happened: pauses, a key that is refused, requests that were cut off; and bodies as this server takes them."""
    status = lambda code: [request for request in requests if request['status'] == code]
    checks.ok('the server asked for a pause', any(request['retry_after'] for request in status(503)))
    checks.same('requests after the key was refused', len(status(403)), wanted['forbidden'])
    checks.ok('a request was cut off', any(request['status'] is None for request in requests))
    checks.same('other answers', sorted({request['status'] for request in requests} - {202, 503, 403, None, 415}, key=str), [])
    parts = [len(request['chunks']) for request in status(202)]
    if wanted['multipart']:
        checks.ok('several chunks at once', max(parts, default=0) > 1 and all(request['type'] == 'multipart/mixed' for request in status(202) if len(request['chunks']) > 1), parts)
        checks.same('bodies that the server does not take', len(status(415)), 0)
    else:
        checks.same('one chunk at a time, where the server takes no multipart', set(parts), {1})


def check_tally(checks, outcome, name: str, tally: dict):
    """What `observe` says at its end, of each board."""
    events = [json.loads(line) for line in outcome.text(outcome.out, f'{name}.jsonl').splitlines()]
    if not checks.ok('observe.finished is the last event', events and events[-1].get('event') == 'observe.finished', events[-1:]):
        return
    told = {board.get('mac'): board | {'held': board.get('held') is not None} for board in events[-1].get('boards', [])}
    for address, wanted in tally.items():
        checks.same(f'what it says of {address}', {key: told.get(address, {}).get(key) for key in wanted}, wanted)


# -- releases --------------------------------------------------------------------------------------------------------------


def check_fetch(checks, outcome, fetch: dict, server: Server):
    name = fetch['name']
    checks.same('exit code', outcome.code(name), fetch['exit'])
    said = outcome.text(outcome.out, f'{name}.jsonl') + outcome.text(outcome.out, f'{name}.stderr')
    checks.ok(f'it says what happened: {fetch["words"]}', re.search(fetch['words'], said, re.DOTALL), said[:300])
    if fetch['exit']:
        told = [line for line in said.splitlines() if line.startswith('flashline: ')]
        checks.ok('one line says what happened and what to do', len(told) == 1 and told[0].count(': ') >= 2, told)
    kind = fetch['query']['software_type']
    asked = [request for request in server.of(path='/api/v0/releases/latest') if request['query'].get('software_type') == kind and request['query'] == fetch['query']]
    if not checks.ok('the server was asked, for exactly this board', asked, [request['query'] for request in server.requests if 'query_string' in request][-3:]):
        return
    checks.same('by this key', {request['key'] for request in asked}, {fetch['key']})
    if fetch.get('resumed'):
        got = server.of(path=f'/files/{fetch["resumed"]}')
        first = [(request['range'], request['written']) for request in got[:1]]
        checks.same('the first download broke off', first, [(None, False)])
        start = re.fullmatch(r'bytes=(\d+)-', got[1]['range'] or '') if len(got) > 1 else None
        checks.ok('the second one went on behind its last byte', len(got) == 2 and start and 0 < int(start[1]) <= fetch['size'] // 2 and got[1]['status'] == 206,
                  [(request['range'], request['status']) for request in got])
    files = [request for request in server.requests if request['path'].startswith('/files/')]
    checks.same('the key went to no address of a file', {request['key'] for request in files}, {None} if files else set())


def check_artefacts(checks, outcome, kept: list[str]):
    """The folder of artefacts: each file under the SHA-256 of its bytes, and none that was not good."""
    folder = os.path.join(outcome.station, 'ota')
    found = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), 'rb') as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    checks.same('artefacts', sorted(found), kept)
    checks.same('artefacts with another content', [name for name, digest in found.items() if name != digest], [])
    checks.same('files by a name of the server\'s', outcome.text(outcome.out, 'evil').split(), [])


# -- secrets ---------------------------------------------------------------------------------------------------------------


def is_key_file(path: str) -> bool:
    return os.path.basename(path) == 'project.key' or os.path.basename(os.path.dirname(path)).endswith('.db.keys')


def check_secrets(checks, outcome, secrets: list[str]):
    forms = [form for secret in secrets for form in (secret.encode(), secret.encode('utf-16-le'))]
    read, bad, keys = set(), [], 0
    for folder, _, names in os.walk(outcome.out):
        for name in names:
            path = os.path.join(folder, name)
            if name in OWN and folder == outcome.out:
                continue
            with open(path, 'rb') as file:
                data = file.read()
            read.add(name)
            if any(form in data for form in forms):
                if is_key_file(path):
                    keys += 1
                else:
                    bad.append(os.path.relpath(path, outcome.out))
    checks.same('files with a project key in them', bad, [])
    checks.same('files that were not looked into', [name for name in NEEDED if name not in read], [])
    checks.ok('the files of keys are found: the search can find', keys > 1, keys)
    # The same in the guest, where also the places lie that are not copied out; a core of another program with a key in it shows that cores are written and searched.
    places = outcome.text(outcome.out, 'places').splitlines()
    cores = outcome.text(outcome.out, 'cores').split()
    checks.ok('a core of another program was written, and the key in it found', any(name.startswith('core.bash') for name in cores) and
              any('/run/cores/core.bash' in place for place in places), cores, places)
    checks.same('places in the guest with a project key in them', [place for place in places if not is_key_file(place) and '/core.bash' not in place], [])
    modes = [line.split(' ', 2) for line in outcome.text(outcome.out, 'modes').splitlines()]
    checks.same('key files that others may read', [line for line in modes if line[1] == 'f' and is_key_file(line[2]) and line[0] != '600'], [])
    checks.same('folders of keys that others may enter', [line for line in modes if line[1] == 'd' and line[2].endswith('.db.keys') and line[0] != '700'], [])
    checks.ok('there are folders of keys', any(line[2].endswith('.db.keys') for line in modes))
