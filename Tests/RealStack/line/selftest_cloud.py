"""selftest_cloud.py: the part of selftest_verdict.py for the guest `cloud`: a good outcome and one for each thing that can be wrong; and the server, asked by urllib."""
from __future__ import annotations

import copy
import hashlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
import types
import urllib.error
import urllib.request

import verdict_cloud

HERE = os.path.dirname(os.path.abspath(__file__))
HOST, KEY, ADDRESS = '127.0.0.1:8090', 'abcdefghijklmnop', 'C0:DE:00:00:00:01'
ARTEFACT = b'an artefact'
DIGEST = hashlib.sha256(ARTEFACT).hexdigest()
CHUNKS = [hashlib.sha256(bytes([n])).hexdigest() for n in range(40)]
QUERY = {'hardware_version': '2.1', 'software_type': 'good', 'current_version': '1.0.0', 'device_serial': 'S'}


class Log:
    """A server's log, written by hand."""

    def __init__(self):
        self.lines: list[dict] = []
        self.n, self.at = 0, 0.0

    def request(self, status, written=True, after=1.0, retry=None, open_=False, **asked):
        self.n += 1
        self.at += after
        self.lines.append({'what': 'asked', 'n': self.n, 'at': self.at, 'host': HOST, 'headers': ['Host', 'Memfault-Project-Key']} | asked)
        if not open_:
            self.lines.append({'what': 'answered', 'n': self.n, 'at': self.at + 0.1, 'status': status, 'written': written, 'retry_after': retry})

    def post(self, status, *numbers: int, **more):
        several = len(numbers) > 1
        self.request(status, **{'method': 'POST', 'path': '/chunks/SN1', 'query': {}, 'serial': 'SN1', 'key': 'one', 'chunks': [CHUNKS[n] for n in numbers],
                                'type': 'multipart/mixed' if several else 'application/octet-stream'} | more)

    def get(self, status, path: str, key=None, query=None, **more):
        more |= {'query_string': ''} if query else {'range': more.get('range')}
        self.request(status, **{'method': 'GET', 'path': path, 'query': query or {}, 'key': key, 'type': ''} | more)


def good(multipart: bool = True) -> dict:
    """A board whose chunks 10 to 13 were lost with the link; and a fetch that was resumed."""
    log = Log()
    log.post(503, 0, retry=2.0)
    if multipart:
        log.post(202, 0, 1, 2, after=2.5)
        log.post(202, *range(3, 10))
        log.post(None, *range(14, 20), written=False)
        log.post(202, *range(14, 32))
        log.post(403, 32)
        log.post(202, *range(32, 40))
    else:
        log.post(415, 0, 1, after=2.5)
        for n in (*range(10), *range(14, 20)):
            log.post(202, n)
        log.post(None, 20, written=False)
        log.post(403, 20)
        for n in range(20, 40):
            log.post(202, n)
    log.get(200, '/api/v0/releases/latest', key='station', query=QUERY)
    log.get(200, '/files/good.bin', written=False)
    log.get(206, '/files/good.bin', range='bytes=5-')
    board = {'name': 'B', 'serial': 'SN1', 'key': 'one', 'multipart': multipart, 'chunks': CHUNKS, 'cuts': [['lose', 10, 20]], 'forbidden': 1}
    fetches = [{'name': 'fetch', 'exit': 0, 'words': DIGEST, 'key': 'station', 'query': QUERY, 'resumed': 'good.bin', 'size': 11},
               {'name': 'refusal', 'exit': 2, 'words': '401', 'key': 'station', 'query': QUERY}]
    finished = {'event': 'observe.finished', 'boards': [{'mac': ADDRESS, 'pending': 3, 'dropped': 0, 'held': 'because'}]}
    files = {'observe.jsonl': json.dumps({'event': 'observe.started'}) + '\n' + json.dumps(finished) + '\n', 'observe.stderr': '', 'full.stderr': 'the queue is full', 'full.jsonl': '', 'run.jsonl': '{}', 'bluetoothd.log': '', 'station/station.db': 'rows', 'station/cloud-queue.db': 'lanes',
             'station/small-queue.db': '', 'station/cloud-queue.db.keys/1': KEY, 'station/project.key': KEY, f'station/ota/{DIGEST}': ARTEFACT.decode(), 'evil': '',
             'truth.json': KEY, 'fetch.jsonl': json.dumps({'sha256': DIGEST}), 'fetch.stderr': '', 'refusal.jsonl': '', 'refusal.stderr': 'flashline: status 401: check the key: or so\n',
             'places': '/run/station/project.key\n/run/station/cloud-queue.db.keys/1\n/run/cores/core.bash.7\n', 'cores': 'core.bash.7\n',
             'modes': '600 f /run/station/project.key\n700 d /run/station/cloud-queue.db.keys\n600 f /run/station/cloud-queue.db.keys/1\n644 f /run/station/station.db\n'}
    return {'log': log.lines, 'board': {'mds': {'cuts': [14], 'waiting': 0}}, 'files': files, 'rc': {'observe': 137, 'fetch': 0, 'refusal': 2},
            'expect': {'boards': {ADDRESS: board}, 'ends': {'observe': 137}, 'tallies': {'observe': {ADDRESS: {'pending': 3, 'dropped': 0, 'held': True}}}, 'fetches': fetches, 'kept': [DIGEST], 'secrets': [KEY], 'host': HOST}}


