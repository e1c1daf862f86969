"""Figures of `observe`: what the chunks of eight virtual boards cost on their way from the air to a server, and how fast they can come."""
from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time

from process import peak_kilobytes, processor_seconds
from table import ROOT, Row, say

sys.path.insert(0, os.path.join(ROOT, 'Tests', 'Endurance'))

from bench import Line, Station  # noqa: E402
from chunk_server import ChunkServer  # noqa: E402

BOARDS = 8
ADAPTERS = 4
SIZE = 200               # bytes of a chunk
INTERVAL = 15            # milliseconds
IN_FLIGHT = 2            # notifications, so many in a connection event
STEADY = {'pollMilliseconds': 100, 'chunksPerPoll': 1}
SETTLED = 3              # seconds from the first chunk of the last board until the measurement begins
STRETCH = 15             # seconds
PROBE = 2                # seconds
READY = 60
MEMORY_AIM = 60          # MB, as for 16 uploads
KEY = '00112233445566778899aabbccddeeff'


def commits(folder: str) -> float:
    """What the disk can: small appends a second, each of them flushed (fdatasync), as a commit must be."""
    count, began = 0, time.monotonic()
    with open(os.path.join(folder, 'probe'), 'wb', buffering=0) as file:
        while time.monotonic() - began < PROBE:
            file.write(bytes(SIZE))
            os.fdatasync(file.fileno())
            count += 1
    return count / (time.monotonic() - began)


class Stretch:
    """Some seconds in the middle of a stream: chunks, processor time, memory."""

    def __init__(self, pace: dict):
        serials = [f'VL1-{number + 1:04}' for number in range(BOARDS)]
        server = ChunkServer(dict.fromkeys(serials, KEY))
        server.up()
        script = {'radio': {'intervalMilliseconds': INTERVAL}, 'boards': [{'board': '*', 'settings': {'kind': 'mds', 'mds': {
            'uri': server.address, 'authorization': f'Memfault-Project-Key:{KEY}', 'inFlight': IN_FLIGHT, 'generated': {'count': 1_000_000, 'size': SIZE}} | {
                key: value for key, value in pace.items()}}}]}
        folder = tempfile.mkdtemp(prefix='flqueue-', dir='/tmp')
        self.disk = commits(folder)
        try:
            with Line(ADAPTERS, BOARDS, script) as line:
                station = Station(line)
                station.write('station.conf', Station.configuration() + f'[cloud]\nallowed_hosts = 127.0.0.1\nqueue = {folder}/queue.db\n')
                run = station.start('observe', *line.boards())
                try:
                    self.measure(line, run, server)
                finally:
                    run.process.terminate()
                    run.wait(30)
                station.remove()
        finally:
            server.down()
            shutil.rmtree(folder, ignore_errors=True)

    def measure(self, line: Line, run, server: ChunkServer):
        sent = lambda: [board['mds']['delivered'] for board in line.boards().values()]
        deadline = time.monotonic() + READY
        while not all(sent()):
            if run.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f'observe: not all boards stream: {run.words()[-300:]}')
            time.sleep(0.5)
        time.sleep(SETTLED)
        first, began, used, posted = sum(sent()), time.monotonic(), processor_seconds(run.process.pid), server.total()
        time.sleep(STRETCH)
        last, ended, used_then, posted_then = sum(sent()), time.monotonic(), processor_seconds(run.process.pid), server.total()
        self.rate = (last - first) / (ended - began)
        self.uploaded = (posted_then - posted) / (ended - began)
        self.share = (used_then - used) / (ended - began)
        self.peak = peak_kilobytes(run.process.pid)


def measure() -> list[Row]:
    say(f'observe: {BOARDS} virtual boards, {1000 // STEADY["pollMilliseconds"]} chunks a second each …')
    steady = Stretch(STEADY)
    say(f'{steady.rate:.0f} chunks/s received, {steady.uploaded:.0f}/s uploaded, {steady.share:.1%} of a core; as fast as they come …')
    fast = Stretch({})
    links = BOARDS * IN_FLIGHT * 1000 / INTERVAL
    limit, what = min((links, "the links' limit"), (fast.disk, "flushes of the same disk"))
    say(f'{fast.rate:.0f} chunks/s received, {fast.uploaded:.0f}/s uploaded, {fast.share:.1%} of a core; links {links:.0f}/s, disk {fast.disk:.0f}/s')
    return [
        Row(f'observe, {BOARDS} virtual boards, {steady.rate:.0f} chunks/s: processor', f'{steady.share * 100:.1f} % of a core', 'one core', steady.share, 'share', 0.1),
        Row('observe: most memory', f'{max(steady.peak, fast.peak) / 1000:.1f} MB', f'{MEMORY_AIM} MB', max(steady.peak, fast.peak) / 1000 / MEMORY_AIM, 'share', 1.0),
        Row('observe at full speed: chunks committed', f'{fast.rate:.0f}/s', f'{limit:.0f}/s, {what}', fast.rate / limit, 'percent', 0.5),
        Row('observe at full speed: chunks uploaded', f'{fast.uploaded:.0f}/s', f'{fast.rate:.0f}/s received', fast.uploaded / fast.rate, 'percent', 0.9),
    ]
