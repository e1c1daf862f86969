"""Figures of one link on the rig: the real kernel and bluetoothd in a guest, the radio as a model, one adapter, 200 KiB, MTU 498."""
from __future__ import annotations

import json
import os
import sqlite3
import statistics
import subprocess
from datetime import datetime

from table import ROOT, Row, say

HERE = os.path.dirname(os.path.abspath(__file__))
RIG = os.path.join(ROOT, 'Tests', 'RealStack', 'rig.sh')
GUEST_LIMIT = 300        # seconds for a guest
TIMES_PEER = 3.5         # the aim against smpclient, wherever the two have the same guest and scenario
BOARD_OWN = 0.25 + 2.0 + 1.0     # seconds from the reset's answer until the board is there again: boards/README.md, `timing`: reset, swap, boot


class Guest:
    """What one guest left."""

    def __init__(self, folder: str, program: str, which: str):
        self.folder, self.out = os.path.join(folder, which), os.path.join(folder, which, 'out')
        os.makedirs(self.folder)
        python = os.path.join(os.environ['RIG_CACHE'], 'venv', 'bin', 'python')
        subprocess.run([python, os.path.join(HERE, 'rig_guest.py'), self.folder, program, which], check=True)
        with open(os.path.join(self.folder, 'rig.log'), 'wb') as log:
            subprocess.run([RIG, 'run', '-s', os.path.join(self.folder, 'air.json'), '-t', str(GUEST_LIMIT), '-o', self.out, '--',
                            python, os.path.join(HERE, 'in_guest.py'), self.folder], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.measured = self.document('measured.json')
        self.truth = self.document('truth.json')
        for name, told in self.measured.items():
            if told['exit']:
                raise RuntimeError(f'{which}/{name}: {told.get("error") or "exit code " + str(told["exit"])} (everything of it lies in {self.folder})')
        database = sqlite3.connect(os.path.join(self.out, 'station', 'station.db'))
        database.row_factory = sqlite3.Row
        self.rows = [dict(row) for row in database.execute('SELECT * FROM results')]
        self.phases = [dict(row) for row in database.execute('SELECT attempt_id, phase, entered_at FROM phases ORDER BY phase_id')]
        database.close()
        bad = [row['mac'] for row in self.rows if row['outcome'] != 'passed' or row['attempt'] != 1 or row['retries']]
        if bad:
            raise RuntimeError(f'{which}: not passed at once: {bad} (everything of it lies in {self.folder})')

    def document(self, name: str):
        path = os.path.join(self.out, name)
        if not os.path.exists(path):
            raise RuntimeError(f'the guest left no {name}: {os.path.join(self.folder, "rig.log")}')
        with open(path, encoding='utf-8') as file:
            return json.load(file)

    def of(self, profile: str) -> list[dict]:
        return [row for row in self.rows if row['profile'] == profile]

    def link(self, profile: str) -> dict:
        """The link that carried the image of a profile's first board, or of a peer's: its limit for write commands, and the parameters in force."""
        names = profile.upper(), f'{profile.upper()}-0'
        links = [link for link in self.truth['links'] if link['peripheral'] in names]
        best = max(links, key=lambda link: link['bytes_down'])
        return {'limit': best['limit_kB_s'], 'words': f'{best["params"][-1]["interval_ms"]:g} ms, {best["params"][-1]["phy"]}'}

    def speed(self, profile: str) -> float:
        return statistics.median(row['upload_kB_per_s'] for row in self.of(profile))

    def peer(self, *names: str) -> tuple[float, float]:
        """Speed in kB/s and processor seconds per MB of upload."""
        uploads = [upload for name in names for upload in self.measured[name]['uploads']]
        if len(uploads) != len(names):
            raise RuntimeError(f'smpclient uploaded {len(uploads)} of {len(names)} images: {self.out}')
        say('smpclient: ' + ', '.join(f'{each["kB/s"]:.1f} kB/s ({self.link(name)["words"]})' for name, each in zip(names, uploads)))
        return statistics.median(each['kB/s'] for each in uploads), statistics.median(each['cpu_s_per_MB'] for each in uploads)

    def processor(self, profile: str) -> float:
        """Processor seconds of ours per MB, the upload only."""
        told = self.measured[profile]['upload_processor_s']
        return statistics.median(told[row['mac']] / row['upload_bytes'] * 1e6 for row in self.of(profile))

    def spans(self, row: dict) -> dict[str, float]:
        """Seconds of each phase of an attempt; `detach` ends with it. Phases that come twice add up."""
        marks = [(entry['phase'], instant(entry['entered_at'])) for entry in self.phases if entry['attempt_id'] == row['attempt_id']]
        ends = [at for _, at in marks[1:]] + [instant(row['finished_at'])]
        spans: dict[str, float] = {}
        for (phase, at), end in zip(marks, ends):
            spans[phase] = spans.get(phase, 0) + end - at
        return spans


def instant(text: str) -> float:
    return datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


def fixed(guest: Guest) -> list[Row]:
    link, ours = guest.link('ours'), guest.speed('ours')
    peer, peer_cost = guest.peer('peer1', 'peer2')
    cost = guest.processor('ours')
    rows = [
        Row(f'upload, {link["words"]}: share of the link', f'{ours:.1f} kB/s', f'limit {link["limit"]:.1f} kB/s', ours / link['limit'], 'percent', 0.93),
        Row(f'upload, {link["words"]}: against smpclient', f'{ours:.1f} kB/s', f'smpclient 7.3 {peer:.1f} kB/s', ours / peer, 'times', TIMES_PEER),
        Row('processor time of the upload', f'{cost:.2f} s/MB', f'smpclient 7.3 {peer_cost:.2f} s/MB', cost / peer_cost, 'part', 0.1),
    ]
    total = guest.measured['ours']['processor_s'] / sum(row['upload_bytes'] for row in guest.of('ours')) * 1e6
    peers = statistics.median(guest.measured[name]['processor_s'] / guest.measured[name]['uploads'][0]['bytes'] * 1e6 for name in ('peer1', 'peer2'))
    rows.append(Row('processor time of the whole process, start and swap included', f'{total:.2f} s/MB', f'smpclient 7.3 {peers:.2f} s/MB', total / peers, 'part', None))
    return rows + beside(guest)


def beside(guest: Guest) -> list[Row]:
    """What an attempt takes besides the upload and the board's own restart, against the same calls of BlueZ made bare."""
    rounds = guest.measured['bare']['rounds']
    median = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
    # An update needs two connections, and has to find the board again for the second. The first link ends in the restart, the second by Disconnect.
    bare = median['found_s'] + 2 * median['connect_s'] + median['disconnect_s']
    ours = statistics.median(row['duration_s'] - row['upload_s'] - BOARD_OWN for row in guest.of('ours'))
    spans = [guest.spans(row) for row in guest.of('ours')]
    say('phases of an attempt (median s): ' + ', '.join(
        f'{phase} {statistics.median(each.get(phase, 0) for each in spans):.2f}' for phase in spans[0]))
    say('bare BlueZ calls (median s): ' + ', '.join(f'{key.removesuffix("_s")} {value:.2f}' for key, value in median.items()))
    return [Row('time of a board beside upload and swap', f'{ours:.1f} s', f'bare BlueZ calls {bare:.1f} s', ours / bare, 'times', None)]


def negotiated(guest: Guest) -> list[Row]:
    kernel, asked = guest.link('kernel'), guest.link('asked')
    slow, fast = guest.speed('kernel'), guest.speed('asked')
    peer, _ = guest.peer('peer')
    return [
        Row(f'upload at the kernel\'s defaults ({kernel["words"]}): share of the link', f'{slow:.1f} kB/s', f'limit {kernel["limit"]:.1f} kB/s',
            slow / kernel['limit'], 'percent', None),
        Row('upload at the kernel\'s defaults: against smpclient', f'{slow:.1f} kB/s', f'smpclient 7.3 {peer:.1f} kB/s', slow / peer, 'times', TIMES_PEER),
        Row(f'each as it comes: ours asks for {asked["words"]}, smpclient takes {guest.link("peer")["words"]}', f'{fast:.1f} kB/s',
            f'smpclient 7.3 {peer:.1f} kB/s', fast / peer, 'times', TIMES_PEER),
        Row(f'our radio parameters ({asked["words"]}) against the kernel\'s', f'{fast:.1f} kB/s', f'{slow:.1f} kB/s', fast / slow, 'times', None),
    ]


def measure(folder: str, program: str) -> list[Row]:
    rows = []
    for which, figures in (('fixed', fixed), ('negotiated', negotiated)):
        say(f'guest {which} …')
        rows += figures(Guest(folder, program, which))
    return rows