def single() -> dict:
    return good(multipart=False)


def judged(case: dict):
    from verdict import Checks                  # it imports verdict_cloud
    checks = Checks(say=lambda *_: None)
    with tempfile.TemporaryDirectory() as folder:
        for path, content in (case['files'] | {'server.jsonl': ''.join(json.dumps(line) + '\n' for line in case['log'])}).items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), 'w', encoding='latin-1' if '\xff' in content else 'utf-8') as file:
                file.write(content)

        def text(*path: str) -> str:
            with open(os.path.join(*path), encoding='utf-8') as file:
                return file.read()
        outcome = types.SimpleNamespace(out=folder, station=os.path.join(folder, 'station'), name='cloud', text=text, code=case['rc'].get,
                                        expect={'cloud': case['expect']}, boards={ADDRESS: case['board']})
        verdict_cloud.check(checks, outcome)
    return checks


def lies():
    """(name, a good case, what makes it wrong)."""
    def of(case, index: int, **asked) -> tuple[dict, dict]:
        """The two lines of a request, counted among those with these values."""
        line = [line for line in case['log'] if line['what'] == 'asked' and all(line.get(name) == value for name, value in asked.items())][index]
        return line, next(answer for answer in case['log'] if answer['what'] == 'answered' and answer['n'] == line['n'])

    def ask(index: int, **change):
        return lambda case: of(case, index, serial='SN1')[0].update(change)

    def answer(index: int, **change):
        return lambda case: of(case, index, serial='SN1')[1].update(change)

    def again(case, *numbers: int):
        line, told = copy.deepcopy(of(case, 5, serial='SN1'))
        line |= {'n': 99, 'at': 90.0, 'chunks': [CHUNKS[n] for n in numbers]}
        case['log'] += [line, told | {'n': 99, 'at': 90.1, 'status': 202}]

    chunks = lambda index, change: lambda case: change(of(case, index, serial='SN1')[0]['chunks'])
    yield 'cloud: a chunk is missing', good, chunks(2, lambda chunks: chunks.pop(2))
    yield 'cloud: the first chunk is missing', good, chunks(1, lambda chunks: chunks.pop(0))
    yield 'cloud: the last chunk is missing', good, chunks(6, lambda chunks: chunks.pop())
    yield 'cloud: a chunk of the burst is missing, and told by nobody', good, lambda case: (case['expect']['boards'][ADDRESS].update(burst=36), of(case, 6, serial='SN1')[0]['chunks'].pop())
    yield 'cloud: two chunks are exchanged', good, chunks(2, lambda chunks: chunks.reverse())
    yield 'cloud: a chunk twice in one request', good, chunks(2, lambda chunks: chunks.insert(1, chunks[0]))
    yield 'cloud: a chunk again after a 2xx', good, lambda case: again(case, 39)
    yield 'cloud: an old chunk at the end', good, lambda case: again(case, 11)
    yield 'cloud: a chunk of nobody\'s', good, chunks(2, lambda chunks: chunks.append(DIGEST))
    yield 'cloud: what was cut off did not come again', good, chunks(4, lambda chunks: chunks.pop(0))
    yield 'cloud: the answer did not arrive', good, answer(2, written=False)
    yield 'cloud: the chunks were refused', good, answer(2, status=503)
    yield 'cloud: before the pause was over', good, lambda case: of(case, 0, serial='SN1')[1].update(at=2.0, retry_after=9.0)
    yield 'cloud: no pause', good, answer(0, retry_after=None)
    yield 'cloud: two requests at once', good, answer(1, at=99.0)
    yield 'cloud: another board\'s key', good, ask(2, key='two')
    yield 'cloud: an unknown key', good, ask(2, key='unknown')
    yield 'cloud: no key', good, ask(2, key=None)
    yield 'cloud: PUT', good, ask(2, method='PUT')
    yield 'cloud: another host', good, ask(2, host='localhost:8090')
    yield 'cloud: a header field', good, ask(2, headers=['Host', 'Cookie'])
    yield 'cloud: the wrong type', good, ask(2, type='application/octet-stream')
    yield 'cloud: asked again after 403', good, answer(6, status=403)
    yield 'cloud: no 403', good, answer(5, status=202)
    yield 'cloud: nothing was cut off', good, answer(3, status=503)
    yield 'cloud: another answer', good, answer(5, status=400)
    yield 'cloud: a body that the server could not read', good, lambda case: case['log'].append({'what': 'malformed', 'n': 1, 'at': 1.0, 'error': ''})
    yield 'cloud: multipart is refused', good, answer(3, status=415)
    yield 'cloud: several chunks at once, where none are taken', single, lambda case: again(case, 38, 39)
    yield 'cloud: the stream ended oftener', good, lambda case: case['board']['mds'].update(cuts=[14, 30])
    yield 'cloud: what was lost is not what was on the air', good, lambda case: case['board']['mds'].update(cuts=[19])
    yield 'cloud: not cut off in the middle', good, lambda case: case['expect']['boards'][ADDRESS].update(cuts=[['lose', 14, 20]])
    yield 'cloud: lost before the cut, with others behind it', good, lambda case: case['board']['mds'].update(cuts=[15])
    yield 'cloud: the board has not sent all', good, lambda case: case['board']['mds'].update(waiting=1)
    for old, new in (('observe.finished', 'observe.waiting'), ('"pending": 3', '"pending": 4'), ('"dropped": 0', '"dropped": 1'), ('"because"', 'null'), (ADDRESS, 'C0:DE:00:00:00:09')):
        yield f'cloud: it says {new}', good, lambda case, old=old, new=new: case['files'].update({'observe.jsonl': case['files']['observe.jsonl'].replace(old, new)})
    yield 'cloud: nothing of a full queue', good, lambda case: case['files'].update({'full.stderr': ''})
    yield 'cloud: a crash report', good, lambda case: case['files'].update({'observe.stderr': 'Registers:'})
    yield 'cloud: exit code', good, lambda case: case['rc'].update(observe=0)

    fetch = lambda index, **change: lambda case: of(case, index, serial=None)[0].update(change)
    put = lambda path, content: lambda case: case['files'].update({path: content})
    yield 'ota: exit code', good, lambda case: case['rc'].update(fetch=1)
    yield 'ota: no words', good, put('fetch.jsonl', '{}')
    yield 'ota: no line for a refusal', good, put('refusal.stderr', '401')
    yield 'ota: no remedy', good, put('refusal.stderr', 'flashline: status 401\n')
    yield 'ota: two lines', good, lambda case: case['files'].update({'refusal.stderr': case['files']['refusal.stderr'] * 2})
    yield 'ota: another board', good, fetch(0, query=QUERY | {'device_serial': 'T'})
    yield 'ota: encoded twice', good, fetch(0, query=QUERY | {'current_version': '1.0.0%2B7'})
    yield 'ota: a value more', good, fetch(0, query=QUERY | {'key': 'x'})
    yield 'ota: another key', good, fetch(0, key='one')
    yield 'ota: the key for a file', good, fetch(1, key='station')
    yield 'ota: not broken off', good, lambda case: of(case, 1, serial=None)[1].update(written=True)
    for bad in (None, 'bytes=0-', 'bytes=9-', 'bytes=5-7'):
        yield f'ota: range {bad}', good, fetch(2, range=bad)
    yield 'ota: the range was not served', good, lambda case: of(case, 2, serial=None)[1].update(status=200)
    yield 'ota: an artefact of another content', good, put(f'station/ota/{DIGEST}', 'another artefact')
    yield 'ota: an artefact too many', good, put('station/ota/1.part', 'half')
    yield 'ota: no artefact', good, lambda case: case['files'].pop(f'station/ota/{DIGEST}')
    yield 'ota: a file by the server\'s name', good, put('evil', '/run/evil.bin\n')

    for path in ('run.jsonl', 'observe.stderr', 'station/station.db', 'station/cloud-queue.db', 'server.jsonl.old', 'station/reports/a.csv', 'bluetoothd.log', 'core.flashline'):
        yield f'secret: in {path}', good, put(path, f'x{KEY}y')
    yield 'secret: in UTF-16', good, put('observe.stderr', ''.join(f'{letter}\0' for letter in KEY))
    yield 'secret: a file is gone', good, lambda case: case['files'].pop('station/cloud-queue.db')
    yield 'secret: no file of keys', good, lambda case: case['files'].pop('station/cloud-queue.db.keys/1')
    yield 'secret: in a core', good, put('places', good()['files']['places'] + '/run/cores/core.flashline.9\n')
    yield 'secret: in a file of the guest', good, put('places', good()['files']['places'] + '/run/tmp/x\n')
    yield 'secret: no cores are written', good, put('cores', '')
    yield 'secret: a core is not searched', good, put('places', '/run/station/project.key\n')
    for old, new in (('600 f /run/station/cloud', '644 f /run/station/cloud'), ('600 f /run/station/project', '640 f /run/station/project'), ('700 d', '755 d'), ('.keys', '.other')):
        yield f'secret: modes {new}', good, put('modes', good()['files']['modes'].replace(old, new))


