"""prepare_cloud.py: the guest `cloud` (README.md): diagnostics carried to a server that is not always there, and releases fetched from it.

Fills a guest of prepare.py: two boards with MDS and one with SMP group 128, the server's description (cloud_server.py), the steps (with cloud.sh), and what is to be found.
"""
from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex

from boards import mcuboot, package_tools

PORT = 8090
SERVER = f'http://127.0.0.1:{PORT}'
ELSEWHERE = f'http://localhost:{PORT}'           # the same server, by a name that is not on the list
KEYS = {name: hashlib.sha256(f'key {name}'.encode()).hexdigest()[:32] for name in ('one', 'two', 'three', 'station')}
NORMAL, BURST = 240, 180                         # chunks for the large queue; for the small one, which they overflow
LIMIT, BURST_BYTES = 65_536, 480                 # [cloud] queue_limit, its least value
HARDWARE, MDS_TYPE, SMP_TYPE = '2.1', 'app-mds', 'app-smp'
CONF = """
[log]
level = debug

[cloud]
project_key_file = project.key
allowed_hosts = 127.0.0.1
releases = {server}
queue = {queue}
"""
PROFILE = """[board]
name = cloud
family = mcuboot

[match]
name_prefix = CLOUD-3
min_rssi = -75

[identity]
model_number = {model}
hardware_revision = {hardware}
manufacturer = {maker}
serial = unique

[firmware]
source = ota
hardware_version = {hardware}
software_type = {kind}

[upgrade]
mode = testAndConfirm
"""


def chunk(board: int, number: int) -> bytes:
    """Every chunk is another one, of another length; some hold what a careless writer of multipart bodies would stumble over."""
    seed = hashlib.sha256(f'{board} {number}'.encode()).digest()
    longest = 490 if board == 1 else 46
    length = 8 + int.from_bytes(seed[:2], 'big') % (longest - 7) if number < NORMAL else BURST_BYTES
    return (bytes([board]) + number.to_bytes(2, 'big') + (b'\r\n--\r\n' if number % 5 == 0 else b'') + seed * 20)[:length]