# -- the server ------------------------------------------------------------------------------------------------------------


def serves() -> list[str]:
    """What is wrong with cloud_server.py."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ('modes', 'files'):
            os.mkdir(os.path.join(folder, name))
        with open(os.path.join(folder, 'files/f'), 'wb') as file:
            file.write(bytes(range(200)) * 500)
        with open(os.path.join(folder, 'cloud.json'), 'w', encoding='utf-8') as file:
            json.dump({'keys': {'one': KEY}, 'boards': {'S': {'key': 'one', 'multipart': True}, 'T': {'key': 'one', 'multipart': False}},
                       'releases': {'a': {'json': {'version': '2'}}, 'none': {'status': 204}}, 'files': {'f': {'file': 'f', 'cut': True}, 'm': {'moved': 'http://x/'}}}, file)
        server = subprocess.Popen([sys.executable, os.path.join(HERE, 'cloud_server.py'), folder, '0'], stderr=subprocess.DEVNULL)
        try:
            open(os.path.join(folder, 'up'), 'w').close()
            ask(folder, listening(folder), lambda what, got, wanted: got == wanted or wrong.append(f'{what}: {got!r}, not {wanted!r}'))
        finally:
            server.kill()
            server.wait()
    return wrong


def listening(folder: str) -> int:
    deadline = time.monotonic() + 30
    while True:
        try:
            with open(os.path.join(folder, 'port'), encoding='ascii') as file:
                return int(file.read())
        except (OSError, ValueError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def ask(folder: str, port: int, same):
    base = f'http://127.0.0.1:{port}'

    def send(path: str, body: bytes | None = None, key: str = KEY, **headers: str):
        request = urllib.request.Request(base + path, body, {'Memfault-Project-Key': key} | {name.replace('_', '-'): value for name, value in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get('Retry-After')

    def mode(words: str):
        with open(os.path.join(folder, 'modes/S'), 'w', encoding='utf-8') as file:
            file.write(words)
    octets, mixed = 'application/octet-stream', 'multipart/mixed; boundary=xx'
    parts = [b'one\r\n--\r\n', b'two']
    body = b''.join(b'--xx\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n%s\r\n' % (len(part), part) for part in parts) + b'--xx--\r\n'
    chunks = '/api/v0/chunks/'
    same('a chunk', send(chunks + 'S', b'x', Content_Type=octets)[0], 202)
    same('several', send(chunks + 'S', body, Content_Type=mixed)[0], 202)
    same('parts without length', send(chunks + 'S', body.replace(b'Content-Length', b'Content-Width'), Content_Type=mixed)[0], 411)
    same('several, not taken', send(chunks + 'T', body, Content_Type=mixed)[0], 415)
    same('another key', send(chunks + 'S', b'x', 'other', Content_Type=octets)[0], 403)
    same('another board', send(chunks + 'U', b'x', Content_Type=octets)[0], 404)
    mode('status 503 2')
    same('a pause', send(chunks + 'S', b'x', Content_Type=octets), (503, '2'))
    mode('hold')
    gone = http.client.HTTPConnection('127.0.0.1', port, timeout=10)
    gone.request('POST', chunks + 'S', b'held', {'Memfault-Project-Key': KEY, 'Content-Type': octets})
    entries = lambda: [json.loads(line) for line in open(os.path.join(folder, 'log.jsonl'), encoding='utf-8')]

    def until(what: str):
        deadline = time.monotonic() + 10
        while entries()[-1]['what'] != what and time.monotonic() < deadline:
            time.sleep(0.02)
    until('holding')
    gone.close()
    until('answered')
    same('an answer that nobody waited for', {name: entries()[-1][name] for name in ('status', 'written')}, {'status': None, 'written': False})
    same('a release', send('/api/v0/releases/latest?software_type=a'), (200, b'{"version": "2"}'))
    same('no release', send('/api/v0/releases/latest?software_type=none')[0], 204)
    same('an unknown board', send('/api/v0/releases/latest?software_type=b%2B')[0], 400)
    same('its value', [entry for entry in entries() if entry['what'] == 'asked'][-1]['query'], {'software_type': 'b+'})
    try:
        send('/files/f')
        same('broken off', 'whole', 'half')
    except http.client.IncompleteRead as error:
        same('broken off', len(error.partial), 50_000)
    same('the rest', send('/files/f', Range='bytes=99998-'), (206, bytes((198, 199))))
    until('answered')
    log = entries()
    told = {entry['n']: entry for entry in log if entry['what'] == 'answered'}
    taken = [chunk for entry in log if entry['what'] == 'asked' and told[entry['n']]['status'] == 202 and told[entry['n']]['written'] for chunk in entry['chunks']]
    same('what arrived', taken, [hashlib.sha256(chunk).hexdigest() for chunk in (b'x', *parts)])
    same('keys', [entry['key'] for entry in log if entry.get('serial') == 'S' and entry['what'] == 'asked'][:5], ['one', 'one', 'one', 'unknown', 'one'])
    same('a key in the log', KEY in json.dumps(log), False)