class Cloud:
    def __init__(self, guest):
        self.guest, self.steps = guest, guest.steps
        self.boards: dict[str, dict] = {}
        self.fetches: list[dict] = []
        self.kept: set[str] = set()
        self.ends: dict[str, int] = {}
        self.tallies: dict[str, dict] = {}
        self.server = {'keys': KEYS, 'boards': {}, 'releases': {}, 'files': {}}
        for folder in ('cloud/modes', 'cloud/files'):
            os.makedirs(os.path.join(guest.work, folder))

    # -- boards and files --------------------------------------------------------------------------------------------------
    def streams(self, name: str, key: str, count: int, multipart: bool, security: str, **more) -> str:
        number = len(self.guest.boards) + 1
        serial, chunks = f'SN{number:05d}', [chunk(number, n) for n in range(count)]
        mds = {'chunks': [c.hex() for c in chunks], 'recorded': 0, 'uri': f'{SERVER}/api/v0/chunks/{serial}', 'poll': 0.1, 'security': security,
               'authorization': f'Memfault-Project-Key:{KEYS[key]}'}
        address = self.guest.board(name, mds=mds, software=MDS_TYPE, **more)
        self.server['boards'][serial] = {'key': key, 'multipart': multipart}
        self.boards[address] = {'name': name, 'serial': serial, 'key': key, 'multipart': multipart, 'chunks': [hashlib.sha256(c).hexdigest() for c in chunks]}
        return address

    def release(self, kind: str, content: bytes, *, file: str = 'app_update.bin', url: str | None = None, sha256: str | None = None, **served) -> str:
        """A release for this software type, as Memfault's server tells it (facts/device-manager.md 7.2); returns the file's SHA-256."""
        with open(os.path.join(self.guest.work, f'cloud/files/{kind}.bin'), 'wb') as target:
            target.write(content)
        true = hashlib.sha256(content).hexdigest()
        self.server['files'][f'{kind}.bin'] = {'file': f'{kind}.bin'} | served
        self.server['releases'][kind] = {'json': {
            'id': 7, 'created_date': '2026-11-30T10:00:00.123456+00:00', 'version': '2.0.0', 'revision': 'abc', 'must_pass_through': False, 'notes': '', 'reason': '',
            'is_delta': False, 'artifacts': [{
                'id': 9, 'created_date': '2026-11-30T10:00:00.123456+00:00', 'type': 'firmware', 'hardware_version': HARDWARE, 'filename': file, 'file_size': len(content),
                'url': url or f'{SERVER}/files/{kind}.bin', 'md5': hashlib.md5(content).hexdigest(), 'sha1': hashlib.sha1(content).hexdigest(), 'sha256': sha256 or true}]}}
        return true

    # -- steps -------------------------------------------------------------------------------------------------------------
    def do(self, *lines: str):
        self.steps.extend(lines)

    def must(self, name: str, command: str):
        """A step that puts things as the next ones need them."""
        self.steps.append(f'step {name} {command}')
        self.guest.others.append(name)

    def ota(self, name: str, exit: int, words: str, arguments: list[str], *, key: str = 'station', query: dict, **more):
        """`ota check|fetch`: its exit code, words that it says, and what the server was asked."""
        self.steps.append(' '.join(map(shlex.quote, ['job', name, '60', 'ota', *arguments])))
        self.fetches.append({'name': name, 'exit': exit, 'words': words, 'key': key, 'query': query} | more)

    def values(self, name: str, exit: int, words: str, verb: str, kind: str, *, version: str = '1.0.0', serial: str = 'S-1', kept: str | None = None, **more):
        """The same, with values instead of a board. `kept`: the SHA-256 of what lies in the folder of artefacts then."""
        if kept:
            self.kept.add(kept)
        self.ota(name, exit, words, [verb, '--hardware-version', HARDWARE, '--software-type', kind, '--current-version', version, '--serial', serial],
                 query={'hardware_version': HARDWARE, 'software_type': kind, 'current_version': version, 'device_serial': serial}, **more)

    def write(self):
        self.guest.text('cloud/cloud.json', json.dumps(self.server))
        path = os.path.join(self.guest.work, 'station/project.key')
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), 'w', encoding='ascii') as file:
            file.write(KEYS['station'] + '\n')
        forms = [form for key in KEYS.values() for form in forms_of(key)]
        self.guest.text('secrets', '\n'.join(forms) + '\n')
        self.guest.cloud = {'boards': self.boards, 'ends': self.ends, 'tallies': self.tallies, 'fetches': self.fetches, 'kept': sorted(self.kept), 'secrets': forms, 'host': SERVER.removeprefix('http://')}


def forms_of(key: str) -> list[str]:
    """A key as it may stand somewhere: itself, its bytes in hexadecimal digits, Base64 at each of the three alignments."""
    data = key.encode()
    return [key, data.hex(), data.hex().upper()] + [base64.b64encode(bytes(shift) + data).decode()[4 if shift else 0:-8] for shift in range(3)]


def fill(guest, order: list[str], model: str, maker: str, station: str):
    made = Cloud(guest)
    for name, queue, more in (('station', 'cloud-queue.db', ''), ('small', 'small-queue.db', f'queue_limit = {LIMIT}\n')):
        guest.text(f'station/{name}.conf', station + CONF.format(server=SERVER, queue=queue) + more)
    one = made.streams('CLOUD-1', 'one', NORMAL + BURST, True, 'encrypt')
    two = made.streams('CLOUD-2', 'two', NORMAL, False, 'none', mtu=50,            # its authorization is longer than one read
                       faults=[{'do': 'lost', 'point': 'response', 'where': {'chunk': 80}}])
    made.do('. "$RIG/line/cloud.sh"', f'PYTHON={shlex.quote(os.path.join(os.environ["RIG_CACHE"], "venv/bin/python"))}',
            f'cp -r {shlex.quote(guest.work)}/cloud /run/cloud', 'mkdir -p /run/tmp; export TMPDIR=/run/tmp')
    made.do('server')
    made.must('cores', 'cores')
    parts = os.environ.get('PARTS', 'observe releases flash').split()            # for looking at one of them; the verdict wants all
    if 'observe' in parts:
        observe(made, one, two)
    else:
        made.must('serve', 'serve start')
    if 'releases' in parts:
        releases(made, two)
    if 'flash' in parts:
        flash(made, order, model, maker)
    made.do("places", 'cp "$LOG" "$OUT/server.jsonl"')
    made.write()


def observe(made: Cloud, one: str, two: str):
    both = f'{one} {two}'
    sent = lambda n: f'eval "await 120 sent CLOUD-1 {n} && await 120 sent CLOUD-2 {n}"'
    # The server is down; then it asks for a pause; then it takes everything.
    made.do('record 60 CLOUD-1 CLOUD-2', f'station observe observe {both} --pairing just-works')
    made.must('down', sent(60))
    made.do('mode SN00001 status 503 2', 'mode SN00002 status 503 2')
    made.must('serve', 'serve start')
    made.must('paused', 'eval "await 120 seen 2 answered.*503.*SN00001 && await 120 seen 2 answered.*503.*SN00002"')
    made.do('mode SN00001', 'mode SN00002')
    made.must('up', 'eval "await 120 arrived SN00001 60 && await 120 arrived SN00002 60"')
    # The link of one is lost in the middle of the stream (`faults` of the board).
    made.do('record 60 CLOUD-1 CLOUD-2')
    made.must('rejoined', sent(120))
    made.must('arrived', 'await 120 arrived SN00001 120')
    # The station is killed while both boards stream and a request of each is on its way.
    made.do('mode SN00001 hold', 'mode SN00002 hold', 'record 30 CLOUD-1 CLOUD-2')
    made.must('holding', 'eval "await 120 seen 1 holding.*SN00001 && await 120 seen 1 holding.*SN00002"')
    made.do('record 60 CLOUD-1 CLOUD-2')
    made.must('streaming', 'await 120 sent CLOUD-1 160')
    made.do('finish KILL 10', 'mode SN00001', 'mode SN00002')
    # It goes on. The key of one board is refused: it is left alone, the other one goes on.
    made.do(f'station again observe {both} --pairing just-works')
    made.must('continued', sent(210))
    made.must('caught-up', 'await 120 idle')
    made.do('mode SN00001 status 403', 'record 30 CLOUD-1 CLOUD-2')
    made.must('refused', 'await 120 answered 1 403')
    made.must('streamed', sent(NORMAL))
    made.must('quiet', 'await 120 idle')
    made.do('mode SN00001', 'finish INT 20')
    made.do('job rest 60 observe --upload-only')
    # The queue is too small for what comes while the server is down: the board is asked to wait with the rest. The station breaks down while it holds keys and uploads;
    # the next one takes the rest as the queue gets empty.
    small = f'observe {one} --pairing just-works'
    made.do('serve stop', f'record {BURST} CLOUD-1', f'CONFIG=small.conf station full {small}')
    made.must('full-queue', 'await 120 grep -aq observe.full "$OUT/full.jsonl"')
    made.do('mode SN00001 hold')
    made.must('serve-again', 'serve start')
    made.must('holding-again', 'await 120 seen 2 holding.*SN00001')
    made.do('finish SEGV 20', 'mode SN00001', f'CONFIG=small.conf station emptied {small}')
    made.must('burst', f'await 120 sent CLOUD-1 {NORMAL + BURST}')
    made.do('sleep 1', 'finish INT 20', 'CONFIG=small.conf job small 60 observe --upload-only')
    made.ends = {'observe': 137, 'again': 130, 'rest': 0, 'full': 139, 'emptied': 130, 'small': 0}
    # What the station says at its end of each board, and a line that tells of what is lost.
    made.tallies = {'again': {one: {'pending': 30, 'dropped': 0, 'missing': 0, 'held': True}, two: {'pending': 0, 'dropped': 0, 'missing': 0, 'held': False}},
                    'rest': {one: {'uploaded': 30, 'pending': 0, 'held': False}},
                    'emptied': {one: {'missing': 0, 'held': False}}}
    # Why a stream was cut off, and between which chunks.
    lost, killed = ['lose', 80, 82], ['kill', 150, 210]
    made.boards[one] |= {'burst': NORMAL, 'cuts': [killed], 'forbidden': 1}
    made.boards[two] |= {'cuts': [lost, killed], 'forbidden': 0}


def releases(made: Cloud, two: str):
    content = lambda name, size: package_tools.payload(size, name)
    good = made.release('good', content('good', 40_000))
    made.release('wrong', content('wrong', 30_000), sha256=hashlib.sha256(b'another file').hexdigest())
    cut = made.release('cut', content('cut', 90_000), cut=True)
    dots = made.release('dots', content('dots', 20_000), file='../evil.bin', says='../../evil.bin')
    made.release('moved', content('moved', 10_000))
    made.server['files']['moved.bin'] = {'moved': f'{ELSEWHERE}/files/good.bin'}
    made.server['releases'] |= {'current': {'status': 204}, 'nokey': {'status': 401}, 'busy': {'status': 429, 'headers': {'Retry-After': '900'}}}
    # What an address may not hold as it is.
    made.values('ota-check', 0, '2\\.0\\.0', 'check', 'good', version='1.0.0+7', serial='S 1/ü&x=%41')
    made.values('ota-good', 0, good, 'fetch', 'good', kept=good)
    made.values('ota-wrong', 1, 'SHA-256', 'fetch', 'wrong')
    made.values('ota-cut', 0, cut, 'fetch', 'cut', kept=cut, resumed='cut.bin', size=90_000)
    made.values('ota-current', 0, 'up to date|latest|204', 'check', 'current')
    made.values('ota-nokey', 2, '401.*: ', 'check', 'nokey')
    made.values('ota-busy', 3, '429.*900', 'check', 'busy')
    made.values('ota-moved', 2, 'localhost.*allowed_hosts', 'fetch', 'moved')
    made.values('ota-dots', 0, dots, 'fetch', 'dots', kept=dots)
    board = lambda serial, kind: {'hardware_version': HARDWARE, 'software_type': kind, 'current_version': '1.0.0', 'device_serial': serial}
    image = package_tools.signed_image('2.0.0', 48_000, seed='cloud')
    for kind in (MDS_TYPE, SMP_TYPE):
        sha256 = made.release(kind, image)
    three = made.guest.board('CLOUD-3', smp={'groups': [0, 1, 3, 10, 63, 128]}, memfault={'project_key': KEYS['three'], 'software_type': SMP_TYPE})
    made.ota('ota-mds', 0, '2\\.0\\.0', ['check', two, '--board-key'], key='two', query=board('SN00002', MDS_TYPE))
    made.ota('ota-smp', 0, '2\\.0\\.0', ['check', three, '--board-key'], key='three', query=board('SN00003', SMP_TYPE))
    parsed = mcuboot.parse(image)
    made.kept.add(sha256)
    made.guest.packages['cloud'] = {'file': 'app_update.bin', 'sha256': sha256, 'bytes': len(image), 'hash': parsed.hash.hex(), 'hash_kind': parsed.hash_kind, 'version': parsed.text}


def flash(made: Cloud, order: list[str], model: str, maker: str):
    """`source = ota`: resolved at the start of the batch; the server is gone before the job is over."""
    made.guest.text('station/profiles/cloud.profile', PROFILE.format(model=model, hardware=HARDWARE, maker=maker, kind=SMP_TYPE))
    made.do(' '.join(map(shlex.quote, ['station', 'run', 'run', '--profile', 'cloud', '--count', '1', *order])))
    made.must('begun', 'await 120 grep -q batch.started "$OUT/run.jsonl"')
    made.do('serve stop', 'finish 0 150')
    address = made.guest.boards[-1]['address']
    made.guest.runs.append({'name': 'run', 'exit': 0, 'end_reason': 'count', 'boards': {
        address: {'attempts': ['passed'], 'package': 'cloud', 'before': '1.0.0', 'left': ['application']}}})
    made.fetches.append({'name': 'run', 'exit': 0, 'words': '', 'key': 'station', 'query': {'hardware_version': HARDWARE, 'software_type': SMP_TYPE, 'device_serial': 'RIG1'}})
